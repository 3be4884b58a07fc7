// The test data of the sandbox: which amount and which account makes what happen. docs/sandbox.md shows both tables,
// and tests play each row.
//
// #1 An amount decides what the simulated payer's side does with a debit or a credit that Sluice delivers to it.
// #2 An account decides what Sluice itself finds. It does so for every bank, also outside the sandbox.

import { type DeliveredOperation, refuse, reportPending, reportRejected, reportSettled, type ScriptRule } from "@sluice/testkit";

type Reaction = Pick<ScriptRule, "answer" | "reports">;

interface AmountCase {
  readonly name: string;
  /** Decimal text, as in a message. */
  readonly amount: string;
  /** What the simulated side does, in words. */
  readonly does: string;
  /** The state in which a debit of this amount ends. */
  readonly ends: string;
  /** The first rule that fits an attempt counts. */
  readonly reactions: readonly (Reaction & Pick<ScriptRule, "attempts">)[];
}

const minuteMs = 60_000;
/** Attempts that fail before the delivery is taken. */
const failedAttempts = 3;

/** #1 */
export const amountCases = [
  { name: "paid", amount: "100.00", does: "pays at once, as with any amount that is not listed here", ends: "COMPLETED", reactions: [] },
  {
    name: "unpaid",
    amount: "100.01",
    does: "has no money: reports RJCT with AM04",
    ends: "UNPAID",
    reactions: [{ reports: [reportRejected()] }],
  },
  {
    name: "late",
    amount: "100.02",
    does: "pays, and reports two hours later",
    ends: "COMPLETED",
    reactions: [{ reports: [reportSettled({ afterMs: 120 * minuteMs })] }],
  },
  {
    name: "silent",
    amount: "100.03",
    does: "takes the message, and never reports",
    ends: "RECONCILIATION",
    reactions: [{ reports: [] }],
  },
  {
    name: "contradicting",
    amount: "100.04",
    does: "reports that it paid, and a minute later that it did not",
    ends: "COMPLETED",
    reactions: [{ reports: [reportSettled(), reportRejected({ afterMs: minuteMs })] }],
  },
  {
    name: "pending",
    amount: "100.05",
    does: "reports PDNG, and ten minutes later that it paid",
    ends: "COMPLETED",
    reactions: [{ reports: [reportPending(), reportSettled({ afterMs: 10 * minuteMs })] }],
  },
  {
    name: "refused",
    amount: "100.06",
    does: "answers 400, so that Sluice gives the message up",
    ends: "RECONCILIATION",
    reactions: [{ answer: refuse(400) }],
  },
  {
    name: "down",
    amount: "100.07",
    does: `answers 503 for ${failedAttempts} attempts, then takes the message and pays`,
    ends: "COMPLETED",
    reactions: [{ attempts: [1, failedAttempts], answer: refuse(503) }],
  },
  {
    name: "twice",
    amount: "100.08",
    does: "pays, and sends the same report twice",
    ends: "COMPLETED",
    reactions: [{ reports: [reportSettled({ copies: 2 })] }],
  },
] as const satisfies readonly AmountCase[];

/** The rules for the delivery of this debit or credit (#1). */
export function rulesFor(amount: string, uetr: string, operation: DeliveredOperation): readonly ScriptRule[] {
  const found: AmountCase | undefined = amountCases.find((one) => Number(one.amount) === Number(amount));
  return (found?.reactions ?? []).map((reaction) => ({ ...reaction, uetr, operation }));
}

export interface AccountCase {
  readonly name: string;
  readonly account: string;
  readonly branch: string;
  /** The account's type as a message has it. */
  readonly type: string;
  readonly does: string;
  readonly ends: string;
}

/** #2 */
export const accountCases = [
  { name: "valid", account: "62005551230", branch: "250655", type: "CACC", does: "passes the account check", ends: "COMPLETED" },
  {
    name: "ac02",
    account: "62005551231",
    branch: "250655",
    type: "CACC",
    does: "has a wrong check digit: RJCT with AC02",
    ends: "REJECTION_REPORTED",
  },
  {
    name: "ac13",
    account: "80000000797",
    branch: "430000",
    type: "SVGS",
    does: "takes credits only: RJCT with AC13",
    ends: "REJECTION_REPORTED",
  },
  {
    name: "not-verifiable",
    account: "62005551230",
    branch: "250655",
    type: "LOAN",
    does: "is of a type that no rule knows: not refused",
    ends: "COMPLETED",
  },
] as const satisfies readonly AccountCase[];
