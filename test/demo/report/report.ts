// Formats the demo's report as text and as JSON: timelines, all debits and credits by bank and state, the
// reconciliation list, and whether every check passed.

import type { Timeline } from "@sluice/timeline";
import { formatTimeline } from "@sluice/timeline/format";
import type { DayEvidence } from "../check/day.ts";
import { formatTable, timeIn } from "@sluice/environment";
import { buildReconciliationList, listSpecialDebits, buildDayTable } from "./day-table.ts";
import type { DemoTimes } from "../plan/day.ts";
import type { Outage } from "../play/outage.ts";
import { outageText, plotOutage } from "./outage-plot.ts";
import { buildVerdict, formatVerdict, type VerdictLine } from "./verdict.ts";

export interface DemoReport {
  readonly evidence: DayEvidence;
  readonly times: DemoTimes;
  /** The outage as it was observed; null if it was not played. */
  readonly outage: Outage | null;
  /** Timelines of one on-us debit, one off-us debit and one credit. */
  readonly timelines: readonly Timeline[];
  /** One sentence for each problem; none if every check passed. */
  readonly problems: readonly string[];
  /** How much was checked, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

const problemsShownMax = 40;

export function formatReport(report: DemoReport, tookMs: number): string {
  const { evidence, times, timelines, problems } = report;
  const table = buildDayTable(evidence).map(({ bank, character, flow, state, count, sum }) => [bank, character, flow, state, count, sum]);
  const list = buildReconciliationList(evidence).map((item) => [
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
  const specials = listSpecialDebits(evidence).map((debit) => [
    debit.kind,
    debit.uetr,
    debit.bank,
    debit.messageIdentification,
    debit.posts,
    debit.state,
    debit.observations.join(", "),
  ]);
  const close = timeIn(times.zone, times.reconciliationAtMs);
  return [
    "\nOne on-us debit, one off-us debit, one credit\n",
    timelines.map((timeline) => formatTimeline(timeline).replaceAll(/^(?=.)/gm, "  ")).join("\n\n"),
    `\nAll debits and credits of ${times.businessDate}\n`,
    formatTable(["bank", "which", "what", "final state", "count", "sum ZAR"], table),
    "\nThe special ones\n",
    formatTable(["which", "UETR", "bank", "identification", "posted", "final state", "recorded"], specials),
    ...(report.outage === null ? [] : outageLines(report.outage)),
    `\nReconciliation list at ${close} (${list.length})\n`,
    formatTable(["UETR", "bank", "sum ZAR", "row", "state", "cause", "attempts", "last answer", "found"], list),
    "",
    formatVerdict(verdictOf(report)),
    "",
    conclusion(problems, tookMs),
  ].join("\n");
}

export function jsonReport(report: DemoReport, tookMs: number): string {
  const { evidence, times, timelines, problems, counts } = report;
  const value = {
    schema: "DemoReport",
    isRight: problems.length === 0,
    verdict: verdictOf(report),
    problems,
    businessDate: times.businessDate,
    times,
    transactions: buildDayTable(evidence),
    specials: listSpecialDebits(evidence),
    reconciliation: buildReconciliationList(evidence),
    outage: report.outage,
    timelines,
    counts,
    tookMs: Math.round(tookMs),
  };
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member), 2);
}

function outageLines(outage: Outage): readonly string[] {
  return [`\nThe backlog of ${outage.bank}, which was down\n`, ...plotOutage(outage), "", `  ${outageText(outage)}`];
}

function verdictOf({ problems, counts, evidence }: DemoReport): readonly VerdictLine[] {
  const leftOpen = evidence.day.transactions.filter(({ end }) => end.row !== null && end.found === null).length;
  return buildVerdict({ problems, counts, states: buildDayTable(evidence), leftOpen });
}

function conclusion(problems: readonly string[], tookMs: number): string {
  const seconds = (tookMs / 1_000).toFixed(1);
  if (problems.length === 0) return `Everything is as it should be (${seconds} s).`;
  const more = problems.length > problemsShownMax ? [`… and ${problems.length - problemsShownMax} more`] : [];
  return [`NOT as it should be (${seconds} s):`, ...problems.slice(0, problemsShownMax).map((text) => `  - ${text}`), ...more].join("\n");
}
