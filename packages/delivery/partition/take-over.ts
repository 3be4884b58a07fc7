// Take-over: what a partition starts from when this process becomes its owner.
//
// #1 The owner epoch in the store is raised first: from then on a write of an earlier owner fails.
// #2 Before the first record is handled, all parked keys of the partition are known, or the receivers they may belong
//    to spill.
// #3 The partition starts at its own position and not at the group's offset, so that a restored store repairs itself by
//    a replay.
// #4 An earlier owner may have tried what is in the partition already.

import type { PartitionEnds } from "@sluice/messaging";
import type { PartitionDocument } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliveryPartition } from "./delivery-partition.ts";
import { scanBacklog } from "../backlog/scan.ts";

/** Resolves with the offset to read from. Rejects as the store does; a later call tries again. */
export async function takeOver(context: EngineContext, partition: DeliveryPartition, log: PartitionEnds): Promise<bigint> {
  const { lease, number } = partition;
  const document = await lease.whileOpen(context.partitionStore.takeOver(context.rules.service, number));
  const position = startPosition(document, log);
  partition.ownerEpoch = document.epoch;
  partition.days.restore(document.state);
  partition.pauses.restore(document.state);
  for (const receiverId of partition.pauses.pausedReceivers())
    context.metrics.paused.set(1, { receiver: receiverId, partition: String(number) });
  partition.position = position;
  partition.repeatsBelow = log.logEnd;
  const { takeOverMessagesMax, pageMessagesMax, bufferedRecordsMax } = context.bounds;
  const parkedAheadMax = Math.max(pageMessagesMax, bufferedRecordsMax);
  await scanBacklog(context, partition, {
    messagesMax: takeOverMessagesMax,
    onRow: ({ id, sequence }) => {
      if (sequence >= position && partition.parkedAhead.size < parkedAheadMax) partition.parkedAhead.add(id);
    },
  });
  partition.isTakenOver = true;
  const parked = [...partition.queues.values()].reduce((sum, { page }) => sum + page.size, 0);
  context.logger.info("partition.taken", { partition: number, epoch: partition.epoch, ownerEpoch: document.epoch, position, parked });
  return position;
}

/**
 * A partition that was never written starts at its first offset; any other position must lie inside it, or the consumer
 * ends.
 */
function startPosition({ position }: PartitionDocument, { logStart }: PartitionEnds): bigint {
  return position === 0n ? logStart : position;
}
