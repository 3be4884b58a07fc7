// The parties of the three flows' day: banks that receive their events in different ways, and debits that do not end
// well.

import { refuse, type ScriptRule, staySilent } from "@sluice/testkit";
import { type FlowName, flows } from "./flows.ts";
import { signingKeys } from "../environment/signatures.ts";

export const threeFlowsBanks = [
  { id: "karoo", branch: "250655", members: { signingKeys } },
  { id: "baobab", branch: "250656", members: { eventClasses: ["TRANSACTION_STATE", "ESM_STATE"], onUsOutcomeReport: true } },
  { id: "protea", branch: "250657", members: { eventShape: "sample" } },
  { id: "kudu", branch: "250658", members: { eventPayload: "masked" } },
  { id: "marula", branch: "250659", members: { eventPayload: "none" } },
  { id: "acacia", branch: "250660", members: { eventsUrl: null } },
] as const;
/** A bank to which nothing can be delivered at first. */
export const unreachableBank = { id: "mopane", branch: "250661" } as const;
export const threeFlowsBankIds = threeFlowsBanks.map(({ id }) => id);
export type ThreeFlowsBankId = (typeof threeFlowsBankIds)[number];
export const allFlows = ["on-us", "off-us", "credit"] as const;
export const debitFlows = ["on-us", "off-us"] as const;
/** Debits with a special end, and the rule for their bank or the connector. */
export const scriptedDebits: readonly (readonly [FlowName, string, ThreeFlowsBankId, ScriptRule | null])[] = [
  ["off-us", "unpaid", "baobab", { operation: flows["off-us"].answer, attempts: [1, 2], answer: refuse(503, "1") }],
  ["off-us", "unreported", "karoo", { operation: flows["off-us"].answer, answer: refuse(503, "1") }],
  ["on-us", "unpaid", "baobab", null],
  ["on-us", "unreported", "karoo", null],
  ["on-us", "silent", "acacia", { operation: "inboundDirectDebit", answer: staySilent }],
  ["on-us", "failing", "marula", { operation: "inboundDirectDebit", answer: refuse(503) }],
  ["on-us", "refused", "protea", { operation: "inboundDirectDebit", answer: refuse(400) }],
];
/** The unresolved debits, each with the row of its item. */
export const expectedItemRows: readonly (readonly [number, string, ThreeFlowsBankId])[] = [
  [3, "refused", "protea"],
  [5, "unacknowledged", "acacia"],
  [7, "silent", "acacia"],
  [8, "failing", "marula"],
  [9, "unreported", "karoo"],
];
