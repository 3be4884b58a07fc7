// Reads parked messages of a partition from the store into its receivers' pages.
//
// #1 The pass reads all receivers in order of (sequence, id), from the take-over on, until it has come to the end. It
//    fills every section that it is in step with; a section without room falls out of step, and its cover stays there.
//    A receiver whose sections have all fallen out is no longer read, so that a million messages of one that is down do
//    not delay the others.
// #2 A refill reads one section on from its cover. A section is refilled as soon as few untried messages of it are in
//    memory, or none that a probe could try. Sections take turns, and each read is short (I14).
// #3 What is parked during a read beyond a cover is remembered, and offered after it. What finds no room to be
//    remembered limits the new covers. Otherwise no cover moves back.
// #4 One read of a partition runs at a time. The next follows at once; after a failure, or for a section that found no
//    room, `scanSpacingMs` later.
// #5 A given-up message is known once it is read. A receiver of which not everything was read spills, so none of its
//    messages is tried as new.

import { formatReason } from "@sluice/kernel";
import type { ParkedRow } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import { removeStopped } from "../attempt/remove-stopped.ts";
import { withoutLateRows } from "./late-rows.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import {
  toBacklogEntry,
  areAttemptsOver,
  updateSpilling,
  getQueue,
  type ReceiverQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";

/** #1. Reads on with the pass, at most `messagesMax` rows. Rejects as the store does; what was read so far stays. */
export async function passBacklog(
  context: EngineContext,
  partition: DeliveryPartition,
  messagesMax: number,
  onRow: (row: ParkedRow) => void = () => {},
): Promise<void> {
  const { scan } = partition;
  const limit = context.bounds.scanMessagesMax;
  for (let count = 0; scan.passedBelow !== null && count < messagesMax;) {
    const startBelow = scan.passedBelow;
    const rows = await readRows(context, partition, startBelow, limit, { exceptReceivers: fallenOut(partition, startBelow) });
    // A close that was extended may have sent the pass back meanwhile.
    if (scan.passedBelow !== startBelow) return;
    // The covers are opened up to the end of what was read; a message without room closes that of its section again.
    scan.passedBelow = nextCover(rows, limit);
    for (const { page } of partition.queues.values()) {
      for (const endpoint of page.endpoints) {
        if (page.coveredBelow(endpoint) === startBelow) moveCover(partition, page, endpoint, scan.passedBelow);
      }
    }
    for (const row of withoutLateRows(context, partition, rows)) {
      onRow(row);
      take(context, partition, getQueue(context, partition, row.receiverId), row);
    }
    offerArrivals(context, partition);
    count += rows.length;
  }
  for (const queue of partition.queues.values()) updateSpilling(context, partition, queue);
  if (partition.isTakenOver && partition.givenUp.hasStopped) removeStopped(context, partition);
}

/** Schedules the next read if one is needed, and calls `filled` after it. */
export function scheduleScan(context: EngineContext, partition: DeliveryPartition, filled: () => void): void {
  const { scan } = partition;
  if (scan.isReading || scan.timer !== null || !partition.lease.isOpen || context.isStopping()) return;
  const nowMs = context.time.monotonicMs();
  const fromMs = nextReadMs(partition);
  if (fromMs === null) return;
  scan.timer = context.time.after(Math.max(0, Math.ceil(fromMs - nowMs)), () => {
    scan.timer = null;
    if (scan.isReading || !partition.lease.isOpen || context.isStopping()) return;
    const reading = readMore(context, partition).then(() => {
      partition.running.delete(reading);
      filled();
      return undefined;
    });
    partition.running.add(reading);
  });
}

/** When the next read may begin, in milliseconds of the monotonic clock; null where none is needed. */
function nextReadMs(partition: DeliveryPartition): number | null {
  const { scan } = partition;
  if (scan.passedBelow !== null) return scan.nextMs;
  let fromMs: number | null = null;
  for (const queue of partition.uncovered) {
    if (queue.page.isComplete) {
      partition.uncovered.delete(queue);
      continue;
    }
    for (const endpoint of queue.page.endpoints) {
      if (wantsRefill(queue, endpoint)) fromMs = Math.min(fromMs ?? Number.POSITIVE_INFINITY, queue.refillFromMs.get(endpoint) ?? 0);
    }
  }
  return fromMs === null ? null : Math.max(fromMs, scan.nextMs);
}

/** Never rejects. #4 */
async function readMore(context: EngineContext, partition: DeliveryPartition): Promise<void> {
  const { scan } = partition;
  try {
    if (scan.passedBelow !== null) await passBacklog(context, partition, context.bounds.scanMessagesMax);
    const wanting = nextRefill(context, partition);
    if (wanting !== null) await refill(context, partition, wanting);
  } catch (error) {
    scan.nextMs = context.time.monotonicMs() + context.bounds.scanSpacingMs;
    if (isPartitionClosed(error)) return;
    context.logger.warn("delivery.scan-failed", {
      partition: partition.number,
      reason: formatReason(error),
    });
  }
}

interface Refill {
  readonly queue: ReceiverQueue;
  readonly endpoint: Endpoint;
}

/** #2. The section that was refilled longest ago, of those that want it and may be read now. */
function nextRefill(context: EngineContext, partition: DeliveryPartition): Refill | null {
  const nowMs = context.time.monotonicMs();
  let next: (Refill & { readonly number: number }) | null = null;
  for (const queue of partition.uncovered) {
    for (const endpoint of queue.page.endpoints) {
      if (!wantsRefill(queue, endpoint) || (queue.refillFromMs.get(endpoint) ?? 0) > nowMs) continue;
      const number = queue.refilled.get(endpoint) ?? 0;
      if (next === null || number < next.number) next = { queue, endpoint, number };
    }
  }
  return next;
}

