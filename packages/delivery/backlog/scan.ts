// Scan: brings parked messages of a partition from the store into its receivers' pages, at a take-over and when a page
// runs low.
//
// #1 A scan reads in order of (sequence, id). It starts at the cover of the receiver that has waited longest for a
//    scan, or at the end of what has been read for the partition as a whole, which takes turns like a receiver. So a
//    receiver with much to read keeps neither another from its backlog nor the partition from its end (I14). The scan
//    fills the pages of all receivers whose covers it reaches. Each page takes what fits; its cover then ends before
//    the first message that did not fit, or where the scan ended, or nowhere if the store had no more. No cover moves
//    back. Once a receiver takes no more, because its page is full or needs nothing, its messages are no longer read,
//    so that a million messages of a receiver that is down do not delay the others.
// #2 What is parked during the scan, beyond the cover, is remembered and added at its end. What finds no room to be
//    remembered limits the new cover.
// #3 A page whose cover moved during the scan gets nothing from it; the next scan starts from the new cover.
// #4 One scan of a partition runs at a time. Once a second there may be one for each receiver that needs it, at most
//    four.
// #5 A given-up message is known once it is read. A receiver of which not everything was read spills, so none of its
//    messages is tried as new.

import type { ParkedRow } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import { removeStopped } from "../attempt/remove-stopped.ts";
import {
  toBacklogEntry,
  areAttemptsOver,
  createScan,
  updateSpilling,
  getQueue,
  type ReceiverQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";

export interface ScanOptions {
  readonly messagesMax: number;
  readonly onRow?: (message: ParkedRow) => void;
}

/** Rejects as the store does; then nothing has changed. */
export async function scanBacklog(context: EngineContext, partition: DeliveryPartition, options: ScanOptions): Promise<void> {
  const startBelow = nextStart(partition);
  if (startBelow === null) return;
  partition.isScanning = true;
  partition.scanNumber += 1;
  const partitionBelow = partition.scannedBelow;
  for (const queue of partition.queues.values()) {
    if (wantsScan(queue) && isReached(queue.page.coveredBelow, startBelow)) queue.scan = createScan(queue.page.coveredBelow);
  }
  try {
    const endBelow = await read(context, partition, startBelow, options);
    if (partition.scannedBelow === partitionBelow && isReached(partitionBelow, startBelow) && isBeyond(endBelow, partitionBelow)) {
      partition.scannedBelow = endBelow;
      partition.scannedLast = partition.scanNumber;
    }
    for (const queue of partition.queues.values()) {
      applyScan(queue, endBelow, partition.scanNumber);
      updateSpilling(context, partition, queue);
    }
    if (partition.isTakenOver && partition.givenUp.hasStopped) removeStopped(context, partition);
  } finally {
    partition.isScanning = false;
    partition.nextScanMs = context.time.monotonicMs() + context.bounds.scanSpacingMs;
    for (const queue of partition.queues.values()) queue.scan = null;
  }
}

/** #1. Null where nothing has to be read. */
function nextStart(partition: DeliveryPartition): bigint | null {
  return wantedStarts(partition).toSorted((a, b) => a.scannedLast - b.scannedLast || Number(a.below - b.below))[0]?.below ?? null;
}

interface WantedStart {
  readonly below: bigint;
  readonly scannedLast: number;
}

function wantedStarts(partition: DeliveryPartition): readonly WantedStart[] {
  const wanting = [...partition.queues.values()].filter(wantsScan);
  const starts = [...wanting.map(({ page, scannedLast }) => ({ below: page.coveredBelow, scannedLast })), partitionStart(partition)];
  return starts.flatMap(({ below, scannedLast }) => (below === null ? [] : [{ below, scannedLast }]));
}

function partitionStart({ scannedBelow, scannedLast }: DeliveryPartition) {
  return { below: scannedBelow, scannedLast };
}

function isReached(below: bigint | null, startBelow: bigint): boolean {
  return below !== null && below >= startBelow;
}

/** Null stands for the end of the store. */
function isBeyond(endBelow: bigint | null, below: bigint | null): boolean {
  return endBelow === null || (below !== null && endBelow > below);
}

/** Schedules a scan if one is needed, at once or after the spacing, and calls `filled` after it. */
export function scheduleScan(context: EngineContext, partition: DeliveryPartition, filled: () => void): void {
  if (partition.isScanning || partition.scanTimer !== null || !partition.lease.isOpen || context.isStopping()) return;
  if (partition.scannedBelow === null && ![...partition.queues.values()].some(wantsScan)) return;
  const waitMs = Math.max(0, Math.ceil(partition.nextScanMs - context.time.monotonicMs()));
  partition.scanTimer = context.time.after(waitMs, () => {
    partition.scanTimer = null;
    if (partition.isScanning || !partition.lease.isOpen || context.isStopping()) return;
    const scanning = rescan(context, partition).then(() => {
      partition.running.delete(scanning);
      filled();
      return undefined;
    });
    partition.running.add(scanning);
  });
}

/** Scans that one schedule makes for receivers whose covers are far apart. */
const scansAtOnceMax = 4;

async function rescan(context: EngineContext, partition: DeliveryPartition): Promise<void> {
  const before = partition.scanNumber;
  try {
    for (let scans = 0; scans < scansAtOnceMax && wantedStarts(partition).some(({ scannedLast }) => scannedLast <= before); scans += 1) {
      await scanBacklog(context, partition, { messagesMax: context.bounds.takeOverMessagesMax });
    }
  } catch (error) {
    if (isPartitionClosed(error)) return;
    context.logger.warn("delivery.scan-failed", {
      partition: partition.number,
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

function wantsScan({ page }: ReceiverQueue): boolean {
  return page.coveredBelow !== null && page.size * 4 <= page.messagesMax;
}

/** #1. Resolves with the first sequence not read, or null at the end of the store. */
async function read(
  context: EngineContext,
  partition: DeliveryPartition,
  startBelow: bigint,
  { messagesMax, onRow }: ScanOptions,
): Promise<bigint | null> {
  const limit = context.bounds.scanMessagesMax;
  const fullReceivers = new Set<string>();
  let after = startBelow <= 0n ? null : { sequence: startBelow - 1n, id: afterAllIds };
  for (let count = 0; ;) {
    const from = after;
    const butOf = [...fullReceivers].slice(0, exceptReceiversMax);
    const messages = await partition.lease.whileOpen(
      context.parked.listByPartition(partition.number, from, limit, { exceptReceivers: butOf }),
    );
    for (const message of messages) {
      onRow?.(message);
      if (take(context, partition, message) === "full") fullReceivers.add(message.receiverId);
    }
    const last = messages.at(-1);
    if (last === undefined || messages.length < limit) return null;
    after = { sequence: last.sequence, id: last.id };
    count += messages.length;
    if (count >= messagesMax || isAllFull(partition, startBelow, last.sequence)) return last.sequence + 1n;
  }
}

/** Receivers that one read of the store can leave out. */
const exceptReceiversMax = 1_000;

/** Sorts after every id of its sequence. */
const afterAllIds = "~";

/** Tells whether the pages of all receivers that the scan has reached are full. */
function isAllFull(partition: DeliveryPartition, startBelow: bigint, last: bigint): boolean {
  if (isReached(partition.scannedBelow, startBelow) && isBeyond(last + 1n, partition.scannedBelow)) return false;
  const scans = [...partition.queues.values()].flatMap(({ scan }) => scan ?? []);
  return scans.every(({ fullAt, startBelow: below }) => fullAt !== null || (below !== null && below > last));
}

/** Takes a row into the scan of its receiver; "full" where that receiver takes no more. */
function take(context: EngineContext, partition: DeliveryPartition, message: ParkedRow): "full" | "done" {
  const { page, scan } = getQueue(context, partition, message.receiverId);
  if (scan === null || scan.fullAt !== null) return "full";
  // A refusal that may not be reported yet (end.ts #4) gets its turn in the page, where it is reported.
  if (message.ended === "refused" || message.ended === "stopped") noteGivenUp(partition, message);
  else if (page.covers(message.sequence) || (message.ended === null && areAttemptsOver(context, partition, message))) return "done";
  else if (page.size + scan.found.length < page.messagesMax) scan.found.push(toBacklogEntry(context, partition, message));
  else {
    scan.fullAt = message.sequence;
    return "full";
  }
  return "done";
}

/** #5. Records what another owner left behind; a stop of this owner is known already. */
function noteGivenUp({ givenUp, repeatsBelow }: DeliveryPartition, { id, receiverId, ended, nextAttemptAtMs }: ParkedRow): void {
  if (givenUp.has(id)) return;
  // The offset of its stop is unknown; it is below the end of the partition at the take-over.
  if (ended === "stopped") givenUp.addStopped({ id, receiverId, sequence: repeatsBelow - 1n, atMs: nextAttemptAtMs });
  else givenUp.add(id);
}

/** #1, #2, #3 */
function applyScan(queue: ReceiverQueue, endBelow: bigint | null, scanNumber: number): void {
  const { page, scan } = queue;
  if (scan === null || page.coveredBelow !== scan.startBelow || !isBeyond(endBelow, scan.startBelow)) return;
  queue.scannedLast = scanNumber;
  page.setCoveredBelow(minSequence([scan.fullAt ?? endBelow, scan.lowestDropped]));
  for (const entry of scan.found) page.offer(entry);
  for (const entry of scan.arrivals) page.offer(entry);
}

function minSequence(sequences: readonly (bigint | null)[]): bigint | null {
  return sequences.reduce((least, next) => (least === null || (next !== null && next < least) ? next : least), null);
}
