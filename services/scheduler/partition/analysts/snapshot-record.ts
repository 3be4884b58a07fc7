// The newest snapshot of a transaction, for tables downstream (`sluice.transactions.v1`, compacted). What batches
// touched is sent with the next position (`waiting-records.ts`), and a replay sends it again. The last one of a key is
// the newest (`tasks/snapshot-keeper.ts`).

import { outgoingRecord, type Records, topics } from "@sluice/contracts";
import type { Item } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import type { HandlerContext } from "../../handlers/handler.ts";

export type Snapshot = Records["TransactionSnapshot"];

export function toSnapshotRecord(
  value: Snapshot,
  { serde, partitionCount }: Pick<HandlerContext, "serde" | "partitionCount">,
): OutgoingRecord {
  return outgoingRecord(serde, topics.transactions, value.uetr, { name: "TransactionSnapshot", value }, { partitionCount });
}

export function buildSnapshot({ transaction, search }: TransactionDocument): Snapshot {
  const { uetr, version, flow, state, scheme, message, bank, businessDate, reconciliationDay, deadlineMs, currency, receivedAtMs } =
    transaction;
  const newest = transaction.transitions.at(-1);
  return {
    uetr,
    version: BigInt(version),
    flow,
    state,
    stageVersion: newest?.stageVersion ?? null,
    scheme,
    sender: message?.sender ?? null,
    bank,
    businessDate,
    reconciliationDay,
    deadlineMs,
    amount: transaction.amountTenThousandths,
    currency,
    receivedAtMs,
    updatedAtMs: newest?.atMs ?? receivedAtMs,
    messageIdentification: message?.messageIdentification ?? null,
    endToEndIdentification: search.endToEndIdentification,
    rows: transaction.items.filter(isOpen).map(({ row }) => row),
    journalOffset: transaction.applied,
  };
}

function isOpen({ settledAtMs, resolution }: Item): boolean {
  return settledAtMs === null && resolution?.isFinal !== true;
}
