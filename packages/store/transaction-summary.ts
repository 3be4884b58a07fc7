// A transaction as people see it in lists: read from a projection of its document, without messages and history.

import { noSearchTerms } from "./port.ts";
import type { SummaryRow } from "./port.ts";
import { copyOfTerms, flowOf } from "./transaction-document.ts";
import type { StoredTransactionEver } from "./transaction-document.ts";
import { fromStoredItem, fromStoredParked } from "./transaction-parts.ts";

/** The fields that `toSummary` reads. */
export const summaryFields = {
  _id: 1,
  lane: 1,
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

export function toSummary(stored: Pick<StoredTransactionEver, keyof typeof summaryFields>): SummaryRow {
  return {
    uetr: stored._id,
    lane: stored.lane,
    flow: flowOf(stored),
    state: stored.state,
    scheme: stored.scheme,
    sender: stored.message?.sender ?? null,
    messageIdentification: stored.message?.messageIdentification ?? null,
    bank: stored.bank,
    businessDate: stored.businessDate,
    closesWith: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    receivedAtMs: stored.receivedAt.getTime(),
    amountTenThousandths: stored.amountTenThousandths,
    currency: stored.currency,
    queueKey: stored.queueKey,
    stageVersion: stored.stageVersion ?? 0,
    updatedAtMs: (stored.updatedAt ?? stored.receivedAt).getTime(),
    applied: stored.applied,
    rollsMax: stored.rollsMax ?? 0,
    rollsLeft: stored.rollsLeft ?? 0,
    items: stored.items.map(fromStoredItem),
    parked: fromStoredParked(stored.parked ?? null),
    search: copyOfTerms(stored.search ?? noSearchTerms),
  };
}
