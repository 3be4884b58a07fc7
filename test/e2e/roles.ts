// Who plays in the day of the three flows: banks that receive their events each in another way, and debits that do not end well.

import { refuse, staySilent } from "@sluice/testkit";
import type { ScriptRule } from "@sluice/testkit";
import { flows } from "./flows.ts";
import type { FlowName } from "./flows.ts";
import { signingKeys } from "./signed.ts";

export const banks = [
  { id: "karoo", branch: "250655", members: { signingKeys } },
  { id: "baobab", branch: "250656", members: { eventClasses: ["TRANSACTION_STATE", "ESM_STATE"], onUsOutcomeReport: true } },
  { id: "protea", branch: "250657", members: { eventShape: "sample" } },
  { id: "kudu", branch: "250658", members: { eventPayload: "masked" } },
  { id: "marula", branch: "250659", members: { eventPayload: "none" } },
  { id: "acacia", branch: "250660", members: { eventsUrl: null } },
] as const;
/** Nothing can be delivered to it at first. */
export const unreachable = { id: "mopane", branch: "250661" } as const;
export const bankIds = banks.map(({ id }) => id);
export type BankId = (typeof bankIds)[number];
export const allFlows = ["on-us", "off-us", "credit"] as const;
export const debitFlows = ["on-us", "off-us"] as const;
/** Debits with an end of their own, and how their bank, or the connector, answers for them. */
export const specials: readonly (readonly [FlowName, string, BankId, ScriptRule | null])[] = [
  ["off-us", "unpaid", "baobab", { operation: flows["off-us"].answer, attempts: [1, 2], answer: refuse(503, "1") }],
  ["off-us", "untold", "karoo", { operation: flows["off-us"].answer, answer: refuse(503, "1") }],
  ["on-us", "unpaid", "baobab", null],
  ["on-us", "unreported", "karoo", null],
  ["on-us", "silent", "acacia", { operation: "inboundDirectDebit", answer: staySilent }],
  ["on-us", "failing", "marula", { operation: "inboundDirectDebit", answer: refuse(503) }],
  ["on-us", "refused", "protea", { operation: "inboundDirectDebit", answer: refuse(400) }],
];
/** With the row of each. */
export const unresolved: readonly (readonly [number, string, BankId])[] = [
  [3, "refused", "protea"],
  [5, "unacknowledged", "acacia"],
  [7, "silent", "acacia"],
  [8, "failing", "marula"],
  [9, "unreported", "karoo"],
];
