// The newest snapshot of a transaction, for tables downstream (`sluice.transactions.v1`, compacted). Each batch that
// touched a transaction sends its snapshot, and a replay sends it again. The last one of a key is the newest
// (`tasks/snapshot-keeper.ts`).

import { outgoingRecord, type Records, topics } from "@sluice/contracts";
import type { Item } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import type { HandlerContext } from "../handlers/handler.ts";

export function buildSnapshotRecord(
  document: TransactionDocument,
  { serde, partitionCount }: Pick<HandlerContext, "serde" | "partitionCount">,
): OutgoingRecord {
  const { uetr } = document.transaction;
  return outgoingRecord(
    serde,
    topics.transactions,
    uetr,
    { name: "TransactionSnapshot", value: buildSnapshot(document) },
    { partitionCount },
  );
}

function buildSnapshot({ transaction, search }: TransactionDocument): Records["TransactionSnapshot"] {
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
