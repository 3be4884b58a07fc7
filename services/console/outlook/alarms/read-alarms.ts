// What an Alertmanager says of one alarm, as this console shows it.
//
// #1 What it answers is others' text: members that are missing are not known, and an entry that is no alarm is left
//    out.
// #2 Of the annotation `runbook_url` only a page of `docs/runbooks` or an address of the web is taken, as people follow
//    it.

import { formatInstant } from "../../http/bank-answer.ts";

export type AlarmView = NonNullable<ReturnType<typeof viewOf>>;

export const alarmsMax = 200;
const textMax = 1_000;
/** Labels that say what the alarm is, and not what it is about. */
const notAbout: ReadonlySet<string> = new Set(["alertname", "severity"]);
const severities = ["critical", "warning", "info"] as const;

/** The alarms that fire, the most severe first and then the oldest; null: it is no list of alarms. */
export function readAlarms(text: string): readonly AlarmView[] | null {
  const list = parseList(text);
  return list?.flatMap((one) => viewOf(one) ?? []).toSorted(compareAlarms) ?? null;
}

function parseList(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** #1 */
function viewOf(given: unknown) {
  const labels = membersOf(membersOf(given).get("labels"));
  const name = textOf(labels.get("alertname"));
  if (name === null || !name.startsWith("Sluice")) return null;
  const annotations = membersOf(membersOf(given).get("annotations"));
  const silencedBy = membersOf(membersOf(given).get("status")).get("silencedBy");
  return {
    name,
    severity: textOf(labels.get("severity")),
    since: timeOf(membersOf(given).get("startsAt")),
    isSilenced: Array.isArray(silencedBy) && silencedBy.length > 0,
    about: [...labels]
      .filter(([label, value]) => !notAbout.has(label) && typeof value === "string")
      .map(([label, value]) => `${label} ${String(value)}`)
      .toSorted()
      .join(", ")
      .slice(0, textMax),
    summary: textOf(annotations.get("summary")),
    description: textOf(annotations.get("description")),
    runbook: findRunbook(annotations.get("runbook_url")),
  };
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, textMax) : null;
}

function timeOf(value: unknown): string | null {
  const atMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : formatInstant(atMs);
}

/** #2 */
function findRunbook(value: unknown): string | null {
  if (typeof value !== "string" || value.length > textMax) return null;
  if (/^docs\/runbooks\/[a-z0-9-]+\.md$/.test(value)) return value;
  return /^https?:\/\//.test(value) && URL.canParse(value) ? value : null;
}

function compareAlarms(a: AlarmView, b: AlarmView): number {
  return rank(a) - rank(b) || compareTexts(a.since ?? "", b.since ?? "") || compareTexts(a.name + a.about, b.name + b.about);
}

/** A severity that nobody knows here is shown before those that are said to be small. */
function rank({ severity, isSilenced }: AlarmView): number {
  const known = severities.findIndex((one) => one === severity);
  return (isSilenced ? severities.length : 0) + (known === -1 ? 1 : known);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
