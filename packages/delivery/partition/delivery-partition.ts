// One partition while this process owns it: its days, its pauses, and for each receiver what is parked there and
// whether it spills.
//
// #1 A receiver spills from when its page does not cover all that it has parked until its queue has drained: everything
//    is covered, and no message that was never tried is due. It also spills from a pause until it is resumed and has
//    drained, and from the release of an endpoint until it has drained. While it spills, no new message of it takes the
//    fast path.
// #2 A message whose attempts are over (its day closed, its own time to stop passed, or it was refused) is in no page,
//    so it delays no other message and keeps no receiver spilling. The store keeps it until a change comes.

import { failingFromAttempts } from "@sluice/contracts";
import { DeferredRecords } from "@sluice/messaging";
import type { ParkedMessage } from "@sluice/store";
import { AttemptsUnderWay } from "./attempts-under-way.ts";
import { RecentReceivers } from "./recent-receivers.ts";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { findOperation } from "../endpoint/operation-addresses.ts";
import { GivenUpMessages } from "../attempt/given-up-messages.ts";
import { KeyLocks } from "./key-locks.ts";
import { PartitionDays } from "./partition-days.ts";
import { PartitionPauses } from "./partition-pauses.ts";
import { PartitionTakeOvers } from "./take-overs.ts";
import { DeliveryLease } from "./delivery-lease.ts";
import { BacklogPage } from "../backlog/backlog-page.ts";
import type { BacklogEntry } from "../backlog/backlog-entry.ts";
import { BacklogRoom } from "../backlog/backlog-room.ts";
import { createBacklogScan, type BacklogScan } from "../backlog/scan-state.ts";
import { RecentEnds } from "../attempt/recent-ends.ts";
import { retryAfterMaxMs } from "../attempt/retry-law.ts";

export interface ReceiverQueue {
  readonly receiverId: string;
  readonly page: BacklogPage;
  /** When the refill of a section that found no room may be tried again, in milliseconds of the monotonic clock. */
  readonly refillFromMs: Map<Endpoint, number>;
  /** The number of the newest refill of each section. */
  readonly refilled: Map<Endpoint, number>;
  isSpilling: boolean;
  /** New messages in progress: waiting for a slot, being tried, or being parked. */
  newInFlight: number;
  /** The endpoints and ranks for which it waits for a place (retry-places.ts). */
  readonly placeWaits: Set<string>;
  /** Messages in hand that end without an attempt. */
  endedInHand: number;
  timer: Disposable | null;
  /** The last probe that this partition sent to each endpoint; `atMs` is monotonic. */
  readonly probes: Map<Endpoint, { readonly atMs: number; readonly sequence: bigint | null }>;
}

export interface DeliveryPartition {
  readonly number: number;
  /** The epoch of the consumer's assignment. */
  readonly epoch: number;
  readonly lease: DeliveryLease;
  readonly queues: Map<string, ReceiverQueue>;
  /**
   * The queues whose pages may not cover everything: the store is read for these alone. With 1,000 receivers they are
   * few, and they are looked at with each message that ends.
   */
  readonly uncovered: Set<ReceiverQueue>;
  readonly locks: KeyLocks;
  readonly recentEnds: RecentEnds;
  /** Receipts that wait for the next position (attempt/end.ts #5). */
  readonly receipts: DeferredRecords;
  /** Retries and scans that run now. */
  readonly running: Set<Promise<void>>;
  readonly attempts: AttemptsUnderWay;
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
  readonly takeOvers: PartitionTakeOvers;
  /** The owner epoch in the store. */
  ownerEpoch: number;
  /** Gives the partition up once another owner has taken it over; set when its own take-over is done. */
  loseLease: () => void;
  /**
   * Gives the partition up if the store has gone back or has another owner. Rejects then, and as the store does.
   */
  lookAtStore: () => Promise<void>;
  /** Records below this offset were in the partition at the take-over: an attempt on one may not be the first. */
  repeatsBelow: bigint;
  readonly scan: BacklogScan;
  readonly room: BacklogRoom;
  /** The number of refills so far. */
  refills: number;
  /** True from the end of the take-over on. */
  isTakenOver: boolean;
  /**
   * True once all that was in the partition at the take-over has been read, so that no pause is missed
   * (leased-partition.ts #3).
   */
  isCaughtUp: boolean;
  catchUpTimer: Disposable | null;
  /** Tells whether the store has what is known of days, pauses and take-overs. */
  isStateWritten: boolean;
}

