// Releasing: appends a Release for each held debit, on-us or off-us, whose turn has come. Whether it stands is judged where it lies in the
// journal; this task only must not be late, must not flood a bank, and keeps the order.
//
// 1. Between a window's opening and its closing marker, where the bank's gate is open and the bank is not paused; per (lane, bank) in order of the queue key (I8).
// 2. At most the lane's share of the bank's `maxUnacknowledged` is out: an appended Release counts at once (`outstanding.ts`, `pace.ts`).
// 3. No Release is appended twice for a debit whose first one is still pending here; one that failed is made again, before any later one. So
//    nothing is released in a window, or after a pause, while Releases chosen before it are not judged: those that come too late are refused.
// 4. The store is read only when a page that was cut runs low (`queue-page.ts`).
// 5. Nothing here must survive: a new owner fills its pages from the store. It releases nothing before it has handled all that lay in the log
//    when it took the lane: a debit that became held meanwhile may come first.
// 6. Agreed time only says when a maintenance is probably over; the first Release behind it, alone, tries that, every `tryMs` until one stood.
//    Otherwise of two that were chosen around its end the first might be refused and the second stand.

import { dayKey, isGateOpenFor } from "@sluice/domain";
import type { DayKey, Release, Transaction } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { HeldGroup, HeldQueue } from "./held-queue.ts";
import { createHeldQueue } from "./held-queue.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { createMaintenanceEnds } from "./maintenance-ends.ts";
import type { MaintenanceEnds } from "./maintenance-ends.ts";
import type { Outstanding, Turn } from "./outstanding.ts";
import { createOutstanding } from "./outstanding.ts";
import { laneShare } from "./pace.ts";
import type { LaneShare } from "./pace.ts";
import { everyOffset, openWindowOf } from "./passed-day.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface ReleasingOptions {
  readonly lane: number;
  readonly lanes: number;
  readonly markers: LaneMarkers;
  readonly store: Pick<TransactionStore, "held">;
  readonly append: AppendFacts;
  /** A bank's `maxUnacknowledged`; 0 for one that is not configured any more. */
  maxUnacknowledged(bank: string): number;
  agreedNowMs(): number | null;
  /** All that lay in the log when the lane was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  /** When a bank last acknowledged a debit, monotonic; shared by the lanes of a process. */
  readonly acknowledgedAtMs: Map<string, number>;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: SchedulerMetrics;
  /** Keys of a page, 10,000 where none are given. */
  readonly pageKeysMax?: number;
}

export interface Releasing {
  /** At take-over, each open transaction of the lane. */
  fill(row: OpenRow): void;
  /** A transaction as a record left it; `isRelease`: the record was a Release. */
  saw(transaction: Transaction, isRelease: boolean): void;
  wake(): void;
  stop(): void;
}

/** Releases of one bank and day in one turn. */
const turnReleasesMax = 500;

interface Work extends ReleasingOptions {
  readonly held: HeldQueue;
  readonly out: Outstanding;
  readonly ends: MaintenanceEnds;
}

