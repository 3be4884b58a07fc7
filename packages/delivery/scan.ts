// Scan: brings parked messages of a lane from the store into the pages of their banks, at take-over and when a page runs low.
//
// #1 A scan reads in order of (sequence, id), from the cover of the bank that has waited longest for one, or from where the lane as a whole is
//    read to, which has its turn as a bank has: one with much to read does not keep another from its backlog, nor the lane from its end (I14).
//    It fills all banks whose covers it reaches. Each bank's page takes what fits; its cover then ends before the first that did not, or where
//    the scan ended, or nowhere if the store had no more. No cover moves back. Of a bank that was met and takes no more, because its page is full or
//    needs nothing, nothing more is read: a million messages of one that is down do not lie between the lane and the others.
// #2 What is parked while it runs, beyond the cover, is remembered and counted in at its end; what there was no room to
//    remember bounds the new cover.
// #3 A page whose cover moved meanwhile gets nothing from the scan: the next one starts from where it is.
// #4 One scan of a lane at a time; each second one for each bank that wants it, four at most.
// #5 What was given up is known from when it is read; a bank of which not all was read spills, so nothing of it is tried anew.

import type { ParkedRow } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import { forgetStopped } from "./forget-stopped.ts";
import { entryOf, isOver, newScan, noteSpilling, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import { isLaneClosed } from "./ownership.ts";

export interface ScanOptions {
  readonly messagesMax: number;
  readonly seen?: (message: ParkedRow) => void;
}

/** Rejects as the store does; then nothing has changed. */
export async function scan(context: EngineContext, lane: DeliveryLane, options: ScanOptions): Promise<void> {
  const startBelow = nextStart(lane);
  if (startBelow === null) return;
  lane.isScanning = true;
  lane.scanNumber += 1;
  const laneBelow = lane.scannedBelow;
  for (const queue of lane.banks.values()) {
    if (wantsScan(queue) && isReached(queue.page.coveredBelow, startBelow)) queue.scan = newScan(queue.page.coveredBelow);
  }
  try {
    const endBelow = await read(context, lane, startBelow, options);
    if (lane.scannedBelow === laneBelow && isReached(laneBelow, startBelow) && isBeyond(endBelow, laneBelow)) {
      lane.scannedBelow = endBelow;
      lane.scannedLast = lane.scanNumber;
    }
    for (const queue of lane.banks.values()) {
      applyScan(queue, endBelow, lane.scanNumber);
      noteSpilling(context, lane, queue);
    }
    if (lane.isTaken && lane.givenUp.keepsStopped) forgetStopped(context, lane);
  } finally {
    lane.isScanning = false;
    lane.nextScanMs = context.time.monotonicMs() + context.bounds.scanSpacingMs;
    for (const queue of lane.banks.values()) queue.scan = null;
  }
}

/** #1. Null: nothing is to be read. */
function nextStart(lane: DeliveryLane): bigint | null {
  return wantedStarts(lane).toSorted((a, b) => a.scannedLast - b.scannedLast || Number(a.below - b.below))[0]?.below ?? null;
}

interface WantedStart {
  readonly below: bigint;
  readonly scannedLast: number;
}

function wantedStarts(lane: DeliveryLane): readonly WantedStart[] {
  const wanting = [...lane.banks.values()].filter(wantsScan);
  const starts = [...wanting.map(({ page, scannedLast }) => ({ below: page.coveredBelow, scannedLast })), laneStart(lane)];
  return starts.flatMap(({ below, scannedLast }) => (below === null ? [] : [{ below, scannedLast }]));
}

function laneStart({ scannedBelow, scannedLast }: DeliveryLane) {
  return { below: scannedBelow, scannedLast };
}

function isReached(below: bigint | null, startBelow: bigint): boolean {
  return below !== null && below >= startBelow;
}

/** Null is the end of what is stored. */
function isBeyond(endBelow: bigint | null, below: bigint | null): boolean {
  return endBelow === null || (below !== null && endBelow > below);
}

/** Makes a scan if one is needed, now or when its time has come; `filled` is called after it. */
export function scanSoon(context: EngineContext, lane: DeliveryLane, filled: () => void): void {
  if (lane.isScanning || lane.scanTimer !== null || !lane.ownership.isOpen || context.isStopping()) return;
  if (lane.scannedBelow === null && ![...lane.banks.values()].some(wantsScan)) return;
  const waitMs = Math.max(0, Math.ceil(lane.nextScanMs - context.time.monotonicMs()));
  lane.scanTimer = context.time.after(waitMs, () => {
    lane.scanTimer = null;
    if (lane.isScanning || !lane.ownership.isOpen || context.isStopping()) return;
    const scanning = rescan(context, lane).then(() => {
      lane.running.delete(scanning);
      filled();
      return undefined;
    });
    lane.running.add(scanning);
  });
}

/** For banks that are far apart. */
const scansAtOnceMax = 4;

async function rescan(context: EngineContext, lane: DeliveryLane): Promise<void> {
  const before = lane.scanNumber;
  try {
    for (let scans = 0; scans < scansAtOnceMax && wantedStarts(lane).some(({ scannedLast }) => scannedLast <= before); scans += 1) {
      await scan(context, lane, { messagesMax: context.bounds.takeOverMessagesMax });
    }
  } catch (error) {
    if (isLaneClosed(error)) return;
    context.log.warn("delivery.scan-failed", { partition: lane.partition, reason: error instanceof Error ? error.message : String(error) });
  }
}

function wantsScan({ page }: BankQueue): boolean {
  return page.coveredBelow !== null && page.size * 4 <= page.messagesMax;
}

/** #1: answers the first sequence not read, or null at the end of what is stored. */
async function read(
  context: EngineContext,
  lane: DeliveryLane,
  startBelow: bigint,
  { messagesMax, seen }: ScanOptions,
): Promise<bigint | null> {
  const limit = context.bounds.scanMessagesMax;
  const sated = new Set<string>();
  let after = startBelow <= 0n ? null : { sequence: startBelow - 1n, id: afterAllIds };
  for (let count = 0; ;) {
    const from = after;
    const butOf = [...sated].slice(0, banksLeftOutMax);
    const messages = await lane.ownership.whileOpen(context.parked.ofLane(lane.partition, from, limit, { butOf }));
    for (const message of messages) {
      seen?.(message);
      if (take(context, lane, message) === "sated") sated.add(message.bank);
    }
    const last = messages.at(-1);
    if (last === undefined || messages.length < limit) return null;
    after = { sequence: last.sequence, id: last.id };
    count += messages.length;
    if (count >= messagesMax || isAllFull(lane, startBelow, last.sequence)) return last.sequence + 1n;
  }
}

/** As many as one read can be told of. */
const banksLeftOutMax = 1_000;

/** Sorts after every id of its sequence. */
const afterAllIds = "~";

/** Of all that it has reached. */
function isAllFull(lane: DeliveryLane, startBelow: bigint, last: bigint): boolean {
  if (isReached(lane.scannedBelow, startBelow) && isBeyond(last + 1n, lane.scannedBelow)) return false;
  const scans = [...lane.banks.values()].flatMap(({ scan }) => scan ?? []);
  return scans.every(({ fullAt, startBelow: below }) => fullAt !== null || (below !== null && below > last));
}

/** Sated: its bank takes no more of this scan. */
function take(context: EngineContext, lane: DeliveryLane, message: ParkedRow): "sated" | "done" {
  const { page, scan } = queueOf(context, lane, message.bank);
  if (scan === null || scan.fullAt !== null) return "sated";
  // What may not have been said yet (end.ts #4) has a turn in the page, in which it is said.
  if (message.ended === "refused" || message.ended === "stopped") noteGivenUp(lane, message);
  else if (page.covers(message.sequence) || (message.ended === null && isOver(context, lane, message))) return "done";
  else if (page.size + scan.found.length < page.messagesMax) scan.found.push(entryOf(context, lane, message));
  else {
    scan.fullAt = message.sequence;
    return "sated";
  }
  return "done";
}

/** #5. As another owner left it; what was stopped since is known already. */
function noteGivenUp({ givenUp, repeatsBelow }: DeliveryLane, { id, bank, ended, nextAttemptAtMs }: ParkedRow): void {
  if (givenUp.has(id)) return;
  // Its stop may lie anywhere below.
  if (ended === "stopped") givenUp.stopped({ id, bank, sequence: repeatsBelow - 1n, atMs: nextAttemptAtMs });
  else givenUp.add(id);
}

/** #1, #2, #3 */
function applyScan(queue: BankQueue, endBelow: bigint | null, scanNumber: number): void {
  const { page, scan } = queue;
  if (scan === null || page.coveredBelow !== scan.startBelow || !isBeyond(endBelow, scan.startBelow)) return;
  queue.scannedLast = scanNumber;
  page.cover(leastOf([scan.fullAt ?? endBelow, scan.lowestLost]));
  for (const entry of scan.found) page.offer(entry);
  for (const entry of scan.late) page.offer(entry);
}

function leastOf(sequences: readonly (bigint | null)[]): bigint | null {
  return sequences.reduce((least, next) => (least === null || (next !== null && next < least) ? next : least), null);
}