/** `before` is the same partition under a lost owner epoch; its days, pauses, ends and receipts are kept. */
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
    uncovered: new Set(),
    locks: new KeyLocks(),
    recentEnds: before?.recentEnds ?? new RecentEnds(bounds.recentEndsMax),
    receipts: before?.receipts ?? createReceipts(context),
    running: new Set(),
    attempts: new AttemptsUnderWay(),
    parkedAhead: new Set(),
    recentReceivers: before?.recentReceivers ?? new RecentReceivers(),
    isFull: before?.isFull ?? false,
    givenUp: before?.givenUp ?? new GivenUpMessages(),
    position: 0n,
    stoppedTimer: null,
    days: before?.days ?? new PartitionDays(),
    pauses: before?.pauses ?? new PartitionPauses(),
    takeOvers: new PartitionTakeOvers(),
    ownerEpoch: 0,
    loseLease: () => {},
    lookAtStore: () => Promise.resolve(),
    repeatsBelow: 0n,
    scan: createBacklogScan(),
    room: new BacklogRoom({ untried: bounds.untriedInMemoryMax, failed: bounds.failedInMemoryMax }),
    refills: 0,
    isTakenOver: false,
    isCaughtUp: false,
    catchUpTimer: null,
    isStateWritten: false,
  };
}

export function getQueue(context: EngineContext, partition: DeliveryPartition, receiverId: string): ReceiverQueue {
  const known = partition.queues.get(receiverId);
  if (known !== undefined) return known;
  const page = new BacklogPage({
    room: partition.room,
    endpoints: context.endpoints.forReceiver(receiverId),
    coveredBelow: partition.scan.passedBelow,
    computeWakeMs: (entry) => wakeMs(context, partition, entry),
    isOver: (entry) => areAttemptsOver(context, partition, entry) || isExpired(context, entry),
    onUncovered: () => {
      const known = partition.queues.get(receiverId);
      if (known !== undefined) partition.uncovered.add(known);
    },
  });
  const queue: ReceiverQueue = {
    receiverId,
    page,
    isSpilling: false,
    newInFlight: 0,
    placeWaits: new Set(),
    endedInHand: 0,
    refillFromMs: new Map(),
    refilled: new Map(),
    timer: null,
    probes: new Map(),
  };
  partition.queues.set(receiverId, queue);
  if (!page.isComplete) partition.uncovered.add(queue);
  if (partition.isTakenOver) updateSpilling(context, partition, queue);
  return queue;
}

/** #1 */
export function updateSpilling(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue): void {
  const { page } = queue;
  const hasDrained = page.isComplete && !page.hasDueUntried(context.time.monotonicMs());
  const isSpilling = partition.pauses.isPaused(queue.receiverId) || (queue.isSpilling ? !hasDrained : !page.isComplete);
  if (isSpilling !== queue.isSpilling) setSpilling(context, partition, queue, isSpilling);
}

/** From now on the backlog goes first, until it has drained. */
export function startDraining(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue): void {
  if (queue.page.hasUntried && !queue.isSpilling) setSpilling(context, partition, queue, true);
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

type UnversionedRow = Omit<ParkedMessage, "record" | "version">;

/** Limits the wait of a stored message, so that one parked under a wrong clock is tried all the same (I7). */
export function toBacklogEntry(context: EngineContext, partition: DeliveryPartition, message: UnversionedRow): BacklogEntry {
  const { id, deliveryKey: key, sequence, reconciliationDay, stopsAtMs, nextAttemptAtMs, attempts } = message;
  const operation = findOperation(message.operation);
  const endpoint = context.endpoints.forOperation(message.receiverId, operation);
  const untilMs = nextAttemptAtMs - context.brokerClock.nowMs();
  const leftMs = hasWaitedLongEnough(partition, endpoint, message) ? Math.min(untilMs, releasedWithinMs(message)) : untilMs;
  const dueMs = context.time.monotonicMs() + Math.min(retryAfterMaxMs, Math.max(0, leftMs));
  const isEnding = message.ended !== null;
  const deadlineMs = effectiveDeadlineMs(message);
  return { id, key, endpoint, operation, sequence, reconciliationDay, stopsAtMs, deadlineMs, isEnding, attempts, dueMs };
}

/** Milliseconds within which a message is due once its endpoint is released: those that fail often keep apart. */
export const failingReleasedWithinMs = 30_000;

function releasedWithinMs({ attempts }: Pick<ParkedMessage, "attempts">): number {
  return attempts < failingFromAttempts ? 0 : failingReleasedWithinMs;
}

/** A message tried last before its receiver was resumed, or before its endpoint's breaker closed, is due. */
function hasWaitedLongEnough(partition: DeliveryPartition, endpoint: Endpoint, { receiverId, recentAttempts }: UnversionedRow): boolean {
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

function createReceipts({ producer, brokerClock }: EngineContext): DeferredRecords {
  return new DeferredRecords(producer, (_records, places) => {
    for (const place of places) if (place !== null) brokerClock.observe(place.appendedAtMs);
  });
}
