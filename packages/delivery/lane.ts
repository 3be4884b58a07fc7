// One lane while this process owns it: its days, and for each bank what is parked there and whether the bank is spilling.
//
// #1 A bank spills while its page does not hold all that it has parked (`coveredBelow`), and from there until its queue has
//    drained: nothing due, and no more than half a page waiting. While it spills, nothing new takes the fast path.
//    Also from the pause of a bank on, until it is resumed and has drained; and from when an address may be called again.
// #2 A message that attempts are over for (its day closed, its own time to stop passed, or refused) is in no page, so it holds nothing up and makes no
//    bank backlogged; the store keeps it until a change comes.

import type { ParkedMessage } from "@sluice/store";
import { bankPageMax } from "./bounds.ts";
import { Company } from "./company.ts";
import type { EngineContext } from "./context.ts";
import type { Delivery } from "./delivery.ts";
import type { Destination } from "./destination.ts";
import { GivenUp } from "./given-up.ts";
import { KeyLocks } from "./key-locks.ts";
import { LaneDays } from "./lane-days.ts";
import { LanePauses } from "./lane-pauses.ts";
import { Ownership } from "./ownership.ts";
import { ParkedPage, type PageEntry } from "./parked-page.ts";
import { RecentEnds } from "./recent-ends.ts";
import { retryAfterMaxMs } from "./retry-law.ts";

/** What a scan of the store has found for a bank, until it ends. */
export interface BankScan {
  /** Cover of the page when it began. */
  readonly startBelow: bigint | null;
  readonly found: PageEntry[];
  /** First sequence that did not fit; null while all did. */
  fullAt: bigint | null;
  /** Parked meanwhile, beyond the cover of the page. */
  readonly late: PageEntry[];
  /** Least sequence of those that `late` had no room for. */
  lowestLost: bigint | null;
}

export interface BankQueue {
  readonly bank: string;
  readonly page: ParkedPage;
  isSpilling: boolean;
  /** New messages of the bank in hand: waiting for a slot, being tried, being parked. */
  inHand: number;
  /** Parked messages being tried. */
  retrying: number;
  timer: Disposable | null;
  scan: BankScan | null;
  /** Number of the last scan that filled its page (scan.ts #1). */
  scannedLast: number;
  /** The last probe of each address from here: when (monotonic), and which. */
  readonly probes: Map<Destination, { readonly atMs: number; readonly sequence: bigint }>;
}

export interface DeliveryLane {
  readonly partition: number;
  /** Of the consumer's assignment. */
  readonly epoch: number;
  readonly ownership: Ownership;
  readonly banks: Map<string, BankQueue>;
  readonly locks: KeyLocks;
  readonly recent: RecentEnds;
  /** Retries and scans under way. */
  readonly running: Set<Promise<void>>;
  /** Ids parked with a sequence at or beyond the position: their records come once more, and are done already. */
  readonly parkedAhead: Set<string>;
  /** Whose records came of late. */
  readonly company: Company;
  /** What is not tried any more, though its record may come once more. */
  readonly givenUp: GivenUp;
  /** As the lane's document has it. */
  position: bigint;
  stoppedTimer: Disposable | null;
  readonly days: LaneDays;
  readonly pauses: LanePauses;
  /** Owner epoch in the store. */
  ownerEpoch: number;
  /** A record below lay in the partition when the lane was taken: an attempt on it may not be the first. */
  repeatsBelow: bigint;
  /** How far the store has been read for banks that nothing is known of; null: to its end. */
  scannedBelow: bigint | null;
  /** Number of the last scan that moved it. */
  scannedLast: number;
  scanNumber: number;
  /** From the end of the take-over on. */
  isTaken: boolean;
  /** What lay in the partition at the take-over has been read: no pause among it is overlooked (owned-lane.ts #3). */
  isCaughtUp: boolean;
  catchUpTimer: Disposable | null;
  isScanning: boolean;
  /** Monotonic; no scan before. */
  nextScanMs: number;
  scanTimer: Disposable | null;
  /** Whether the lane's document has what is known of days and pauses. */
  isStateWritten: boolean;
}

