// Take-over: what a partition starts from when this process becomes its owner.
//
// #1 Before the first record is handled, all parked keys of the partition are known, or the receivers they may belong
//    to spill.
// #2 The partition starts at its own position and not at the group's offset, so that a restored store repairs itself by
//    a replay.
// #3 An earlier owner may have tried what is in the partition already.
// #4 What is parked from the position on becomes this owner's before it is read, so that an insert of an earlier owner
//    that lands later is known (take-overs.ts).
// #5 Only an owner that lived through a restore of the store has written under an epoch that this owner's does not
//    exceed. It parked what is read again from the position on, in another order: that is removed. A message below the
//    position is kept, as a row of this owner. Then the take-over begins again.

import type { PartitionEnds } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { ParkedRow, PartitionDocument } from "@sluice/store";
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
  partition.ownerEpoch = document.epoch;
  partition.days.restore(document.state);
  partition.pauses.restore(document.state);
  for (const receiverId of partition.pauses.pausedReceivers())
    context.metrics.paused.set(1, { receiver: receiverId, partition: String(number) });
  partition.position = position;
  partition.repeatsBelow = log.logEnd;
  // #4
  const version = rowVersion(document.epoch, 0);
  await partition.lease.whileOpen(context.parked.raiseVersions(number, position, version));
  partition.takeOvers.restore(document.state);
  partition.takeOvers.add(document.epoch, position);
  const later: ParkedRow[] = [];
  await passBacklog(context, partition, context.bounds.takeOverMessagesMax, (row) => {
    const { id, sequence } = row;
    // #5: what was raised has this version, and what this epoch's first owner wrote has a higher one.
    if (row.version > version && later.length < context.bounds.scanMessagesMax) later.push(row);
    if (sequence >= position && partition.parkedAhead.size < context.bounds.bufferedRecordsMax) partition.parkedAhead.add(id);
  });
  if (later.length > 0) await adoptLaterRows(context, partition, later);
  partition.isTakenOver = true;
  const parked = [...partition.queues.values()].reduce((sum, { page }) => sum + page.size, 0);
  context.logger.info("partition.taken", { partition: number, epoch: partition.epoch, ownerEpoch: document.epoch, position, parked });
}

/** #5. Always rejects: the partition is taken over again. */
async function adoptLaterRows(context: EngineContext, partition: DeliveryPartition, rows: readonly ParkedRow[]): Promise<never> {
  const { number, position } = partition;
  const repeated = rows.filter(({ sequence }) => sequence >= position);
  await context.parked.remove(repeated);
  for (const row of rows) if (row.sequence < position) await context.parkedCalls.adopt(partition, row);
  context.logger.warn("delivery.later-rows", { partition: number, removed: repeated.length, kept: rows.length - repeated.length });
  throw new Fault("delivery.later-rows", `partition ${number}: the store has rows of a later owner`, { isRetryable: true });
}

/**
 * A partition that was never written starts at its first offset; any other position must lie inside it, or the consumer
 * ends.
 */
function startPosition({ position }: PartitionDocument, { logStart }: PartitionEnds): bigint {
  return position === 0n ? logStart : position;
}