/** #2 */
function wantsRefill({ page }: ReceiverQueue, endpoint: Endpoint): boolean {
  if (page.coveredBelow(endpoint) === null) return false;
  const untried = page.untried(endpoint);
  // A suspended endpoint takes nothing but a probe now and then.
  if (endpoint.isBreakerOpen) return untried === 0;
  return untried * 4 <= page.untriedShare;
}

/** Rows that one refill reads before another section gets its turn, in reads of the store. */
const readsPerRefill = 4;

async function refill(context: EngineContext, partition: DeliveryPartition, { queue, endpoint }: Refill): Promise<void> {
  const { page } = queue;
  partition.refills += 1;
  queue.refilled.set(endpoint, partition.refills);
  const operations = context.endpoints.operationsOf(endpoint);
  for (let reads = 0; reads < readsPerRefill; reads += 1) {
    const startBelow = page.coveredBelow(endpoint);
    if (startBelow === null || !wantsRefill(queue, endpoint)) break;
    const limit = refillLimit(context, queue, endpoint);
    const rows = await readRows(context, partition, startBelow, limit, { only: { receiverId: queue.receiverId, operations } });
    if (!page.knows(endpoint) || page.coveredBelow(endpoint) !== startBelow) break;
    // The cover is opened up to the end of what was read; a message without room closes it again.
    moveCover(partition, page, endpoint, nextCover(rows, limit));
    for (const row of withoutLateRows(context, partition, rows)) if (!take(context, partition, queue, row)) break;
    offerArrivals(context, partition);
    if (page.coveredBelow(endpoint) === startBelow) {
      context.metrics.backlogFull.add({});
      context.logger.warn("delivery.backlog-full", { ...endpoint.labels, partition: partition.number, messages: page.size });
      queue.refillFromMs.set(endpoint, context.time.monotonicMs() + context.bounds.scanSpacingMs);
      break;
    }
  }
  updateSpilling(context, partition, queue);
  if (partition.givenUp.hasStopped) removeStopped(context, partition);
}

/** Rows that a refill reads at least, because followers and failed messages take none of the room for the untried. */
const refillRowsMin = 64;

/** Rows beyond the room of the section would be read once more. */
function refillLimit({ bounds }: EngineContext, { page }: ReceiverQueue, endpoint: Endpoint): number {
  const roomLeft = page.untriedShare - page.untried(endpoint);
  return Math.min(bounds.scanMessagesMax, Math.max(refillRowsMin, 2 * roomLeft));
}

type ReadOptions = NonNullable<Parameters<EngineContext["parked"]["listByPartition"]>[3]>;

async function readRows(
  context: EngineContext,
  partition: DeliveryPartition,
  startBelow: bigint,
  limit: number,
  options: ReadOptions,
): Promise<readonly ParkedRow[]> {
  const { scan } = partition;
  const after = startBelow <= 0n ? null : { sequence: startBelow - 1n, id: afterAllIds };
  scan.isReading = true;
  scan.arrivals = [];
  scan.lowestDropped = null;
  try {
    return await partition.lease.whileOpen(context.parked.listByPartition(partition.number, after, limit, options));
  } finally {
    scan.isReading = false;
  }
}

/** Sorts after every id of its sequence. */
const afterAllIds = "~";

/** The first sequence that was not read; null at the end of the store. */
function nextCover(rows: readonly ParkedRow[], limit: number): bigint | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? null : last.sequence + 1n;
}

/** #3 */
function moveCover({ scan }: DeliveryPartition, page: ReceiverQueue["page"], endpoint: Endpoint, below: bigint | null): void {
  const { lowestDropped } = scan;
  page.setCoveredBelow(endpoint, lowestDropped !== null && (below === null || lowestDropped < below) ? lowestDropped : below);
}

function offerArrivals(context: EngineContext, partition: DeliveryPartition): void {
  const { scan } = partition;
  for (const entry of scan.arrivals) getQueue(context, partition, entry.endpoint.receiverId).page.offer(entry);
  scan.arrivals = [];
  scan.lowestDropped = null;
}

/** Receivers that one read of the store can leave out. */
const exceptReceiversMax = 1_000;

/** The receivers of which the pass needs nothing more. */
function fallenOut(partition: DeliveryPartition, startBelow: bigint): readonly string[] {
  const out: string[] = [];
  for (const { receiverId, page } of partition.queues.values()) {
    if (out.length === exceptReceiversMax) break;
    if (page.endpoints.every((endpoint) => page.coveredBelow(endpoint) !== startBelow)) out.push(receiverId);
  }
  return out;
}

/** Takes a row into the page of its receiver; false where it found no room. */
function take(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue, row: ParkedRow): boolean {
  // A refusal that may not be reported yet (end.ts #4) gets its turn in the page, where it is reported.
  if (noteIfGivenUp(partition, row)) return true;
  if (row.ended === null && areAttemptsOver(context, partition, row)) return true;
  return queue.page.offer(toBacklogEntry(context, partition, row));
}

/** #5. Records what another owner left behind; a stop of this owner is known already. */
function noteIfGivenUp({ givenUp, repeatsBelow }: DeliveryPartition, { id, receiverId, ended, nextAttemptAtMs }: ParkedRow): boolean {
  if (ended !== "refused" && ended !== "stopped") return false;
  if (givenUp.has(id)) return true;
  // The offset of its stop is unknown; it is below the end of the partition at the take-over.
  if (ended === "stopped") givenUp.addStopped({ id, receiverId, sequence: repeatsBelow - 1n, atMs: nextAttemptAtMs });
  else givenUp.add(id);
  return true;
}
