// Drain: parked messages are retried when they are due.
//
// #1 Only the first message of each key is retried: those that were never tried first, then those that have failed,
//    each oldest first; those that fail often have a bounded share (attempt-slots.ts #1), and take turns in it. A
//    message gets its place before its body is loaded (retry-places.ts). The next message of the key becomes due when
//    the first is gone.
// #2 Each retry uses the copy in the store, and loads it again where an attempt ended since. A message that is gone
//    there has ended elsewhere, or the store was restored to an older point: the next message of its key is not tried
//    before the partition's document was looked at.
// #3 A message that can no longer be tried leaves the page: its attempts are over (the store keeps it), or its own
//    deadline has passed (it expires). That needs no place.
// #4 No fault here loses a message: it becomes due again.
// #5 No attempt begins while the receiver is paused or the partition is handed over, and only a probe while the
//    endpoint is suspended; a message that ends without an attempt does end.

import { failingFromAttempts } from "@sluice/contracts";
import type { ParkedMessage } from "@sluice/store";
import { type AttemptResult, runAttempt } from "../attempt/attempt.ts";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { RetryUse, Slot } from "../endpoint/attempt-slots.ts";
import type { Place } from "../endpoint/retry-places.ts";
import { expireDelivery, reportRefusal, settleAttempt } from "../attempt/end.ts";
import { lockKey } from "../partition/key-locks.ts";
import {
  attemptsEndMs,
  isExpired,
  areAttemptsOver,
  updateSpilling,
  type ReceiverQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";
import type { BacklogEntry, Rank } from "./backlog-entry.ts";
import { lookUpKeys } from "./look-up-keys.ts";
import { readParkedDelivery } from "./read-parked.ts";
import { scheduleScan } from "./scan.ts";
import { progressFromParked } from "./spill.ts";

/** Drains all receivers of a partition, and scans for what the store may hold beyond them. */
export function drainPartition(context: EngineContext, partition: DeliveryPartition): void {
  for (const queue of partition.queues.values()) drainReceiver(context, partition, queue);
  scheduleScan(context, partition, () => drainPartition(context, partition));
}

/** Starts the retries that are due and may run, and sets the timer for the next one. */
export function drainReceiver(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue): void {
  if (!partition.lease.isOpen || !partition.isCaughtUp || partition.attempts.isHandedOver || context.isStopping()) return;
  const nowMs = context.time.monotonicMs();
  lookUpKeys(context, partition, queue, () => drainReceiver(context, partition, queue));
  for (const endpoint of context.endpoints.forReceiver(queue.receiverId)) endpoint.probeIfDue();
  startEnded(context, partition, queue, nowMs);
  for (const endpoint of queue.page.endpoints) for (const use of uses) drainUse(context, { partition, queue, endpoint, use }, nowMs);
  updateSpilling(context, partition, queue);
  context.metrics.waiting.set(queue.page.size, { receiver: queue.receiverId, partition: String(partition.number) });
  scheduleScan(context, partition, () => drainPartition(context, partition));
  wake(context, partition, queue, nowMs);
}

const uses: readonly RetryUse[] = ["retry", "failing"];
const ranksByUse = { retry: ["untried", "failed"], failing: ["failing"] } as const satisfies Record<RetryUse, readonly Rank[]>;

interface Drained {
  readonly partition: DeliveryPartition;
  readonly queue: ReceiverQueue;
  readonly endpoint: Endpoint;
  readonly use: RetryUse;
}

/** #1 */
function drainUse(context: EngineContext, drained: Drained, nowMs: number): void {
  const { partition, queue, endpoint, use } = drained;
  const { page, placeWaits } = queue;
  const ranks = ranksByUse[use];
  const waitKey = `${endpoint.origin ?? ""} ${use}`;
  while (!placeWaits.has(waitKey) && ranks.some((rank) => page.hasDue(endpoint, rank, nowMs))) {
    const place = endpoint.places.take(use);
    if (place === null) {
      placeWaits.add(waitKey);
      endpoint.places.wait(use, () => {
        if (!page.knows(endpoint)) return;
        placeWaits.delete(waitKey);
        if (partition.lease.isOpen && !context.isStopping()) drainUse(context, drained, context.time.monotonicMs());
      });
      return;
    }
    const rank = ranks.find((one) => page.hasDue(endpoint, one, nowMs));
    const entry = rank === undefined ? null : page.takeDue(endpoint, rank, nowMs);
    if (entry === null) return place[Symbol.dispose]();
    start(context, { partition, queue, entry, place, isProbe: false });
  }
}

/** Messages of a receiver that end without an attempt, in hand at once in a partition. */
const endedInHandMax = 64;

/** #3 */
function startEnded(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue, nowMs: number): void {
  while (queue.endedInHand < endedInHandMax) {
    const entry = queue.page.takeEnded(nowMs);
    if (entry === null) return;
    queue.endedInHand += 1;
    const place = placeUntilSettled(() => void (queue.endedInHand -= 1));
    start(context, { partition, queue, entry, place, isProbe: false });
  }
}

/** What is not a place of the endpoint (retry-places.ts): it is kept until the message is settled. */
function placeUntilSettled(giveBack: () => void): Place {
  return { markEnding: () => {}, [Symbol.dispose]: giveBack };
}

/** In turn the freshest message, which was tried less than three times, and the next of all. */
export type ProbeKind = "fresh" | "rotating";

interface Probe extends Omit<Drained, "use"> {
  readonly kind: ProbeKind;
}

/** Sends one message as a probe to a suspended endpoint; false where this partition has none for it. */
export function startProbe(context: EngineContext, { partition, queue, endpoint, kind }: Probe): boolean {
  const { page, probes } = queue;
  const last = probes.get(endpoint);
  const entry = kind === "fresh" ? page.takeFreshProbe(endpoint) : page.takeRotatingProbe(endpoint, last?.sequence ?? null);
  if (entry === null) return false;
  const atMs = context.time.monotonicMs();
  probes.set(endpoint, { atMs, sequence: kind === "fresh" ? (last?.sequence ?? null) : entry.sequence });
  entry.dueMs = Math.min(entry.dueMs, atMs);
  const place = placeUntilSettled(() => {
    context.probeLimit.giveBack();
    endpoint.endProbe();
  });
  start(context, { partition, queue, entry, place, isProbe: true });
  return true;
}

/** Gives the place back when the message is settled. */
function start(context: EngineContext, starting: Retry): void {
  const { partition, queue, place } = starting;
  const retrying = retry(context, starting).then(() => {
    partition.running.delete(retrying);
    place[Symbol.dispose]();
    drainReceiver(context, partition, queue);
    return undefined;
  });
  partition.running.add(retrying);
}

function wake(context: EngineContext, partition: DeliveryPartition, queue: ReceiverQueue, nowMs: number): void {
  queue.timer?.[Symbol.dispose]();
  queue.timer = null;
  // What is due already begins when a place is given back.
  const wakeMs = queue.page.nextWakeMs(nowMs);
  if (wakeMs === null || wakeMs === Number.POSITIVE_INFINITY) return;
  // Rounded up to whole milliseconds: a lost fraction would fire the timer just too early, again and again.
  queue.timer = context.time.after(Math.max(0, Math.ceil(wakeMs - nowMs)), () => {
    queue.timer = null;
    drainReceiver(context, partition, queue);
  });
}

const waitAfterFaultMs = 60_000;

interface Retry {
  readonly partition: DeliveryPartition;
  readonly queue: ReceiverQueue;
  readonly entry: BacklogEntry;
  readonly place: Place;
  readonly isProbe: boolean;
}

/** Never rejects. #4 */
async function retry(context: EngineContext, retrying: Retry): Promise<void> {
  const { partition, queue, entry } = retrying;
  try {
    if (!entry.isEnding && areAttemptsOver(context, partition, entry)) return queue.page.remove(entry.id);
    if (isEarly(context, entry)) return queue.page.reschedule(entry.id, entry.dueMs);
    const parked = await context.parkedCalls.load(partition.lease, { id: entry.id, receiverId: queue.receiverId });
    if (parked === undefined) await partition.lease.retryUntilDone("partition.look", () => partition.lookAtStore());
    if (parked === undefined || parked.ended === "refused" || parked.ended === "stopped") return queue.page.remove(entry.id);
    const delivery = await readParkedDelivery(context, parked);
    const message = { ...retrying, parked, delivery };
    // An end without an attempt needs no slot and does not wait for the end of a pause, so a receiver that hangs does
    // not delay it.
    if (parked.ended === "refusing")
      await underLock(message, () => reportRefusal(context, partition, delivery, progressFromParked(partition, parked)));
    else if (isExpired(context, entry))
      await underLock(message, async () => {
        const progress = progressFromParked(partition, await loadNewest(context, message));
        await expireDelivery(context, partition, delivery, progress, true);
      });
    else await tryAgain(context, message);
  } catch (error) {
    if (isPartitionClosed(error)) return;
    context.logger.error("delivery.retry-failed", { id: entry.id, receiver: queue.receiverId, partition: partition.number, error });
    queue.page.reschedule(entry.id, context.time.monotonicMs() + waitAfterFaultMs);
  }
}

interface LoadedRetry extends Retry {
  readonly parked: ParkedMessage;
  readonly delivery: Delivery;
}

/**
 * #2: a retry that was begun because its message expires, or because its endpoint is back, may have waited for the lock
 * while an earlier attempt was under way.
 */
async function loadNewest(context: EngineContext, { partition, queue, entry, parked }: LoadedRetry): Promise<ParkedMessage> {
  if (entry.attempts === parked.attempts) return parked;
  const newest = await context.parkedCalls.load(partition.lease, { id: entry.id, receiverId: queue.receiverId });
  return newest ?? parked;
}

async function tryAgain(context: EngineContext, message: LoadedRetry): Promise<void> {
  const { partition, queue, entry, isProbe } = message;
  const use = isProbe || entry.attempts < failingFromAttempts ? "retry" : "failing";
  const slot = await entry.endpoint.slots.acquire(use, Number.POSITIVE_INFINITY, partition.lease);
  if (slot === null) return;
  let isAttempted = false;
  try {
    await underLock(message, async () => {
      const parked = await loadNewest(context, message);
      await partition.lease.waitUntilConfirmed();
      // Everything is checked again, without waiting before the attempt begins: it may have changed while this waited.
      if (!queue.page.containsEntry(entry)) return undefined;
      if (areAttemptsOver(context, partition, entry)) return queue.page.remove(entry.id);
      if (isExpired(context, entry) || isEarly(context, entry) || mayNotBegin(message)) return queue.page.reschedule(entry.id, entry.dueMs);
      isAttempted = true;
      if (isProbe) entry.endpoint.markProbeStarted();
      const startedMs = context.time.monotonicMs();
      const answered = attempt(context, { ...message, parked }, slot);
      const settling = settleRetry(context, { ...message, parked }, answered);
      partition.attempts.add({ startedMs, isProbe, answered, settled: settling.catch(() => {}) });
      await settling;
    });
  } finally {
    if (!isAttempted) slot[Symbol.dispose]();
  }
}

function attempt(context: EngineContext, { partition, parked, delivery }: LoadedRetry, slot: Slot): Promise<AttemptResult> {
  return partition.lease.whileOpen(runAttempt(context, partition, delivery, progressFromParked(partition, parked), slot));
}

async function settleRetry(context: EngineContext, message: LoadedRetry, answered: Promise<AttemptResult>): Promise<void> {
  const { partition, entry, place, delivery, isProbe } = message;
  const result = await answered;
  if (isProbe) context.metrics.probes.add({ ...entry.endpoint.labels, class: result.class });
  if (result.class === "acknowledged") place.markEnding();
  await settleAttempt(context, partition, delivery, result, true);
}

/** #5 */
function mayNotBegin({ partition, entry: { endpoint, ...entry }, isProbe }: LoadedRetry): boolean {
  if (partition.attempts.isHandedOver || partition.pauses.isPaused(endpoint.receiverId)) return true;
  const hold = endpoint.blockReason(attemptsEndMs(partition, entry));
  return hold !== null && !(isProbe && hold === "breaker" && !endpoint.isBackingOff);
}

/** Tells whether it was woken before its time, because its attempts might have ended or another attempt was running. */
function isEarly(context: EngineContext, entry: BacklogEntry): boolean {
  return !isExpired(context, entry) && entry.dueMs > context.time.monotonicMs();
}

/** Works under the key's lock, unless the message was stopped, has ended or was redriven meanwhile. */
async function underLock({ partition, queue, entry }: LoadedRetry, work: () => Promise<void>): Promise<void> {
  await partition.locks.run(lockKey(queue.receiverId, entry.key), async () => {
    if (queue.page.containsEntry(entry)) await work();
  });
}
