// The releaser appends a Release for each held debit, on-us or off-us, whose turn has come. The domain decides at the
// Release's place in the journal whether it takes effect; this task only must not be late, must not flood a bank, and
// keeps the order.
//
// #1 It releases between a window's opening and its closing marker, while the bank's gate is open and the bank is not
//    paused; within one (partition, bank) in order of the queue key (I8).
// #2 At most the partition's share of the bank's `maxUnacknowledged` is outstanding: an appended Release counts at once
//    (`outstanding.ts`, `partition-share.ts`).
// #3 No debit gets a second Release while its first one is pending here; a failed one is made again, before any later
//    one. So nothing is released in a new window, or after a pause, while earlier Releases are undecided: those that
//    come too late are refused.
// #4 The store is read only when a cut page runs low (`queue-page.ts`).
// #5 Nothing here must survive: a new owner fills its pages from the store. It releases nothing before it has handled
//    every record that the partition had when it was assigned: a debit that became HELD meanwhile may come first.
// #6 The broker clock only says when a maintenance is probably over. The first Release behind it goes alone and is
//    repeated every `maintenanceProbeMs` until one takes effect. Otherwise, of two Releases chosen around its end, the
//    first might be refused and the second take effect.

import { dayKey, type DayKey, isGateOpenFor, type Release, type Transaction } from "@sluice/domain";
import type { Logger, Time } from "@sluice/kernel";
import type { OpenRow, TransactionStore } from "@sluice/store";
import type { AppendFacts } from "../append-facts.ts";
import { createHeldQueue, type HeldGroup, type HeldQueue } from "../queues/held-queue.ts";
import type { AppliedMarkers } from "../../partition/applied-markers.ts";
import { createMaintenanceEnds, type MaintenanceEnds } from "./maintenance-ends.ts";
import { createOutstandingReleases, type OutstandingReleases, type ReleaseRound } from "./outstanding.ts";
import { partitionShare, type PartitionShare } from "./partition-share.ts";
import { everyOffset, findOpenWindow } from "../../partition/read-day-markers.ts";
import type { SchedulerMetrics } from "../../scheduler-metrics.ts";
import { failedRunPauseMs, startBackgroundTask } from "../background-task.ts";

export interface ReleaserOptions {
  readonly partition: number;
  readonly partitionCount: number;
  readonly markers: AppliedMarkers;
  readonly store: Pick<TransactionStore, "held">;
  readonly append: AppendFacts;
  /** Returns a bank's `maxUnacknowledged`; 0 for a bank that is no longer configured. */
  maxUnacknowledged(bank: string): number;
  brokerNowMs(): number | null;
  /** Whether every record that the partition had when it was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  /** Monotonic milliseconds at which each bank last acknowledged a debit; shared by the partitions of a process. */
  readonly acknowledgedAtMs: Map<string, number>;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
  /** Keys kept in a page; 10,000 by default. */
  readonly pageKeysMax?: number;
}

export interface Releaser {
  /** Adds an open transaction; called for each one at take-over. */
  fill(row: OpenRow): void;
  /** Takes note of a transaction after a record changed it; `isRelease` says that the record was a Release. */
  observe(transaction: Transaction, isRelease: boolean): void;
  wake(): void;
  stop(): void;
}

/** Releases of one bank and day in one run. */
const runReleasesMax = 500;

interface ReleaseWork extends ReleaserOptions {
  readonly held: HeldQueue;
  readonly out: OutstandingReleases;
  readonly ends: MaintenanceEnds;
}

