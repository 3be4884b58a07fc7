// Drain: what is parked is tried again when it is due.
//
// #1 Only heads of keys, oldest first, as many at once as the bank has slots; the message behind is due when its head is gone.
// #2 Each attempt is made from the copy in the store: one that is gone has ended elsewhere.
// #3 What can no longer be tried leaves the page: attempts are over (the store keeps it), or its own deadline has passed (it ends).
// #4 Nothing that goes wrong here loses a message: it is due again.
// #5 No attempt begins while the receiver is paused, and none but a probe to an address that is held; what ends without one does end.

import type { ParkedMessage } from "@sluice/store";
import { attempt } from "./attempt.ts";
import type { EngineContext } from "./context.ts";
import type { Delivery } from "./delivery.ts";
import type { Destination } from "./destination.ts";
import { expire, sayRefused, settle } from "./end.ts";
import { lockKey } from "./key-locks.ts";
import { attemptsEndMs, isExpired, isOver, noteSpilling, type BankQueue, type DeliveryLane } from "./lane.ts";
import { isLaneClosed } from "./ownership.ts";
import type { PageEntry } from "./parked-page.ts";
import { readParked } from "./read-parked.ts";
import { scanSoon } from "./scan.ts";
import { progressOf } from "./spill.ts";

/** The same for all banks of a lane, and for what the store may hold beyond them. */
export function drainLane(context: EngineContext, lane: DeliveryLane): void {
  for (const queue of lane.banks.values()) drain(context, lane, queue);
  scanSoon(context, lane, () => drainLane(context, lane));
}

/** Starts what is due and may run, and wakes itself for what comes next. */
export function drain(context: EngineContext, lane: DeliveryLane, queue: BankQueue): void {
  if (!lane.ownership.isOpen || !lane.isCaughtUp || context.isStopping()) return;
  const nowMs = context.time.monotonicMs();
  const destinations = context.destinations.ofBank(queue.bank);
  for (const destination of destinations) destination.probeIfDue();
  const retriesMax = destinations.reduce((sum, { slots }) => sum + slots.limit, 0);
  while (queue.retrying < retriesMax) {
    const entry = queue.page.takeDue(nowMs);
    if (entry === null) break;
    start(context, lane, queue, entry, false);
  }
  noteSpilling(context, lane, queue);
  context.metrics.waiting.set(queue.page.size, { bank: queue.bank, lane: String(lane.partition) });
  scanSoon(context, lane, () => drainLane(context, lane));
  wake(context, lane, queue, nowMs, retriesMax);
}

/** One message to an address that is held otherwise. False: there is none in this lane. */
export function probe(context: EngineContext, lane: DeliveryLane, queue: BankQueue, destination: Destination): boolean {
  const entry = queue.page.takeHead(destination, queue.probes.get(destination)?.sequence ?? null);
  if (entry === null) return false;
  const atMs = context.time.monotonicMs();
  queue.probes.set(destination, { atMs, sequence: entry.sequence });
  entry.dueMs = Math.min(entry.dueMs, atMs);
  start(context, lane, queue, entry, true);
  return true;
}

function start(context: EngineContext, lane: DeliveryLane, queue: BankQueue, entry: PageEntry, isProbe: boolean): void {
  queue.retrying += 1;
  const retrying = retry(context, { lane, queue, entry, isProbe }).then(() => {
    lane.running.delete(retrying);
    queue.retrying -= 1;
    if (isProbe) entry.destination.probed();
    drain(context, lane, queue);
    return undefined;
  });
  lane.running.add(retrying);
}

function wake(context: EngineContext, lane: DeliveryLane, queue: BankQueue, nowMs: number, retriesMax: number): void {
  queue.timer?.[Symbol.dispose]();
  queue.timer = null;
  const wakeMs = queue.page.nextWakeMs(nowMs);
  // With all places taken, the end of any retry drains again.
  if (wakeMs === null || wakeMs === Number.POSITIVE_INFINITY || queue.retrying >= retriesMax) return;
  // Whole milliseconds, upwards: a fraction lost in the sum would wake it just before the time, again and again.
  queue.timer = context.time.after(Math.max(0, Math.ceil(wakeMs - nowMs)), () => {
    queue.timer = null;
    drain(context, lane, queue);
  });
}

