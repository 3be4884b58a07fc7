// Who plays in the day of the operators: banks with a trouble each, people with their roles, what the day leaves on the reconciliation list, and
// what people then find out about it.

import { refuse, reportPending, staySilent } from "@sluice/testkit";
import type { ScriptRule } from "@sluice/testkit";
import { flows } from "./flows.ts";
import type { FlowName } from "./flows.ts";

export const banks = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
  { id: "protea", branch: "250657" },
  { id: "kudu", branch: "250658" },
  { id: "marula", branch: "250659" },
  { id: "acacia", branch: "250660" },
] as const;
export type BankId = (typeof banks)[number]["id"];

export const people = [
  { id: "thandi", roles: ["read", "act", "approve"] },
  { id: "sipho", roles: ["read", "approve"] },
  { id: "zola", roles: ["read"] },
] as const;

export interface Part {
  readonly flow: FlowName;
  readonly name: string;
  readonly bank: BankId;
  readonly amount: string;
  readonly script: ScriptRule | null;
}

/** What becomes of it, as the list of the day says it; null: it is on no list. */
export interface Left {
  readonly row: number;
  readonly cause: string | null;
  readonly found: "MADE" | "NOT_MADE" | "REPLACED";
  /** What the connector is told then, once; null: nobody is told. */
  readonly told: "ACSC" | "RJCT" | null;
}

const inbound = flows["on-us"].inbound;

/** Debits that the day leaves to people. */
export const left: readonly (Part & Left)[] = [
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

/** Debits that end well, thanks to people. */
export const ended: readonly Part[] = [
  {
    flow: "on-us",
    name: "redriven",
    bank: "karoo",
    amount: "201.01",
    script: { operation: inbound, attempts: [1, 1], answer: refuse(400) },
  },
  { flow: "off-us", name: "untaken", bank: "karoo", amount: "202.02", script: null },
  { flow: "on-us", name: "by-hand", bank: "kudu", amount: "203.03", script: null },
  { flow: "on-us", name: "put-back", bank: "acacia", amount: "204.04", script: null },
];

/** What is found out about the outcome of this one that the connector refuses at first. */
export const untaken: ScriptRule = { operation: flows["off-us"].answer, attempts: [1, 1], answer: refuse(400) };

function item(
  flow: FlowName,
  name: string,
  bank: BankId,
  amount: string,
  script: ScriptRule | null,
  [row, cause]: readonly [number, string | null],
  found: Left["found"],
  told: Left["told"],
): Part & Left {
  return { flow, name, bank, amount, script, row, cause, found, told };
}

/** Decimal texts with two digits after the point. */
export function sumOf(amounts: readonly string[]): string {
  const cents = amounts
    .reduce((sum, amount) => sum + BigInt(amount.replace(".", "")), 0n)
    .toString()
    .padStart(3, "0");
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}
