// Parked rows that landed late: a dead owner's after its successor's take-over (partition/take-overs.ts), or this
// process's own after it had removed the row (row-witnesses.ts #4).
//
// #1 Such a row counts as absent, and is removed where it is met. Its record is, or was, the successor's to handle, or
//    the message has ended.
// #2 The removal is a compare-and-set on the version that was read: where this owner has parked the message meanwhile,
//    the row is its own and stays.

import { formatReason } from "@sluice/kernel";
import type { ParkedMessage, ParkedRow } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliveryPartition } from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";

/** Returns the rows that count, and removes the others. */
export function withoutLateRows<Row extends ParkedRow>(
  context: EngineContext,
  partition: DeliveryPartition,
  rows: readonly Row[],
): readonly Row[] {
  const isRowLate = (row: Row): boolean => partition.takeOvers.isLate(row) || context.parkedCalls.isLate(row);
  if (!rows.some(isRowLate)) return rows;
  return rows.filter((row) => {
    const isLate = isRowLate(row);
    if (isLate) removeLate(context, partition, row);
    return !isLate;
  });
}

/** Loads a parked message. Resolves with undefined where the store does not have it, or has a late row of it (#1). */
export async function loadParked(
  context: EngineContext,
  partition: DeliveryPartition,
  of: Pick<ParkedMessage, "id" | "receiverId">,
): Promise<ParkedMessage | undefined> {
  const stored = await context.parkedCalls.load(partition.lease, of);
  return stored === undefined ? undefined : withoutLateRows(context, partition, [stored])[0];
}

/** #2. Where it fails, the next one who meets the row removes it. */
function removeLate(context: EngineContext, partition: DeliveryPartition, row: ParkedRow): void {
  const removing = context.parkedCalls
    .removeLate(partition, row)
    .catch((error: unknown) => {
      if (isPartitionClosed(error)) return;
      const reason = formatReason(error);
      context.logger.warn("delivery.late-row-not-removed", { id: row.id, partition: partition.number, reason });
    })
    .then(() => void partition.running.delete(removing));
  partition.running.add(removing);
}
