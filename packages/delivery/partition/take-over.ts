// Take-over: what a partition starts from when this process becomes its owner.
//
// #1 Before the first record is handled, all parked keys of the partition are known, or the receivers they may belong
//    to spill.
// #2 The partition starts at its own position and not at the group's offset, so that a restored store repairs itself by
//    a replay.
// #3 An earlier owner may have tried what is in the partition already.
// #4 What is parked from the position on becomes this owner's before it is read, so that an insert of an earlier owner
//    that lands later is known (take-overs.ts).

import type { PartitionEnds } from "@sluice/messaging";
import type { PartitionDocument } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliveryPartition } from "./delivery-partition.ts";
import { rowVersion } from "../backlog/row-version.ts";
import { passBacklog } from "../backlog/scan.ts";

/** Rejects as the store does. */
export async function takeOver(
  context: EngineContext,
  partition: DeliveryPartition,
  document: PartitionDocument,
  log: PartitionEnds,
): Promise<void> {
  const { number } = partition;
  const position = startPosition(document, log);
  if (position !== document.position) context.logger.error("partition.begins-late", { partition: number, position });
  partition.ownerEpoch = document.epoch;
  partition.days.restore(document.state);
  partition.pauses.restore(document.state);
  for (const receiverId of partition.pauses.pausedReceivers())
    context.metrics.paused.set(1, { receiver: receiverId, partition: String(number) });
  partition.position = position;
  partition.repeatsBelow = log.logEnd;
  // #4
  await partition.lease.whileOpen(context.parked.raiseVersions(number, position, rowVersion(document.epoch, 0)));
  partition.takeOvers.restore(document.state);
  partition.takeOvers.add(document.epoch, position);
  await passBacklog(context, partition, context.bounds.takeOverMessagesMax, ({ id, sequence }) => {
    if (sequence >= position && partition.parkedAhead.size < context.bounds.bufferedRecordsMax) partition.parkedAhead.add(id);
  });
  partition.isTakenOver = true;
  const parked = [...partition.queues.values()].reduce((sum, { page }) => sum + page.size, 0);
  context.logger.info("partition.taken", { partition: number, epoch: partition.epoch, ownerEpoch: document.epoch, position, parked });
}

/**
 * A partition that was never written starts at its first offset, and says so where retention has taken what was before;
 * any other position must lie inside it, or the consumer ends.
 */
function startPosition({ position }: PartitionDocument, { logStart }: PartitionEnds): bigint {
  return position === 0n ? logStart : position;
}
