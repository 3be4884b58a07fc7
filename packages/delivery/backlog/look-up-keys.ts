// Asks the store for the next message of keys whose first one is gone (backlog-page.ts #2).
//
// #1 The keys of all receivers share calls in bulk (parked-calls.ts). Until the answer a key counts as parked.
// #2 A failure is logged, and the keys are asked for again after `scanSpacingMs`.

import { formatReason } from "@sluice/kernel";
import type { ParkedRow } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import { areAttemptsOver, toBacklogEntry, type DeliveryPartition, type ReceiverQueue } from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";
import { withoutLateRows } from "./late-rows.ts";

/** Looks up what the page asks for, and calls `found` after it. */
export function lookUpKeys(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue, found: () => void): void {
  if (!partition.lease.isOpen) return;
  for (const key of queue.page.takeKeysToLookUp()) {
    const looking = lookUp(context, partition, queue, key, found).then(() => {
      partition.running.delete(looking);
      found();
      return undefined;
    });
    partition.running.add(looking);
  }
}

/** Never rejects. */
async function lookUp(
  context: EngineContext,
  partition: DeliveryPartition,
  queue: ReceiverQueue,
  key: string,
  found: () => void,
): Promise<void> {
  try {
    const rows = await context.parkedCalls.listKey(partition.lease, { receiverId: queue.receiverId, deliveryKey: key });
    const tried = withoutLateRows(context, partition, rows).filter((row) => isTried(context, partition, row));
    const [first] = tried;
    queue.page.resolveKey(key, first === undefined ? null : toBacklogEntry(context, partition, first), tried.length > 1);
  } catch (error) {
    if (isPartitionClosed(error)) return;
    context.logger.warn("delivery.key-not-looked-up", {
      receiver: queue.receiverId,
      partition: partition.number,
      reason: formatReason(error),
    });
    // #2
    context.time.after(context.bounds.scanSpacingMs, () => {
      queue.page.lookUpAgain(key);
      lookUpKeys(context, partition, queue, found);
    });
  }
}

function isTried(context: EngineContext, partition: DeliveryPartition, row: ParkedRow): boolean {
  if (row.ended === "refusing") return true;
  return row.ended === null && !areAttemptsOver(context, partition, row);
}
