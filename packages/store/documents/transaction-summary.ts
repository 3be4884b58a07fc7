// A transaction as lists show it to people, read from a projection of its document without messages and history.

import { assert } from "@sluice/kernel";
import type { SummaryRow } from "../port.ts";
import { nullable } from "./codec.ts";
import type { StoredTransaction } from "./transaction-document.ts";
import { itemCodec, quarantineCodec, searchTermsCodec } from "./transaction-parts.ts";

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
  reconciliationDay: 1,
  deadline: 1,
  receivedAt: 1,
  amountTenThousandths: 1,
  currency: 1,
  queueKey: 1,
  stageVersion: 1,
  updatedAt: 1,
  applied: 1,
  carryOversMax: 1,
  carryOversLeft: 1,
  items: 1,
  quarantined: 1,
  search: 1,
} as const;

export function toSummary(stored: Pick<StoredTransaction, keyof typeof summaryFields>): SummaryRow {
  const { flow, state, scheme, amountTenThousandths, currency, queueKey } = stored;
  const shared = {
    uetr: stored._id,
    partition: stored.partition,
    sender: stored.message?.sender ?? null,
    messageIdentification: stored.message?.messageIdentification ?? null,
    bank: stored.bank,
    businessDate: stored.businessDate,
    reconciliationDay: stored.reconciliationDay,
    deadlineMs: stored.deadline?.getTime() ?? null,
    receivedAtMs: stored.receivedAt.getTime(),
    stageVersion: stored.stageVersion,
    updatedAtMs: stored.updatedAt.getTime(),
    applied: stored.applied,
    carryOversMax: stored.carryOversMax,
    carryOversLeft: stored.carryOversLeft,
    items: stored.items.map(itemCodec.decode),
    quarantined: nullable(quarantineCodec).decode(stored.quarantined),
    search: searchTermsCodec.decode(stored.search),
  };
  if (state === "ORPHAN") return { ...shared, state, flow: null, scheme: null, amountTenThousandths: null, currency: null, queueKey: null };
  assert(flow !== null && scheme !== null && amountTenThousandths !== null, "only an orphan has no flow, scheme and amount");
  assert(currency !== null && queueKey !== null, "only an orphan has no currency and queue key");
  return { ...shared, state, flow, scheme, amountTenThousandths, currency, queueKey };
}
