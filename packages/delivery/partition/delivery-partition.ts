// One partition while this process owns it: its days, its pauses, and for each receiver what is parked there and
// whether it spills.
//
// #1 A receiver spills from when its page does not hold all that it has parked (`coveredBelow`) until its queue has
//    drained: nothing is due, and at most half a page waits. It also spills from a pause until it is resumed and has
//    drained, and from the release of an endpoint until it has drained. While it spills, no new message of it takes the
//    fast path.
// #2 A message whose attempts are over (its day closed, its own time to stop passed, or it was refused) is in no page,
//    so it delays no other message and keeps no receiver spilling. The store keeps it until a change comes.

import type { ParkedMessage } from "@sluice/store";
import { receiverPageMax } from "../bounds.ts";
import { RecentReceivers } from "./recent-receivers.ts";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { GivenUpMessages } from "../attempt/given-up-messages.ts";
import { KeyLocks } from "./key-locks.ts";
import { PartitionDays } from "./partition-days.ts";
import { PartitionPauses } from "./partition-pauses.ts";
import { DeliveryLease } from "./delivery-lease.ts";
import { BacklogPage, type BacklogEntry } from "../backlog/backlog-page.ts";
import { RecentEnds } from "../attempt/recent-ends.ts";
import { retryAfterMaxMs } from "../attempt/retry-law.ts";

/** What a running scan of the store has found for one receiver. */
export interface ReceiverScan {
  /** The cover of the page when the scan began. */
  readonly startBelow: bigint | null;
  readonly found: BacklogEntry[];
  /** The first sequence that did not fit; null while all did. */
  fullAt: bigint | null;
  /** Messages parked during the scan, beyond the cover of the page. */
  readonly arrivals: BacklogEntry[];
  /** The least sequence that found no room in `arrivals`. */
  lowestDropped: bigint | null;
}

export interface ReceiverQueue {
  readonly receiverId: string;
  readonly page: BacklogPage;
  isSpilling: boolean;
  /** New messages in progress: waiting for a slot, being tried, or being parked. */
  newInFlight: number;
  /** Parked messages that are being tried. */
  retriesInFlight: number;
  timer: Disposable | null;
  scan: ReceiverScan | null;
  /** The number of the last scan that filled its page (scan.ts #1). */
  scannedLast: number;
  /** The last probe that this partition sent to each endpoint; `atMs` is monotonic. */
  readonly probes: Map<Endpoint, { readonly atMs: number; readonly sequence: bigint }>;
}

export interface DeliveryPartition {
  readonly number: number;
  /** The epoch of the consumer's assignment. */
  readonly epoch: number;
  readonly lease: DeliveryLease;
  readonly queues: Map<string, ReceiverQueue>;
  readonly locks: KeyLocks;
  readonly recentEnds: RecentEnds;
  /** Retries and scans that run now. */
  readonly running: Set<Promise<void>>;
  /**
   * Ids that are parked with a sequence at or beyond the position: their records are read again, and are done already.
   */
  readonly parkedAhead: Set<string>;
  /** The receivers whose records came within the last minute. */
  readonly recentReceivers: RecentReceivers;
  /** True while its memory is full, so that what waits here delays what has not been read. */
  isFull: boolean;
  /** Messages that are not tried any more although their records may be read again. */
  readonly givenUp: GivenUpMessages;
  /** The position as the store has it. */
  position: bigint;
  stoppedTimer: Disposable | null;
  readonly days: PartitionDays;
  readonly pauses: PartitionPauses;
  /** The owner epoch in the store. */
  ownerEpoch: number;
  /** Records below this offset were in the partition at the take-over: an attempt on one may not be the first. */
  repeatsBelow: bigint;
  /** How far the store has been read for receivers that are not known yet; null for its end. */
  scannedBelow: bigint | null;
  /** The number of the last scan that moved it. */
  scannedLast: number;
  scanNumber: number;
  /** True from the end of the take-over on. */
  isTakenOver: boolean;
  /**
   * True once all that was in the partition at the take-over has been read, so that no pause is missed
   * (leased-partition.ts #3).
   */
  isCaughtUp: boolean;
  catchUpTimer: Disposable | null;
  isScanning: boolean;
  /** The earliest time of the next scan, in milliseconds of the monotonic clock. */
  nextScanMs: number;
  scanTimer: Disposable | null;
  /** Tells whether the store has what is known of days and pauses. */
  isStateWritten: boolean;
}

