// The lease of a partition under one owner epoch: taken by raising the epoch, valid until another owner raises it or
// this process gives the partition up.
//
// #1 It starts at the partition's own position, not at the group's offset: a store that was restored to an older point
//    is repaired by replay.
// #2 The applied markers are those of the partition's document, and those that this process has applied itself.
// #3 A partition under a rebuild lock is not taken. A rebuilt partition continues at the position of its new build,
//    whatever this process did before.
// #4 Before the first record is handled, one projected read of the partition has filled the background tasks.

import { partitionFor } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import type { RebuildLock, OpenRow } from "@sluice/store";
import type { PartitionContext } from "./context.ts";
import type { DayLedgers } from "./day-ledgers.ts";
import {
  type AppliedMarkers,
  createAppliedMarkers,
  emptyMarkerHistory,
  type MarkerHistory,
  readPartitionState,
} from "./applied-markers.ts";
import { createPartitionPosition, type PartitionPosition } from "./position.ts";
import { type PartitionTasks, startPartitionTasks } from "../tasks/partition-tasks.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";

export interface PartitionLease {
  readonly partition: number;
  readonly epoch: number;
  /** The position in the partition's document. */
  readonly startAt: bigint;
  /** The build of the transactions that is in use. */
  readonly build: number;
  readonly markers: AppliedMarkers;
  readonly position: PartitionPosition;
  readonly cache: SnapshotCache;
  readonly tasks: PartitionTasks;
}

const pageRowsMax = 5_000;

export interface TakeLeaseOptions {
  readonly context: PartitionContext;
  readonly partition: number;
  readonly ledgers: DayLedgers;
  /** Markers that this process has applied under an earlier epoch. */
  readonly history: MarkerHistory;
  /** The build in which it did so; null if it never owned the partition. */
  readonly build: number | null;
  /** Offset below which this process has handled everything, under an earlier epoch. */
  readonly handledBelow: bigint;
  /** Whether every record that the partition had when it was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly onLost: () => void;
}

/**
 * Takes the lease; rejects with the store's Faults. The tasks sleep until the worker wakes them: they ask whether the
 * partition has caught up, which only the worker knows.
 */
export async function takePartitionLease(options: TakeLeaseOptions): Promise<PartitionLease> {
  const { context, partition, ledgers, onLost } = options;
  const { service, store, time, logger, partitionCount } = context;
  const { epoch, position: startAt, state, build, rebuildLock } = await store.partitions.takeOver(service, partition);
  if (rebuildLock !== null) await refuseLocked(context, partition, rebuildLock);
  // Work in another build does not count: this build continues at its own position.
  const isRebuilt = options.build !== null && options.build !== build;
  const { history, handledBelow } = isRebuilt ? { history: emptyMarkerHistory, handledBelow: 0n } : options;
  await ledgers.reload(startAt, isRebuilt);
  const kept = readPartitionState(state);
  const markers = createAppliedMarkers(partition, {
    ofDays: [...kept.ofDays, ...history.ofDays],
    ofBanks: [...kept.ofBanks, ...history.ofBanks],
  });
  const days = (await store.days.open()).filter((day) => partitionFor(day.key, partitionCount) === partition);
  const tasks = startPartitionTasks({ context, partition, markers, ledgers, days, isCaughtUp: options.isCaughtUp });
  const open = await fill(context, partition, tasks);
  const position = createPartitionPosition({
    service,
    partition,
    epoch,
    position: startAt,
    store: store.partitions,
    state: () => markers.toState(),
    beforeWrite: () => ledgers.write(),
    onLost() {
      tasks.stop();
      logger.warn("partition.lost", { partition, epoch });
      onLost();
    },
    time,
    logger,
  });
  if (handledBelow > startAt) {
    position.markStateChanged();
    position.advance(handledBelow);
  }
  logger.info("partition.taken", {
    partition,
    epoch,
    position: startAt,
    markers: markers.history().ofDays.length,
    days: days.length,
    open,
  });
  return { partition, epoch, startAt, build, markers, position, cache: context.snapshots(), tasks };
}

/**
 * Milliseconds, longer than any rebuild lock: a lock that ends later was written by a clock that is ahead, and would
 * block the partition for that long.
 */
export const rebuildLockLeftMaxMs = 600_000;

/**
 * Removes a rebuild lock that has expired by the broker clock. Always rejects: the caller asks for the partition again.
 */
async function refuseLocked(
  { service, store, brokerClock, logger }: PartitionContext,
  partition: number,
  hold: RebuildLock,
): Promise<never> {
  const nowMs = brokerClock.nowMs();
  const isExpired = nowMs !== null && (hold.untilMs <= nowMs || hold.untilMs - nowMs > rebuildLockLeftMaxMs);
  if (isExpired) await store.partitions.unlock(service, partition, hold.id);
  if (isExpired) logger.warn("partition.rebuild-lock-expired", { partition, hold: hold.id });
  throw new Fault("scheduler.partition-locked", `partition ${partition} is locked by ${hold.id}`, { isRetryable: true });
}

async function fill({ store }: PartitionContext, partition: number, tasks: PartitionTasks): Promise<number> {
  let after: string | null = null;
  let count = 0;
  do {
    const rows: readonly OpenRow[] = await store.transactions.open(partition, after, pageRowsMax);
    for (const row of rows) tasks.fill(row);
    count += rows.length;
    after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return count;
}
