// The outcome of a status report: the table of docs/spec/decisions.md D6, code → outcome → settled,
// rejected or pending.

import type { PaymentStatusReport } from "../../generated/records.ts";

export const outcomes = ["APPROVED", "REJECTED", "PENDING", "CANCELLED"] as const;
type Outcome = (typeof outcomes)[number];
export type ReportOutcome = "made" | "not-made" | "pending";

export const outcomeByCode: ReadonlyMap<string, Outcome> = new Map([
  ["ACCP", "APPROVED"],
  ["ACSP", "APPROVED"],
  ["ACSC", "APPROVED"],
  ["ACCC", "APPROVED"],
  ["RJCT", "REJECTED"],
  ["PDNG", "PENDING"],
  ["CANC", "CANCELLED"],
]);

const meaningByOutcome: ReadonlyMap<string, ReportOutcome> = new Map([
  ["APPROVED", "made"],
  ["REJECTED", "not-made"],
  ["PENDING", "pending"],
  ["CANCELLED", "not-made"],
]);

/** Reads the outcome of a bank's report. Throws for a report that `readStatusReport` would have refused. */
export function readReportOutcome(report: PaymentStatusReport): ReportOutcome {
  const { code, outcome } = report.status;
  const found = meaningByOutcome.get(outcome ?? outcomeByCode.get(code ?? "") ?? "");
  if (found === undefined) throw new Error("a status report without a known code or outcome");
  return found;
}
