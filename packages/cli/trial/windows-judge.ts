// What is said of a round of windows: of the topics as they lie there and of the banks' own records, never of the system's view of itself.
//
// 1. The checker's promises, the windows against the times that the trial configured (I9).
// 2. Where the connector declares credits final, no gate opened before it did.
// 3. Nothing went to the dead letters.
// 4. A round that shows too little is not a good one: half of its windows opened, and debits were released.

import { checkHistory } from "@sluice/checker";
import type { CheckReport, HistoryEntry, PlannedDay, RecordEntry } from "@sluice/checker";
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

/** Clocks of broker and banks are the same machine's; the broker stamps with whole milliseconds. */
const clockToleranceMs = 5;

export function judgeRound({ plannedDay, creditsFinal, history }: RoundEvidence): RoundVerdict {
  const { violations, counts } = checkHistory(history, { plannedDays: [plannedDay], clockToleranceMs });
  const records = history.filter((entry) => entry.kind === "record");
  return {
    problems: [
      ...violations.map(({ promise, uetr, text }) => `${promise}${uetr === null ? "" : ` ${uetr}`}: ${text}`),
      ...(creditsFinal === "connector" ? gatesBeforeDeclaration(history, records) : []),
      ...records.filter(({ topic }) => topic === topics.deadLetters).map(({ key }) => `${key ?? "a record"} went to the dead letters`),
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
      `I8: a gate opened in lane ${partition} at offset ${offset}, ${declaredAtMs - appendedAtMs} ms before credits were declared final`,
  );
}

function tooLittle(counts: CheckReport["counts"]): readonly string[] {
  const { windowsPlanned = 0, windowsOpened = 0, debitsReleased = 0 } = counts;
  return [
    ...(windowsOpened * 2 < windowsPlanned ? [`too little was shown: ${windowsOpened} of ${windowsPlanned} windows opened`] : []),
    ...(debitsReleased === 0 ? ["too little was shown: nothing was released"] : []),
  ];
}
