// Verifies a round of windows by the topics and by the banks' own records, never by the system's view of itself.
//
// #1 The checker's promises hold, and the windows match the times that the trial configured (I9).
// #2 If the connector declares credits final, no gate opened before it did.
// #3 There are no dead letters.
// #4 A round that shows too little fails: at least half of its windows must have opened, and debits must have been
//    released.

import { checkHistory, type CheckReport, type HistoryEntry, type PlannedDay, type RecordEntry } from "@sluice/checker";
import { topics } from "@sluice/contracts";

export interface RoundEvidence {
  readonly plannedDay: PlannedDay;
  readonly creditsFinal: "clock" | "connector";
  readonly history: readonly HistoryEntry[];
}

export interface RoundVerdict {
  readonly problems: readonly string[];
  readonly counts: CheckReport["counts"];
}

/** Broker and banks share the clock of one machine, and the broker stamps whole milliseconds. */
const clockToleranceMs = 5;

export function verifyRound({ plannedDay, creditsFinal, history }: RoundEvidence): RoundVerdict {
  const { violations, counts } = checkHistory(history, { plannedDays: [plannedDay], clockToleranceMs });
  const records = history.filter((entry) => entry.kind === "record");
  return {
    problems: [
      ...violations.map(({ promise, uetr, text }) => `${promise}${uetr === null ? "" : ` ${uetr}`}: ${text}`),
      ...(creditsFinal === "connector" ? gatesBeforeDeclaration(history, records) : []),
      ...records.filter(({ topic }) => topic === topics.deadLetters).map(({ key }) => `${key ?? "a record"} became a dead letter`),
      ...tooLittle(counts),
    ],
    counts,
  };
}

function gatesBeforeDeclaration(history: readonly HistoryEntry[], records: readonly RecordEntry[]): readonly string[] {
  const declarations = history.flatMap((entry) => (entry.kind === "sent" && entry.operation === "creditsFinal" ? [entry.atMs] : []));
  const declaredAtMs = Math.min(Number.POSITIVE_INFINITY, ...declarations);
  const gates = records.filter(({ type, appendedAtMs }) => type === "GateOpened" && appendedAtMs + clockToleranceMs < declaredAtMs);
  return gates.map(
    ({ partition, offset, appendedAtMs }) =>
      `I8: a gate opened in partition ${partition} at offset ${offset}, ${declaredAtMs - appendedAtMs} ms before credits were declared final`,
  );
}

function tooLittle(counts: CheckReport["counts"]): readonly string[] {
  const { windowsPlanned = 0, windowsOpened = 0, debitsReleased = 0 } = counts;
  return [
    ...(windowsOpened * 2 < windowsPlanned ? [`too little was shown: ${windowsOpened} of ${windowsPlanned} windows opened`] : []),
    ...(debitsReleased === 0 ? ["too little was shown: nothing was released"] : []),
  ];
}
