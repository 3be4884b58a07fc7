// A transaction as lists show it to people, read from a projection of its document without messages and history.

import { noSearchTerms, type SummaryRow } from "../port.ts";
import { type AnyStoredTransaction, copySearchTerms, readStoredFlow } from "./transaction-document.ts";
import { fromStoredItem, fromStoredQuarantine } from "./transaction-parts.ts";

/** The fields that `toSummary` reads. */
export const summaryFields = {
  _id: 1,
  partition: 1,
  flow: 1,
  state: 1,
  scheme: 1,
  message: 1,
  bank: 1,
  businessDate: 1,
  closesWith: 1,
  deadline: 1,
  receivedAt: 1,
  amountTenThousandths: 1,
  currency: 1,
  queueKey: 1,
  stageVersion: 1,
  updatedAt: 1,
  applied: 1,
  rollsMax: 1,
  rollsLeft: 1,
  items: 1,
  parked: 1,
  search: 1,
} as const;

export function toSummary(stored: Pick<AnyStoredTransaction, keyof typeof summaryFields>): SummaryRow {
  return {
    uetr: stored._id,
    partition: stored.partition,
    flow: readStoredFlow(stored),
    state: stored.state,
    scheme: stored.scheme,
    sender: stored.message?.sender ?? null,
    messageIdentification: stored.message?.messageIdentification ?? null,
    bank: stored.bank,
    businessDate: stored.businessDate,
    reconciliationDay: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    receivedAtMs: stored.receivedAt.getTime(),
    amountTenThousandths: stored.amountTenThousandths,
    currency: stored.currency,
    queueKey: stored.queueKey,
    stageVersion: stored.stageVersion ?? 0,
    updatedAtMs: (stored.updatedAt ?? stored.receivedAt).getTime(),
    applied: stored.applied,
    carryOversMax: stored.rollsMax ?? 0,
    carryOversLeft: stored.rollsLeft ?? 0,
    items: stored.items.map(fromStoredItem),
    quarantined: fromStoredQuarantine(stored.parked ?? null),
    search: copySearchTerms(stored.search ?? noSearchTerms),
  };
}