/** `before` is the same partition under a lost owner epoch; its days, pauses and ends are kept. */
export function createDeliveryPartition(
  context: EngineContext,
  partition: number,
  epoch: number,
  before: DeliveryPartition | null,
): DeliveryPartition {
  const { time, random, logger, bounds } = context;
  const heartbeatAgeMs = (): number => context.heartbeatAgeMs();
  return {
    number: partition,
    epoch,
    lease: new DeliveryLease({ time, random, logger, partition, heartbeatAgeMaxMs: bounds.heartbeatAgeMaxMs, heartbeatAgeMs }),
    queues: new Map(),
    locks: new KeyLocks(),
    recentEnds: before?.recentEnds ?? new RecentEnds(bounds.recentEndsMax),
    running: new Set(),
    parkedAhead: new Set(),
    recentReceivers: before?.recentReceivers ?? new RecentReceivers(),
    isFull: before?.isFull ?? false,
    givenUp: before?.givenUp ?? new GivenUpMessages(),
    position: 0n,
    stoppedTimer: null,
    days: before?.days ?? new PartitionDays(),
    pauses: before?.pauses ?? new PartitionPauses(),
    ownerEpoch: 0,
    repeatsBelow: 0n,
    scannedBelow: 0n,
    scannedLast: 0,
    scanNumber: 0,
    isTakenOver: false,
    isCaughtUp: false,
    catchUpTimer: null,
    isScanning: false,
    nextScanMs: 0,
    scanTimer: null,
    isStateWritten: before === null,
  };
}

export function getQueue(context: EngineContext, partition: DeliveryPartition, receiverId: string): ReceiverQueue {
  const known = partition.queues.get(receiverId);
  if (known !== undefined) return known;
  const page = new BacklogPage({
    messagesMax: receiverPageMax(context.bounds, context.receivers.length),
    coveredBelow: partition.scannedBelow,
    computeWakeMs: (entry) => wakeMs(context, partition, entry),
  });
  const queue: ReceiverQueue = {
    receiverId,
    page,
    isSpilling: false,
    newInFlight: 0,
    retriesInFlight: 0,
    timer: null,
    scan: null,
    scannedLast: 0,
    probes: new Map(),
  };
  if (partition.isScanning && partition.scannedBelow !== null) queue.scan = createScan(partition.scannedBelow);
  partition.queues.set(receiverId, queue);
  if (partition.isTakenOver) updateSpilling(context, partition, queue);
  return queue;
}

export function createScan(startBelow: bigint | null): ReceiverScan {
  return { startBelow, found: [], fullAt: null, arrivals: [], lowestDropped: null };
}

/** #1 */
export function updateSpilling(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue): void {
  const nowMs = context.time.monotonicMs();
  const isComplete = queue.page.coveredBelow === null;
  const wakesAtMs = queue.page.nextWakeMs(nowMs);
  const hasDrained = isComplete && (wakesAtMs === null || wakesAtMs > nowMs) && queue.page.size * 2 <= queue.page.messagesMax;
  const isSpilling = partition.pauses.isPaused(queue.receiverId) || (queue.isSpilling ? !hasDrained : !isComplete);
  if (isSpilling !== queue.isSpilling) setSpilling(context, partition, queue, isSpilling);
}

/** From now on the backlog goes first, until it has drained. */
export function startDraining(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue): void {
  const isWaiting = queue.page.size > 0 || (queue.scan !== null && queue.scan.found.length > 0);
  if (isWaiting && !queue.isSpilling) setSpilling(context, partition, queue, true);
}

function setSpilling(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue, isSpilling: boolean): void {
  queue.isSpilling = isSpilling;
  if (partition.lease.isOpen)
    for (const { slots } of context.endpoints.forReceiver(queue.receiverId)) slots.changeSpilling(isSpilling ? 1 : -1);
  context.logger.info(isSpilling ? "receiver.spilling" : "receiver.drained", {
    receiver: queue.receiverId,
    partition: partition.number,
    parked: queue.page.size,
  });
}