/** `before`: the same lane under an owner epoch that was lost; what it knew of days, pauses and ends is kept. */
export function newLane(context: EngineContext, partition: number, epoch: number, before: DeliveryLane | null): DeliveryLane {
  const { time, random, log, bounds } = context;
  const heartbeatAgeMs = (): number => context.heartbeatAgeMs();
  return {
    partition,
    epoch,
    ownership: new Ownership({ time, random, log, partition, heartbeatAgeMaxMs: bounds.heartbeatAgeMaxMs, heartbeatAgeMs }),
    banks: new Map(),
    locks: new KeyLocks(),
    recent: before?.recent ?? new RecentEnds(bounds.recentEndsMax),
    running: new Set(),
    parkedAhead: new Set(),
    company: before?.company ?? new Company(),
    givenUp: before?.givenUp ?? new GivenUp(),
    position: 0n,
    stoppedTimer: null,
    days: before?.days ?? new LaneDays(),
    pauses: before?.pauses ?? new LanePauses(),
    ownerEpoch: 0,
    repeatsBelow: 0n,
    scannedBelow: 0n,
    scannedLast: 0,
    scanNumber: 0,
    isTaken: false,
    isCaughtUp: false,
    catchUpTimer: null,
    isScanning: false,
    nextScanMs: 0,
    scanTimer: null,
    isStateWritten: before === null,
  };
}

export function queueOf(context: EngineContext, lane: DeliveryLane, bank: string): BankQueue {
  const known = lane.banks.get(bank);
  if (known !== undefined) return known;
  const page = new ParkedPage({
    messagesMax: bankPageMax(context.bounds, context.receivers.length),
    coveredBelow: lane.scannedBelow,
    wakeMsOf: (entry) => wakeMs(context, lane, entry),
  });
  const queue: BankQueue = {
    bank,
    page,
    isSpilling: false,
    inHand: 0,
    retrying: 0,
    timer: null,
    scan: null,
    scannedLast: 0,
    probes: new Map(),
  };
  if (lane.isScanning && lane.scannedBelow !== null) queue.scan = newScan(lane.scannedBelow);
  lane.banks.set(bank, queue);
  if (lane.isTaken) noteSpilling(context, lane, queue);
  return queue;
}

export function newScan(startBelow: bigint | null): BankScan {
  return { startBelow, found: [], fullAt: null, late: [], lowestLost: null };
}

/** #1 */
export function noteSpilling(context: EngineContext, lane: DeliveryLane, queue: BankQueue): void {
  const nowMs = context.time.monotonicMs();
  const isComplete = queue.page.coveredBelow === null;
  const wakesAtMs = queue.page.nextWakeMs(nowMs);
  const hasDrained = isComplete && (wakesAtMs === null || wakesAtMs > nowMs) && queue.page.size * 2 <= queue.page.messagesMax;
  const isSpilling = lane.pauses.isPaused(queue.bank) || (queue.isSpilling ? !hasDrained : !isComplete);
  if (isSpilling !== queue.isSpilling) setSpilling(context, lane, queue, isSpilling);
}

/** What waits goes first from now on, until it has drained. */
export function startDraining(context: EngineContext, lane: DeliveryLane, queue: BankQueue): void {
  const isWaiting = queue.page.size > 0 || (queue.scan !== null && queue.scan.found.length > 0);
  if (isWaiting && !queue.isSpilling) setSpilling(context, lane, queue, true);
}

function setSpilling(context: EngineContext, lane: DeliveryLane, queue: BankQueue, isSpilling: boolean): void {
  queue.isSpilling = isSpilling;
  if (lane.ownership.isOpen) for (const { slots } of context.destinations.ofBank(queue.bank)) slots.spilling(isSpilling ? 1 : -1);
  context.log.info(isSpilling ? "bank.spilling" : "bank.drained", { bank: queue.bank, partition: lane.partition, parked: queue.page.size });
}