export function startReleaser(options: ReleaserOptions): Releaser {
  const { partition, time, logger } = options;
  const held = createHeldQueue(partition, countReads(options), options.pageKeysMax);
  const out = createOutstandingReleases(time, options.acknowledgedAtMs);
  const ends = createMaintenanceEnds({ ...options, brokerNowMs: () => options.brokerNowMs() });
  const work: ReleaseWork = { ...options, held, out, ends };
  const task = startBackgroundTask({ name: "releaser", partition, time, logger, run: () => run(work) });

  function saw(
    row: Pick<OpenRow, "uetr" | "flow" | "scheme" | "bank" | "businessDate" | "queueKey" | "state">,
    isRelease: boolean,
    datesBefore: ReadonlySet<string> = new Set(),
  ): void {
    const { uetr, flow, scheme, bank, businessDate, queueKey, state } = row;
    // Credits are never held.
    if (flow === "credit" || bank === null || businessDate === null) return;
    const day = dayKey(scheme, businessDate);
    if (out.observe(bank, uetr, state, isRelease)) held.insert(bank, day, queueKey);
    else held.remove(bank, day, queueKey);
    // The debit was carried over from these dates.
    for (const date of datesBefore) if (date !== businessDate) held.remove(bank, dayKey(scheme, date), queueKey);
  }

  return {
    fill: (row) => saw(row, false),
    observe(transaction, isRelease) {
      if (isRelease) ends.observeRelease(transaction);
      if (transaction.flow !== null) saw(transaction, isRelease, listHeldDates(transaction));
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}

function listHeldDates({ transitions }: Transaction): ReadonlySet<string> {
  return new Set(transitions.flatMap(({ state, businessDate }) => (state === "HELD" ? [businessDate] : [])));
}

function countReads({ store, metrics }: ReleaserOptions): ReleaserOptions["store"] {
  return {
    held(atPartition, bank, day, after, limit) {
      metrics.queueReads.add();
      return store.held(atPartition, bank, day, after, limit);
    },
  };
}

async function run(work: ReleaseWork): Promise<number | null> {
  for (const { group } of readyGroups(work)) await work.held.refill(group);
  // The partition made progress while the store was read, so the groups are chosen again.
  const chosen = readyGroups(work).flatMap((ready) => choose(work, ready));
  setGauges(work);
  if (chosen.length === 0) return nextDueMs(work);
  const isAppended = await work.append(chosen.map(({ uetr, fact }) => ({ key: uetr, fact })));
  if (!isAppended) {
    for (const one of chosen) returnToQueue(work, one);
    return failedRunPauseMs;
  }
  work.metrics.released.add({}, chosen.length);
  return chosen.length >= runReleasesMax ? 0 : nextDueMs(work);
}

interface ReadyGroup {
  readonly group: HeldGroup;
  readonly windowNumber: number;
  readonly share: PartitionShare;
  readonly round: ReleaseRound;
  /** Whether one Release goes alone, behind a maintenance (#6). */
  readonly isFirst: boolean;
}

function readyGroups(work: ReleaseWork): readonly ReadyGroup[] {
  if (!work.isCaughtUp()) return [];
  const { held, markers, partition, partitionCount } = work;
  return held.listGroups().flatMap((group) => {
    const passed = markers.markersOf(group.day);
    const windowNumber = findOpenWindow(passed);
    if (windowNumber === null || !isGateOpenFor(group.bank, passed, everyOffset)) return [];
    const release = work.ends.check(group.bank);
    if (release === "paused" || release === "waits") return [];
    const pausesApplied = markers.bankMarkersOf(group.bank).at(-1)?.marker.number ?? 0;
    // #6: every undecided Release belongs to an earlier round.
    const round = { day: group.day, open: `${windowNumber} ${pausesApplied} ${release === "first" ? work.time.monotonicMs() : ""}` };
    if (work.out.hasEarlierRound(group.bank, round)) return [];
    const share = partitionShare(work.maxUnacknowledged(group.bank), partitionCount, partition, work.brokerNowMs());
    return [{ group, windowNumber, share, round, isFirst: release === "first" }];
  });
}

interface ChosenRelease {
  readonly uetr: string;
  readonly queueKey: string;
  readonly day: DayKey;
  readonly fact: Release;
}

function choose({ held, out, ends }: ReleaseWork, { group, windowNumber, share, round, isFirst }: ReadyGroup): readonly ChosenRelease[] {
  const { bank, day, page } = group;
  const free = Math.min(share.debits - out.count(bank), isFirst ? 1 : runReleasesMax);
  if (free <= 0) return [];
  if (isFirst) ends.markTried(bank);
  const [scheme, businessDate] = [schemeFromKey(day), day.slice(day.indexOf(":") + 1)];
  return page.first(free).map((queueKey) => {
    const uetr = queueKey.slice(queueKey.indexOf(":") + 1);
    out.addRelease(bank, uetr, round);
    held.remove(bank, day, queueKey);
    return { uetr, queueKey, day, fact: { kind: "Release", scheme, businessDate, windowNumber, bank } };
  });
}

function returnToQueue({ held, out }: ReleaseWork, { uetr, queueKey, day, fact }: ChosenRelease): void {
  if (out.removeUnappended(fact.bank, uetr)) held.insert(fact.bank, day, queueKey);
}

/**
 * Milliseconds after which the passing of time alone may change something: a silent debit stops counting, or shares
 * rotate.
 */
function nextDueMs(work: ReleaseWork): number | null {
  const ofReady = readyGroups(work).flatMap(({ group, share }) => [share.changesInMs, work.out.silentInMs(group.bank)]);
  const banks = new Set(work.held.listGroups().map(({ bank }) => bank));
  const waits = [...ofReady, ...[...banks].map((bank) => work.ends.changesInMs(bank))];
  return waits.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b)), null);
}

function setGauges({ held, partition, metrics, markers }: ReleaseWork): void {
  const banks = new Map<string, number>();
  const atClosedGates = new Map<string, number>();
  const due = new Map<string, number>();
  for (const { bank, day, page } of held.listGroups()) {
    banks.set(bank, (banks.get(bank) ?? 0) + page.count);
    const passed = markers.markersOf(day);
    if (findOpenWindow(passed) === null) continue;
    const isGateOpen = isGateOpenFor(bank, passed, everyOffset);
    const [counted, key] = isGateOpen ? [due, schemeFromKey(day)] : [atClosedGates, bank];
    counted.set(key, (counted.get(key) ?? 0) + page.count);
  }
  metrics.setHeldDebits(partition, banks);
  metrics.setDebitsAtClosedGates(partition, atClosedGates);
  metrics.setDueDebits(partition, due);
}

function schemeFromKey(day: DayKey): string {
  return day.slice(0, day.indexOf(":"));
}
