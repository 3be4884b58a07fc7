// The reconciliation items of a transaction for analysts (`sluice.items.v1`). Each batch that touched a transaction
// with items sends them all, and a replay sends them again: of one item the record with the highest version counts.
// Nothing is compacted away, so a record that lands late hides no newer one.

import { outgoingRecord, topics } from "@sluice/contracts";
import type { Item, Transaction } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import type { HandlerContext } from "../../handlers/handler.ts";

/** Items of one transaction that are sent; it has one for a close, and one for its outcome report. */
const itemsMax = 16;

export function buildItemRecords(
  transaction: Transaction,
  { serde, partitionCount }: Pick<HandlerContext, "serde" | "partitionCount">,
): readonly OutgoingRecord[] {
  return transaction.items.slice(0, itemsMax).map((item, index) => {
    const value = { ...describeTransaction(transaction), ...describeItem(item), number: index + 1 };
    return outgoingRecord(serde, topics.items, transaction.uetr, { name: "ReconciliationItem", value }, { partitionCount });
  });
}

function describeTransaction({ uetr, version, flow, message, bank, currency, partition, applied, ...transaction }: Transaction) {
  const amount = transaction.amountTenThousandths;
  const sender = message?.sender ?? null;
  return { uetr, version: BigInt(version), flow, sender, bank, amount, currency, journalPartition: partition, journalOffset: applied };
}

function describeItem({ day, row, cause, state, madeAtMs, settledAtMs, resolution, lateAnswers }: Item) {
  const separator = day.lastIndexOf(":");
  return {
    scheme: day.slice(0, separator),
    businessDate: day.slice(separator + 1),
    state,
    row,
    reason: cause,
    madeAtMs,
    settledAtMs,
    resolution: resolution?.kind ?? null,
    resolvedAtMs: resolution?.isFinal === true ? (resolution.confirmed?.atMs ?? resolution.atMs) : null,
    lateAnswers: lateAnswers.length,
  };
}
