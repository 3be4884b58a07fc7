// Scan: brings parked messages of a lane from the store into the pages of their banks, at take-over and when a page runs low.
//
// #1 A scan reads in order of (sequence, id), from the least cover of the banks that it fills. Each bank's page takes what fits;
//    its cover then ends before the first that did not, or where the scan ended, or nowhere if the store had no more.
// #2 What is parked while it runs, beyond the cover, is remembered and counted in at its end; what there was no room to
//    remember bounds the new cover.
// #3 A page whose cover moved meanwhile gets nothing from the scan: the next one starts from where it is.
// #4 One scan of a lane at a time, at most one a second.

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import { entryOf, isOver, newScan, noteSpilling, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import { isLaneClosed } from "./ownership.ts";

export interface ScanOptions {
  readonly messagesMax: number;
  readonly seen?: (message: ParkedMessage) => void;
}

/** Rejects as the store does; then nothing has changed. */
export async function scan(context: EngineContext, lane: DeliveryLane, options: ScanOptions): Promise<void> {
  lane.isScanning = true;
  const laneBelow = lane.scannedBelow;
  for (const queue of lane.banks.values()) if (wantsScan(queue)) queue.scan = newScan(queue.page.coveredBelow);
  try {
    const endBelow = await read(context, lane, options);
    if (lane.scannedBelow === laneBelow && laneBelow !== null) lane.scannedBelow = endBelow;
    for (const queue of lane.banks.values()) {
      applyScan(queue, endBelow);
      noteSpilling(context, lane, queue);
    }
  } finally {
    lane.isScanning = false;
    lane.nextScanMs = context.time.monotonicMs() + context.bounds.scanSpacingMs;
    for (const queue of lane.banks.values()) queue.scan = null;
  }
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

async function rescan(context: EngineContext, lane: DeliveryLane): Promise<void> {
  try {
    await scan(context, lane, { messagesMax: context.bounds.takeOverMessagesMax });
  } catch (error) {
    if (isLaneClosed(error)) return;
    context.log.warn("delivery.scan-failed", { partition: lane.partition, reason: error instanceof Error ? error.message : String(error) });
  }
}

function wantsScan({ page }: BankQueue): boolean {
  return page.coveredBelow !== null && page.size * 4 <= page.messagesMax;
}

/** #1: answers the first sequence not read, or null at the end of what is stored. */
async function read(context: EngineContext, lane: DeliveryLane, { messagesMax, seen }: ScanOptions): Promise<bigint | null> {
  const limit = context.bounds.scanMessagesMax;
  let after = startAfter(lane);
  for (let count = 0; ;) {
    const from = after;
    const messages = await lane.ownership.whileOpen(context.parked.ofLane(lane.partition, from, limit));
    for (const message of messages) {
      seen?.(message);
      take(context, lane, message);
    }
    const last = messages.at(-1);
    if (last === undefined || messages.length < limit) return null;
    after = { sequence: last.sequence, id: last.id };
    count += messages.length;
    const isAllFull = lane.scannedBelow === null && [...lane.banks.values()].every(({ scan }) => scan === null || scan.fullAt !== null);
    if (count >= messagesMax || isAllFull) return last.sequence + 1n;
  }
}

/** Sorts after every id of its sequence. */
const afterAllIds = "~";

function startAfter(lane: DeliveryLane): { sequence: bigint; id: string } | null {
  const least = leastOf([lane.scannedBelow, ...[...lane.banks.values()].map(({ scan }) => scan?.startBelow ?? null)]);
  return least === null || least <= 0n ? null : { sequence: least - 1n, id: afterAllIds };
}

function take(context: EngineContext, lane: DeliveryLane, message: ParkedMessage): void {
  // What may not have been said yet (end.ts #4) has a turn in the page, in which it is said.
  if (message.ended === "refused" || (message.ended === null && isOver(context, lane, message))) return;
  const { page, scan } = queueOf(context, lane, message.bank);
  if (scan === null || scan.fullAt !== null || page.covers(message.sequence)) return;
  if (page.size + scan.found.length >= page.messagesMax) scan.fullAt = message.sequence;
  else scan.found.push(entryOf(context, lane, message));
}

/** #1, #2, #3 */
function applyScan({ page, scan }: BankQueue, endBelow: bigint | null): void {
  if (scan === null || page.coveredBelow !== scan.startBelow) return;
  page.cover(leastOf([scan.fullAt ?? endBelow, scan.lowestLost]));
  for (const entry of scan.found) page.offer(entry);
  for (const entry of scan.late) page.offer(entry);
}

function leastOf(sequences: readonly (bigint | null)[]): bigint | null {
  return sequences.reduce((least, next) => (least === null || (next !== null && next < least) ? next : least), null);
}