const waitAfterFaultMs = 60_000;

interface Retrying {
  readonly lane: DeliveryLane;
  readonly queue: BankQueue;
  readonly entry: PageEntry;
  readonly isProbe: boolean;
}

/** Never rejects. #4 */
async function retry(context: EngineContext, retrying: Retrying): Promise<void> {
  const { lane, queue, entry } = retrying;
  try {
    if (!entry.isEnding && isOver(context, lane, entry)) return queue.page.remove(entry.id);
    if (isEarly(context, entry)) return queue.page.reschedule(entry.id, entry.dueMs);
    const parked = await context.parkedCalls.load(lane.ownership, { id: entry.id, bank: queue.bank });
    if (parked === undefined || parked.ended === "refused" || parked.ended === "stopped") return queue.page.remove(entry.id);
    const delivery = await readParked(context, parked);
    const message = { ...retrying, parked, delivery };
    // An end needs no slot: a bank that hangs does not hold it up.
    // Nor does what no attempt is made for wait for the end of a pause.
    if (parked.ended === "refusing") await inTurn(message, () => sayRefused(context, lane, delivery, progressOf(lane, parked)));
    else if (isExpired(context, entry)) await inTurn(message, () => expire(context, lane, delivery, progressOf(lane, parked), true));
    else await tryAgain(context, message);
  } catch (error) {
    if (isLaneClosed(error)) return;
    context.log.error("delivery.retry-failed", { id: entry.id, bank: queue.bank, partition: lane.partition, error });
    queue.page.reschedule(entry.id, context.time.monotonicMs() + waitAfterFaultMs);
  }
}

interface Retried extends Retrying {
  readonly parked: ParkedMessage;
  readonly delivery: Delivery;
}

async function tryAgain(context: EngineContext, message: Retried): Promise<void> {
  const { lane, queue, entry, parked, delivery, isProbe } = message;
  const slot = await entry.destination.slots.acquire("retry", Number.POSITIVE_INFINITY, lane.ownership);
  if (slot === null) return;
  let isAttempted = false;
  try {
    await inTurn(message, async () => {
      await lane.ownership.mayAct();
      // From here to the attempt nothing is waited for: what held a moment ago may not hold any more.
      if (!queue.page.holdsEntry(entry)) return undefined;
      if (isOver(context, lane, entry)) return queue.page.remove(entry.id);
      if (isExpired(context, entry) || isEarly(context, entry) || mayNotBegin(message)) return queue.page.reschedule(entry.id, entry.dueMs);
      isAttempted = true;
      if (isProbe) entry.destination.probeBegins();
      const result = await lane.ownership.whileOpen(attempt(context, lane, delivery, progressOf(lane, parked), slot));
      if (isProbe) context.metrics.probes.add({ ...entry.destination.labels, class: result.class });
      await settle(context, lane, delivery, result, true);
    });
  } finally {
    if (!isAttempted) slot[Symbol.dispose]();
  }
}

/** #5 */
function mayNotBegin({ lane, entry: { destination, ...entry }, isProbe }: Retried): boolean {
  if (lane.pauses.isPaused(destination.bank)) return true;
  const hold = destination.holdOf(attemptsEndMs(lane, entry));
  return hold !== null && !(isProbe && hold === "breaker" && !destination.isGated);
}

/** Looked at before its time: because its attempts might have ended, or because another attempt was under way. */
function isEarly(context: EngineContext, entry: PageEntry): boolean {
  return !isExpired(context, entry) && entry.dueMs > context.time.monotonicMs();
}

/** Under the key's lock, unless it was stopped, has ended or was redriven meanwhile. */
async function inTurn({ lane, queue, entry }: Retried, work: () => Promise<void>): Promise<void> {
  await lane.locks.hold(lockKey(queue.bank, entry.key), async () => {
    if (queue.page.holdsEntry(entry)) await work();
  });
}