/** What may end attempts on a message. */
type Limits = Pick<Delivery, "reconciliationDay" | "stopsAtMs" | "deadlineMs">;

/** When attempts on a message end, in epoch ms of the broker clock; null where no end is known. */
export function attemptsEndMs(partition: DeliveryPartition, { reconciliationDay, stopsAtMs, deadlineMs }: Limits): number | null {
  const closesAtMs = reconciliationDay === null ? null : partition.days.closesAtMs(reconciliationDay);
  const endMs = Math.min(closesAtMs ?? never, stopsAtMs ?? never, deadlineMs ?? never);
  return endMs === never ? null : endMs;
}

const never = Number.POSITIVE_INFINITY;

/** #2 */
export function areAttemptsOver(
  context: EngineContext,
  partition: DeliveryPartition,
  message: Pick<Limits, "reconciliationDay" | "stopsAtMs">,
): boolean {
  const { reconciliationDay, stopsAtMs } = message;
  if (reconciliationDay === null && stopsAtMs === null) return false;
  const nowMs = context.brokerClock.nowMs();
  return (stopsAtMs !== null && stopsAtMs <= nowMs) || (reconciliationDay !== null && partition.days.isOver(reconciliationDay, nowMs));
}

/** Tells whether an earlier owner may have tried the message. */
export function mayBeRepeat(partition: DeliveryPartition, { sequence }: Pick<Delivery, "sequence">): boolean {
  return sequence < partition.repeatsBelow;
}

export function isExpired(context: EngineContext, message: Pick<Delivery, "deadlineMs">): boolean {
  return message.deadlineMs !== null && message.deadlineMs <= context.brokerClock.nowMs();
}

/** Limits the wait of a stored message, so that one parked under a wrong clock is tried all the same (I7). */
export function toBacklogEntry(context: EngineContext, partition: DeliveryPartition, message: Omit<ParkedMessage, "record">): BacklogEntry {
  const { id, deliveryKey: key, sequence, reconciliationDay, stopsAtMs, nextAttemptAtMs } = message;
  const endpoint = context.endpoints.forOperation(message.receiverId, message.operation);
  const leftMs = hasWaitedLongEnough(partition, endpoint, message) ? 0 : nextAttemptAtMs - context.brokerClock.nowMs();
  const dueMs = context.time.monotonicMs() + Math.min(retryAfterMaxMs, Math.max(0, leftMs));
  const isEnding = message.ended !== null;
  return { id, key, endpoint, sequence, reconciliationDay, stopsAtMs, deadlineMs: effectiveDeadlineMs(message), isEnding, dueMs };
}

/** A message tried last before its receiver was resumed, or before its endpoint's breaker closed, is due. */
function hasWaitedLongEnough(
  partition: DeliveryPartition,
  endpoint: Endpoint,
  { receiverId, recentAttempts }: Omit<ParkedMessage, "record">,
): boolean {
  const dueSinceMs = Math.max(partition.pauses.resumedAtMs(receiverId) ?? 0, endpoint.dueSinceMs ?? 0);
  const last = recentAttempts.at(-1);
  return last !== undefined && last.atMs < dueSinceMs;
}

/** The own deadline of a parked message, extended by a redrive, in epoch ms; null where it has none. */
export function effectiveDeadlineMs({ deadlineMs, redrive }: Pick<ParkedMessage, "deadlineMs" | "redrive">): number | null {
  return redrive?.untilMs ?? deadlineMs;
}

/** Milliseconds until an end is checked again that the broker clock has not reached yet. */
const endSlackMs = 20;

/** Infinity where the time is not known. */
function wakeMs(context: EngineContext, partition: DeliveryPartition, entry: BacklogEntry): number {
  const endMs = attemptsEndMs(partition, entry);
  const { endpoint } = entry;
  const isPaused = partition.pauses.isPaused(endpoint.receiverId);
  const freeAtMs = entry.isEnding ? 0 : isPaused ? Number.POSITIVE_INFINITY : endpoint.freeAtMs(endMs);
  const dueMs = Math.max(entry.dueMs, freeAtMs);
  if (endMs === null) return dueMs;
  const untilEndMs = Math.max(endSlackMs, endMs - context.brokerClock.nowMs());
  return Math.min(dueMs, context.time.monotonicMs() + untilEndMs);
}