export function startReleasing(options: ReleasingOptions): Releasing {
  const { lane, time, log } = options;
  const held = createHeldQueue(lane, counted(options), options.pageKeysMax);
  const out = createOutstanding(time, options.acknowledgedAtMs);
  const ends = createMaintenanceEnds({ ...options, agreedNowMs: () => options.agreedNowMs() });
  const work: Work = { ...options, held, out, ends };
  const task = startStandingTask({ name: "releasing", lane, time, log, turn: () => turn(work) });

  function saw(
    row: Pick<Transaction, "uetr" | "flow" | "scheme" | "bank" | "businessDate" | "queueKey" | "state">,
    isRelease: boolean,
    datesBefore: ReadonlySet<string> = new Set(),
  ): void {
    const { uetr, flow, scheme, bank, businessDate, queueKey, state } = row;
    // Credits are never held.
    if (flow === "credit" || bank === null || businessDate === null || state === "ORPHAN") return;
    const day = dayKey(scheme, businessDate);
    if (out.saw(bank, uetr, state, isRelease)) held.insert(bank, day, queueKey);
    else held.remove(bank, day, queueKey);
    // It went over from there.
    for (const date of datesBefore) if (date !== businessDate) held.remove(bank, dayKey(scheme, date), queueKey);
  }

  return {
    fill: (row) => saw(row, false),
    saw(transaction, isRelease) {
      if (isRelease) ends.sawRelease(transaction);
      saw(transaction, isRelease, datesHeld(transaction));
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

function datesHeld({ transitions }: Transaction): ReadonlySet<string> {
  return new Set(transitions.flatMap(({ state, businessDate }) => (state === "HELD" ? [businessDate] : [])));
}

function counted({ store, metrics }: ReleasingOptions): ReleasingOptions["store"] {
  return {
    held(atLane, bank, day, after, limit) {
      metrics.queueReads.add({ bank });
      return store.held(atLane, bank, day, after, limit);
    },
  };
}

async function turn(work: Work): Promise<number | null> {
  for (const { group } of readyGroups(work)) await work.held.refill(group);
  // The lane went on while the store was read: what is open is asked again.
  const chosen = readyGroups(work).flatMap((ready) => choose(work, ready));
  gauge(work);
  if (chosen.length === 0) return nextDueMs(work);
  const isAppended = await work.append(chosen.map(({ uetr, fact }) => ({ key: uetr, fact })));
  if (!isAppended) {
    for (const one of chosen) putBack(work, one);
    return failedTurnPauseMs;
  }
  for (const { fact } of chosen) work.metrics.released.add({ bank: fact.bank });
  return chosen.length >= turnReleasesMax ? 0 : nextDueMs(work);
}

interface Ready {
  readonly group: HeldGroup;
  readonly windowNumber: number;
  readonly share: LaneShare;
  readonly turn: Turn;
  /** #6 */
  readonly isFirst: boolean;
}

function readyGroups(work: Work): readonly Ready[] {
  if (!work.isCaughtUp()) return [];
  const { held, markers, lane, lanes } = work;
  return held.groups().flatMap((group) => {
    const passed = markers.passed(group.day);
    const windowNumber = openWindowOf(passed);
    if (windowNumber === null || !isGateOpenFor(group.bank, passed, everyOffset)) return [];
    const standing = work.ends.standing(group.bank);
    if (standing === "paused" || standing === "waits") return [];
    const pausesPassed = markers.passedOfBank(group.bank).at(-1)?.marker.number ?? 0;
    // #6: whatever is not judged yet is of an earlier turn.
    const turn = { day: group.day, open: `${windowNumber} ${pausesPassed} ${standing === "first" ? work.time.monotonicMs() : ""}` };
    if (work.out.isEarlierTurnOpen(group.bank, turn)) return [];
    const share = laneShare(work.maxUnacknowledged(group.bank), lanes, lane, work.agreedNowMs());
    return [{ group, windowNumber, share, turn, isFirst: standing === "first" }];
  });
}

interface Chosen {
  readonly uetr: string;
  readonly queueKey: string;
  readonly day: DayKey;
  readonly fact: Release;
}

function choose({ held, out, ends }: Work, { group, windowNumber, share, turn, isFirst }: Ready): readonly Chosen[] {
  const { bank, day, page } = group;
  const free = Math.min(share.debits - out.counted(bank), isFirst ? 1 : turnReleasesMax);
  if (free <= 0) return [];
  if (isFirst) ends.tries(bank);
  const [scheme, businessDate] = [schemeOf(day), day.slice(day.indexOf(":") + 1)];
  return page.first(free).map((queueKey) => {
    const uetr = queueKey.slice(queueKey.indexOf(":") + 1);
    out.isReleasing(bank, uetr, turn);
    held.remove(bank, day, queueKey);
    return { uetr, queueKey, day, fact: { kind: "Release", scheme, businessDate, windowNumber, bank } };
  });
}

function putBack({ held, out }: Work, { uetr, queueKey, day, fact }: Chosen): void {
  if (out.notAppended(fact.bank, uetr)) held.insert(fact.bank, day, queueKey);
}

/** When waiting alone may change something: a silent debit stops counting, or another lane's turn ends. */
function nextDueMs(work: Work): number | null {
  const ofReady = readyGroups(work).flatMap(({ group, share }) => [share.changesInMs, work.out.silentInMs(group.bank)]);
  const banks = new Set(work.held.groups().map(({ bank }) => bank));
  const waits = [...ofReady, ...[...banks].map((bank) => work.ends.changesInMs(bank))];
  return waits.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b)), null);
}

function gauge({ held, lane, metrics }: Work): void {
  const banks = new Map<string, number>();
  for (const { bank, page } of held.groups()) banks.set(bank, (banks.get(bank) ?? 0) + page.count);
  metrics.held(lane, banks);
}

function schemeOf(day: DayKey): string {
  return day.slice(0, day.indexOf(":"));
}
