// The parties of the operators' day: banks with one fault each, operators with their roles, the debits that the day
// leaves on the reconciliation list, and their resolutions.

import { refuse, reportPending, type ScriptRule, staySilent } from "@sluice/testkit";
import { type FlowName, flows } from "./flows.ts";

export const operatorsDayBanks = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
  { id: "protea", branch: "250657" },
  { id: "kudu", branch: "250658" },
  { id: "marula", branch: "250659" },
  { id: "acacia", branch: "250660" },
] as const;
export type OperatorsDayBankId = (typeof operatorsDayBanks)[number]["id"];

export const operatorsDayOperators = [
  { id: "thandi", roles: ["read", "act", "approve"] },
  { id: "sipho", roles: ["read", "approve"] },
  { id: "zola", roles: ["read"] },
] as const;

export interface PlannedDebit {
  readonly flow: FlowName;
  readonly name: string;
  readonly bank: OperatorsDayBankId;
  readonly amount: string;
  readonly script: ScriptRule | null;
}

/** The item of a debit on the day's reconciliation list, and its resolution. */
export interface ExpectedItem {
  readonly row: number;
  readonly cause: string | null;
  readonly resolution: "MADE" | "NOT_MADE" | "REPLACED";
  /** The status code of the one outcome report to the connector; null if there is none. */
  readonly outcomeCode: "ACSC" | "RJCT" | null;
}

const inbound = flows["on-us"].inbound;

/** The debits that the day leaves to operators. */
export const unresolvedDebits: readonly (PlannedDebit & ExpectedItem)[] = [
  item("on-us", "withdrawn", "karoo", "101.01", null, [0, "WITHDRAWN"], "NOT_MADE", null),
  item("off-us", "withdrawn", "karoo", "102.02", null, [0, "WITHDRAWN"], "NOT_MADE", "RJCT"),
  item("on-us", "paused", "protea", "103.03", null, [0, "BANK_PAUSED"], "REPLACED", null),
  item("on-us", "gate-closed", "marula", "104.04", null, [0, "GATE_CLOSED"], "NOT_MADE", null),
  item("off-us", "gate-closed", "marula", "105.05", null, [0, "GATE_CLOSED"], "REPLACED", "RJCT"),
  item("on-us", "refused-for-good", "baobab", "106.06", { operation: inbound, answer: refuse(400) }, [3, null], "NOT_MADE", null),
  item("on-us", "unheard", "marula", "107.07", { operation: flows["on-us"].answer, answer: refuse(503) }, [5, null], "NOT_MADE", null),
  item("on-us", "silent", "baobab", "108.08", { operation: inbound, answer: staySilent }, [7, null], "MADE", null),
  item("off-us", "failing", "kudu", "109.09", { operation: inbound, answer: refuse(503) }, [8, null], "NOT_MADE", "RJCT"),
  item("on-us", "unreported", "karoo", "110.10", null, [9, null], "MADE", null),
  item("off-us", "unreported", "karoo", "111.11", { operation: inbound, reports: [reportPending()] }, [9, "PDNG"], "MADE", "ACSC"),
];

/** The debits that end well because operators act. */
export const completedDebits: readonly PlannedDebit[] = [
  {
    flow: "on-us",
    name: "redriven",
    bank: "karoo",
    amount: "201.01",
    script: { operation: inbound, attempts: [1, 1], answer: refuse(400) },
  },
  { flow: "off-us", name: "untaken", bank: "karoo", amount: "202.02", script: null },
  { flow: "on-us", name: "by-hand", bank: "kudu", amount: "203.03", script: null },
  { flow: "on-us", name: "extended", bank: "acacia", amount: "204.04", script: null },
];

/** Lets the connector refuse the first outcome report of the debit `untaken`. */
export const refusedOutcomeRule: ScriptRule = { operation: flows["off-us"].answer, attempts: [1, 1], answer: refuse(400) };

function item(
  flow: FlowName,
  name: string,
  bank: OperatorsDayBankId,
  amount: string,
  script: ScriptRule | null,
  [row, cause]: readonly [number, string | null],
  found: ExpectedItem["resolution"],
  outcomeCode: ExpectedItem["outcomeCode"],
): PlannedDebit & ExpectedItem {
  return { flow, name, bank, amount, script, row, cause, resolution: found, outcomeCode };
}

/** Adds decimal texts with two digits after the point. */
export function sumAmounts(amounts: readonly string[]): string {
  const cents = amounts
    .reduce((sum, amount) => sum + BigInt(amount.replace(".", "")), 0n)
    .toString()
    .padStart(3, "0");
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}
