// Take-over: what a worker starts from when this process becomes the owner of its partition.
//
// #1 It starts at the partition's own position, not at the group's offset: a store that was restored to an older point
//    is repaired by replay.
// #2 The applied markers are those of the partition's document, and those that this process has applied itself.
// #3 If the store was restored to an older point while this process lived, nothing counts that this process knows: it
//    continues as a new process would.
// #4 A partition under a rebuild lock is not taken. A rebuilt partition continues at the position of its new build,
//    whatever this process did before.
// #5 Before the first record is handled, one projected read of the partition has filled the background tasks.
// #6 The position counts in one topic of one cluster. A partition is not taken while the journal is another one.
// #7 What the document knows from behind its position counts as not known where the position was moved back.
// #8 The document notes the dead letters that were read, so that a take-over reads only what has come since.
// #9 All that is read under the new epoch is asked for at once, because debits wait for the slowest of it. The first
//    page of open transactions is small, so that the partitions of a process need not take turns.

import { partitionFor, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { type DoneSkips, type PartitionEnds, type PartitionLease, requireSameLog, type SkipsMemory } from "@sluice/messaging";
import { openDaysMax, type OpenRow, type PartitionDocument, type RebuildLock, type UnprovenPosition, type UnreadRow } from "@sluice/store";
import type { WaitingRecords } from "./analysts/waiting-records.ts";
import type { PartitionContext } from "./context.ts";
import type { DayLedgers } from "./day-ledgers.ts";
import { type AppliedMarkers, createAppliedMarkers, emptyMarkerHistory, keepBelow, readPartitionState } from "./applied-markers.ts";
import { createPartitionPosition, type PartitionPosition } from "./stored/position.ts";
import { type PartitionTasks, startPartitionTasks } from "../tasks/partition-tasks.ts";
import { quarantinedCountMax } from "../tasks/quarantine-count.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";
import type { StoreWitness } from "./stored/store-witness.ts";

/** A partition while this process owns it under one epoch. */
export interface OwnedPartition {
  readonly partition: number;
  readonly epoch: number;
  /** The position in the partition's document. */
  readonly startAt: bigint;
  /** The build of the transactions that is in use. */
  readonly build: number;
  readonly markers: AppliedMarkers;
  readonly position: PartitionPosition;
  readonly cache: SnapshotCache;
  readonly witness: StoreWitness;
  readonly tasks: PartitionTasks;
  /** What operators skipped. */
  readonly skips: DoneSkips;
  /** Both ends of the journal; null if this process owned the partition before and the broker did not say them. */
  readonly journal: PartitionEnds | null;
}

export interface PartitionTakeOver {
  readonly context: PartitionContext;
  readonly document: PartitionDocument;
  readonly lease: Pick<PartitionLease<PartitionDocument, OwnedPartition, UnprovenPosition>, "write" | "loseStore">;
  /** Whether the store was restored to an older point since this process owned the partition. */
  readonly hasGoneBack: boolean;
  /** What this lease has written last. */
  readonly witness: StoreWitness;
  readonly ledgers: DayLedgers;
  /** What is sent before the position. */
  readonly analysts: Pick<WaitingRecords, "send">;
  /** What is kept of this process's last epoch; null if it never owned the partition. */
  readonly before: Pick<OwnedPartition, "build" | "markers"> | null;
  /** Offset below which this process has handled everything, under an earlier epoch. */
  readonly handledBelow: bigint;
  /** Whether every record that the partition had at the take-over has been handled. */
  readonly isCaughtUp: () => boolean;
}

/**
 * Reads what the owner starts from; rejects with the store's Faults. The tasks sleep until the worker wakes them: they
 * ask whether the partition has caught up, which only the worker knows.
 */
export async function takeOverPartition(options: PartitionTakeOver): Promise<OwnedPartition> {
  const { context, document, ledgers, analysts, before, witness } = options;
  const { store, time, logger, partitionCount } = context;
  const { partition, epoch, position: startAt, state, build, rebuildLock } = document;
  const sinceMs = time.monotonicMs();
  if (rebuildLock !== null) await refuseLocked(context, partition, rebuildLock);
  // Work in another build does not count: this build continues at its own position.
  const isRebuilt = before !== null && before.build !== build;
  const isFresh = isRebuilt || options.hasGoneBack;
  if (options.hasGoneBack && !isRebuilt) logger.error("partition.store-gone-back", { partition, epoch, position: startAt });
  const history = before === null || isFresh ? emptyMarkerHistory : before.markers.history();
  const firstRowsMax = Math.min(firstPageRowsMax, context.pages.rowsMax);
  // #9
  const read = await readTogether({
    openDays: store.days.open(),
    firstRows: store.transactions.open(partition, null, firstRowsMax),
    quarantined: store.transactions.quarantined(partition, quarantinedCountMax),
    skips: context.operatorSkips.listDone(topics.journal, partition, readLettersNote(state)),
    journalEnds: before === null ? null : context.journalEnds(partition),
    ledgers: ledgers.reload(startAt, isFresh),
    journalIdentity: checkJournal(context, document),
  });
  const { openDays, firstRows, quarantined, skips, journalEnds: journal } = read.found;
  const kept = keepBelow(startAt, readPartitionState(state));
  const markers = createAppliedMarkers(partition, {
    ofDays: [...kept.ofDays, ...history.ofDays],
    ofBanks: [...kept.ofBanks, ...history.ofBanks],
  });
  if (openDays.length >= openDaysMax) logger.error("days.bound-reached", { partition, days: openDays.length });
  const days = openDays.filter((day) => partitionFor(day.key, partitionCount) === partition);
  const tasks = startPartitionTasks({ context, partition, markers, ledgers, days, isCaughtUp: options.isCaughtUp });
  const open = await fill(context, partition, tasks, firstRows, firstRowsMax);
  tasks.fillQuarantined(quarantined);
  const position = createPartitionPosition({
    partition,
    epoch,
    position: startAt,
    writeUnderLease: (offset, written) => writePosition(options, offset, written),
    state: () => ({ ...markers.toState(), letters: context.operatorSkips.note(partition) }),
    beforeWrite: async () => void (await Promise.all([ledgers.write(), analysts.send()])),
    timer: context.positionTimer,
    time,
    logger,
  });
  if (context.operatorSkips.note(partition)?.nextOffset !== readLettersNote(state)?.nextOffset) position.markStateChanged();
  if (!isFresh && options.handledBelow > startAt) {
    position.markStateChanged();
    position.advance(options.handledBelow);
  }
  logger.info("partition.taken", {
    partition,
    epoch,
    position: startAt,
    markers: markers.history().ofDays.length,
    days: days.length,
    open,
    slowest: read.slowest,
    tookMs: Math.round(time.monotonicMs() - sinceMs),
  });
  return { partition, epoch, startAt, build, markers, position, cache: context.snapshots(), witness, tasks, skips, journal };
}

/** Waits for all reads, also where one rejects: none of them goes on beside the next take-over. Names the last one. */
async function readTogether<Found extends Readonly<Record<string, unknown>>>(reads: {
  readonly [Name in keyof Found]: Promise<Found[Name]> | Found[Name];
}): Promise<{ readonly found: Found; readonly slowest: string | null }> {
  let slowest: string | null = null;
  const named = Object.entries(reads).map(async ([name, read]) => {
    const answer: unknown = await read;
    slowest = name;
    return [name, answer] as const;
  });
  await Promise.allSettled(named);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answers by the names of the reads
  return { found: Object.fromEntries(await Promise.all(named)) as Found, slowest };
}

/** The position carries its witnesses; where these are many, they are looked for first. */
async function writePosition({ document, lease, witness }: PartitionTakeOver, position: bigint, state: unknown): Promise<boolean> {
  if (witness.isFull() && (await witness.isMissing())) return (lease.loseStore(document.epoch), false);
  const carried = witness.unproven();
  const isWritten = await lease.write(document.epoch, position, state, carried);
  if (isWritten) witness.wrotePosition(position, carried);
  return isWritten;
}

/** #8: null for a document that notes none. This service wrote the state itself. */
function readLettersNote(state: unknown): SkipsMemory | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this service wrote it
  return ((state ?? {}) as { readonly letters?: SkipsMemory | null }).letters ?? null;
}

/**
 * Milliseconds, longer than any rebuild lock: a lock that ends later was written by a clock that is ahead, and would
 * block the partition for that long.
 */
export const rebuildLockLeftMaxMs = 600_000;
/** #9: open transactions of a usual partition at a usual moment; what is beyond comes in larger pages. */
export const firstPageRowsMax = 100;

/** #6 */
async function checkJournal(
  { service, store, journalIdentity }: PartitionContext,
  { partition, epoch, log }: PartitionDocument,
): Promise<void> {
  const found = await journalIdentity();
  requireSameLog(log, found, topics.journal);
  if (log === null) await store.partitions.noteLog(service, partition, epoch, found);
}

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

/** Fills the tasks from the first page, and from all others if there are more. */
async function fill(
  { store, pages: { rowsMax } }: PartitionContext,
  partition: number,
  tasks: PartitionTasks,
  firstRows: readonly (OpenRow | UnreadRow)[],
  firstRowsMax: number,
): Promise<number> {
  let [rows, limit, count] = [firstRows, firstRowsMax, 0];
  for (;;) {
    for (const row of rows) tasks.fill(row);
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return count;
    limit = rowsMax;
    rows = await store.transactions.open(partition, last.uetr, limit);
  }
}
