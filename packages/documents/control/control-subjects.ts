// The subjects of the control API: each has a file of its own in docs/api/control.

/** The subject of an address, by the first part of its path. */
const subjects: Readonly<Record<string, string>> = {
  me: "system",
  overview: "system",
  stream: "system",
  series: "system",
  alarms: "system",
  status: "system",
  services: "system",
  topics: "system",
  transactions: "transactions",
  withdrawal: "transactions",
  windows: "days",
  calendar: "days",
  held: "days",
  days: "days",
  conservation: "days",
  banks: "banks",
  undelivered: "banks",
  failing: "banks",
  pause: "banks",
  resume: "banks",
  reconciliation: "reconciliation",
  resolution: "reconciliation",
  "dead-letters": "dead-letters",
  skip: "dead-letters",
  replay: "dead-letters",
  actions: "decisions",
  proposals: "decisions",
};

export function findSubject(path: string): string {
  const subject = subjects[path.split("/")[1] ?? ""];
  if (subject === undefined) throw new Error(`${path} has no subject: add it to control-subjects.ts`);
  return subject;
}
