// What the demo ends with, for people and for machines. The timeline of one debit, all debits by bank and state, the reconciliation list,
// and whether everything is right.

import { formatTimeline, type Timeline } from "@sluice/timeline";
import type { DayEvidence } from "./check-day.ts";
import { formatTable, reconciliationListOf, specialsOf, tableOf } from "./day-table.ts";
import type { DemoTimes } from "./demo-day.ts";
import { timeIn } from "./noon-zone.ts";
import type { Outage } from "./outage.ts";
import { outageText, plotOutage } from "./outage-plot.ts";

export interface DemoReport {
  readonly evidence: DayEvidence;
  readonly times: DemoTimes;
  /** Null: it was not played. */
  readonly outage: Outage | null;
  /** Of one good debit. */
  readonly timelines: readonly Timeline[];
  /** Sentences; empty: all is right. */
  readonly problems: readonly string[];
  /** How much was looked at. */
  readonly counts: Readonly<Record<string, number>>;
}

const problemsShownMax = 40;

export function formatReport(report: DemoReport, tookMs: number): string {
  const { evidence, times, timelines, problems } = report;
  const table = tableOf(evidence).map(({ bank, character, flow, state, count, sum }) => [bank, character, flow, state, count, sum]);
  const list = reconciliationListOf(evidence).map((item) => [
    item.uetr,
    item.bank,
    item.amount,
    item.row,
    item.stateAtClose,
    item.cause,
    item.attempts,
    item.lastAnswer,
    item.found,
  ]);
  const specials = specialsOf(evidence).map((debit) => [
    debit.kind,
    debit.uetr,
    debit.bank,
    debit.messageIdentification,
    debit.posts,
    debit.state,
    debit.remarks.join(", "),
  ]);
  const close = timeIn(times.zone, times.reconciliationAtMs);
  return [
    "\nOne debit, one from elsewhere, one credit\n",
    timelines.map((timeline) => formatTimeline(timeline).replaceAll(/^(?=.)/gm, "  ")).join("\n\n"),
    `\nAll debits and credits of ${times.businessDate}\n`,
    formatTable(["bank", "which", "what", "final state", "count", "sum ZAR"], table),
    "\nThe special ones\n",
    formatTable(["which", "UETR", "bank", "identification", "posted", "final state", "recorded"], specials),
    ...(report.outage === null ? [] : outageLines(report.outage)),
    `\nReconciliation list at ${close} (${list.length})\n`,
    formatTable(["UETR", "bank", "sum ZAR", "row", "state", "cause", "attempts", "last answer", "found"], list),
    `\nLooked at: ${countsText(report.counts)}.`,
    verdict(problems, tookMs),
  ].join("\n");
}

export function jsonReport(report: DemoReport, tookMs: number): string {
  const { evidence, times, timelines, problems, counts } = report;
  const value = {
    isRight: problems.length === 0,
    problems,
    businessDate: times.businessDate,
    times,
    transactions: tableOf(evidence),
    specials: specialsOf(evidence),
    reconciliation: reconciliationListOf(evidence),
    outage: report.outage,
    timelines,
    counts,
    tookMs: Math.round(tookMs),
  };
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member), 2);
}

function outageLines(outage: Outage): readonly string[] {
  return [`\nWhat waited for ${outage.bank}, which was down\n`, ...plotOutage(outage), "", `  ${outageText(outage)}`];
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}

function verdict(problems: readonly string[], tookMs: number): string {
  const seconds = (tookMs / 1_000).toFixed(1);
  if (problems.length === 0) return `Everything is as it should be (${seconds} s).`;
  const more = problems.length > problemsShownMax ? [`… and ${problems.length - problemsShownMax} more`] : [];
  return [`NOT as it should be (${seconds} s):`, ...problems.slice(0, problemsShownMax).map((text) => `  - ${text}`), ...more].join("\n");
}
