// What a status says: the table of decisions section 6, code → outcome → meaning.

import type { PaymentStatusReport } from "./generated/records.ts";

export const outcomes = ["APPROVED", "REJECTED", "PENDING", "CANCELLED"] as const;
type Outcome = (typeof outcomes)[number];
export type Meaning = "made" | "not-made" | "pending";

export const outcomeByCode: ReadonlyMap<string, Outcome> = new Map([
  ["ACCP", "APPROVED"],
  ["ACSP", "APPROVED"],
  ["ACSC", "APPROVED"],
  ["ACCC", "APPROVED"],
  ["RJCT", "REJECTED"],
  ["PDNG", "PENDING"],
  ["CANC", "CANCELLED"],
]);

const meaningByOutcome: ReadonlyMap<string, Meaning> = new Map([
  ["APPROVED", "made"],
  ["REJECTED", "not-made"],
  ["PENDING", "pending"],
  ["CANCELLED", "not-made"],
]);

/** What a bank's report says of the debit or credit. Throws for a report that `readStatusReport` would have refused. */
export function outcomeOf(report: PaymentStatusReport): Meaning {
  const { code, outcome } = report.status;
  const found = meaningByOutcome.get(outcome ?? outcomeByCode.get(code ?? "") ?? "");
  if (found === undefined) throw new Error("a status report without a known code or outcome");
  return found;
}