/** What may end attempts on a message. */
type Limits = Pick<Delivery, "closesWith" | "stopsAtMs" | "deadlineMs">;

/** When attempts on a message end, epoch ms by agreed time; null: no end is known. */
export function attemptsEndMs(lane: DeliveryLane, { closesWith, stopsAtMs, deadlineMs }: Limits): number | null {
  const closesAtMs = closesWith === null ? null : lane.days.closesAtMs(closesWith);
  const endMs = Math.min(closesAtMs ?? never, stopsAtMs ?? never, deadlineMs ?? never);
  return endMs === never ? null : endMs;
}

const never = Number.POSITIVE_INFINITY;

/** #2 */
export function isOver(context: EngineContext, lane: DeliveryLane, message: Pick<Limits, "closesWith" | "stopsAtMs">): boolean {
  const { closesWith, stopsAtMs } = message;
  if (closesWith === null && stopsAtMs === null) return false;
  const nowMs = context.agreed.nowMs();
  return (stopsAtMs !== null && stopsAtMs <= nowMs) || (closesWith !== null && lane.days.isOver(closesWith, nowMs));
}

/** Whether an owner before us may have tried it. */
export function mayBeRepeat(lane: DeliveryLane, { sequence }: Pick<Delivery, "sequence">): boolean {
  return sequence < lane.repeatsBelow;
}

export function isExpired(context: EngineContext, message: Pick<Delivery, "deadlineMs">): boolean {
  return message.deadlineMs !== null && message.deadlineMs <= context.agreed.nowMs();
}

/** The waiting time of a stored message is bounded, so that one parked under a wrong clock is tried all the same (I7). */
export function entryOf(context: EngineContext, lane: DeliveryLane, message: Omit<ParkedMessage, "record">): PageEntry {
  const { id, deliveryKey: key, sequence, closesWith, stopsAtMs, nextAttemptAtMs } = message;
  const destination = context.destinations.of(message.bank, message.operation);
  const leftMs = hasWaitedLongEnough(lane, destination, message) ? 0 : nextAttemptAtMs - context.agreed.nowMs();
  const dueMs = context.time.monotonicMs() + Math.min(retryAfterMaxMs, Math.max(0, leftMs));
  const isEnding = message.ended !== null;
  return { id, key, destination, sequence, closesWith, stopsAtMs, deadlineMs: deadlineOf(message), isEnding, dueMs };
}

/** What was tried last before its bank was resumed, or before the breaker of its address closed, is due from then on. */
function hasWaitedLongEnough(
  lane: DeliveryLane,
  destination: Destination,
  { bank, recentAttempts }: Omit<ParkedMessage, "record">,
): boolean {
  const dueSinceMs = Math.max(lane.pauses.resumedAtMs(bank) ?? 0, destination.dueSinceMs ?? 0);
  const last = recentAttempts.at(-1);
  return last !== undefined && last.atMs < dueSinceMs;
}

/** Own deadline of a parked message, with what a redrive added, epoch ms; null: it has none. */
export function deadlineOf({ deadlineMs, redrive }: Pick<ParkedMessage, "deadlineMs" | "redrive">): number | null {
  return redrive?.untilMs ?? deadlineMs;
}

/** Looked at again soon after an end that agreed time has not reached yet. */
const endSlackMs = 20;

/** Infinity: at no time that is known. */
function wakeMs(context: EngineContext, lane: DeliveryLane, entry: PageEntry): number {
  const endMs = attemptsEndMs(lane, entry);
  const { destination } = entry;
  const isPaused = lane.pauses.isPaused(destination.bank);
  const freeAtMs = entry.isEnding ? 0 : isPaused ? Number.POSITIVE_INFINITY : destination.freeAtMs(endMs);
  const dueMs = Math.max(entry.dueMs, freeAtMs);
  if (endMs === null) return dueMs;
  const untilEndMs = Math.max(endSlackMs, endMs - context.agreed.nowMs());
  return Math.min(dueMs, context.time.monotonicMs() + untilEndMs);
}
