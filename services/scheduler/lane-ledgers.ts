// What a lane's records moved, by day (I11): counted in memory, written before the lane's position.
//
// 1. A day's ledger is a function of the day and its `through`: all below is counted, nothing from there on. So of two the one with the higher
//    `through` is right, whoever wrote it, and a stale owner's write never takes its place.
// 2. A record below the day's `through` moves nothing: a replay counts once.
// 3. Nothing is counted before every day that the batch moves is in memory: it counts as a whole or not at all.

import { DayLedger, movedAt } from "@sluice/domain";
import type { DayKey, LedgerRow, Movement } from "@sluice/domain";
import { Fault } from "@sluice/runtime";
import type { LaneLedger, LedgerStore } from "@sluice/store";
import type { Turn } from "./handler.ts";

/** Days in memory; those that changed are always kept. */
export const daysKeptMax = 32;
const lostWritesMax = 5;

/** Of one lane, over all the times that one process owns it; `retake` comes before anything else. */
export interface LaneLedgers {
  /** Counts what the turns moved; from then on all below `nextOffset` is counted. */
  take(turns: readonly Turn[], nextOffset: bigint): Promise<void>;
  /** Resolves when the store has all that was counted when it was called. */
  write(): Promise<void>;
  /** A day as it is now, and the offset below which all is counted. */
  counted(day: DayKey): Promise<{ readonly offset: bigint; readonly rows: readonly LedgerRow[] }>;
  /**
   * The lane was taken again: what another owner counted meanwhile, below its position, takes the place of what is here. `isAnew`: the lane
   * was built anew meanwhile, and what is here counts for nothing. */
  retake(position: bigint, isAnew?: boolean): Promise<void>;
}

interface Kept {
  ledger: DayLedger;
  through: bigint;
  version: number;
  /** Counts changes; and how many of them are written. */
  changes: number;
  written: number;
}

export interface LaneLedgersOptions {
  readonly lane: number;
  readonly store: Pick<LedgerStore, "load" | "write">;
}

export function createLaneLedgers({ lane, store }: LaneLedgersOptions): LaneLedgers {
  const days = new Map<DayKey, Kept>();
  let through = 0n;

  async function bring(wanted: Iterable<DayKey>): Promise<void> {
    const missing = [...new Set(wanted)].filter((day) => !days.has(day));
    if (missing.length === 0) return;
    const found = await store.load(lane, missing);
    for (const day of missing) if (!days.has(day)) days.set(day, kept(found.get(day)));
  }

  async function writeDay(day: DayKey, one: Kept): Promise<void> {
    for (let tries = 0; tries < lostWritesMax; tries += 1) {
      const { changes, version } = one;
      const written = { lane, day, version: version + 1, through: throughOf(one), rows: one.ledger.rows() };
      if (await store.write(written, version)) {
        one.version = version + 1;
        one.written = changes;
        return;
      }
      await adopt(day, one);
      if (one.changes === one.written) return;
    }
    throw new Fault("scheduler.ledger-lost", `ledger of ${day}: ${lostWritesMax} others were faster`, { isRetryable: true });
  }

  /** What lies in the store takes the place of what is here, if it counts further. */
  async function adopt(day: DayKey, one: Kept): Promise<void> {
    const stored = (await store.load(lane, [day])).get(day);
    one.version = stored?.version ?? 0;
    if (stored === undefined || stored.through <= throughOf(one)) return;
    one.ledger = new DayLedger(stored.rows);
    one.through = stored.through;
    one.written = one.changes;
  }

  function throughOf(one: Kept): bigint {
    return one.through > through ? one.through : through;
  }

  return {
    async take(turns, nextOffset) {
      const moved = turns.flatMap(movedBy);
      await bring(moved.map(({ movement }) => movement.day));
      for (const { movement, offset } of moved) {
        const one = days.get(movement.day);
        if (one === undefined || offset < throughOf(one)) continue;
        one.ledger.add(movement);
        one.changes += 1;
      }
      if (nextOffset > through) through = nextOffset;
    },
    async write() {
      const changed = [...days].filter(([, { changes, written }]) => changes !== written);
      for (const [day, one] of changed) await writeDay(day, one);
      makeRoom(days);
    },
    async counted(day) {
      await bring([day]);
      const one = days.get(day) ?? kept(undefined);
      return { offset: throughOf(one), rows: one.ledger.rows() };
    },
    async retake(position, isAnew = false) {
      if (isAnew) {
        days.clear();
        through = 0n;
      }
      for (const [day, one] of days) await adopt(day, one);
      if (position > through) through = position;
    },
  };
}

function movedBy({ transaction, record }: Turn): readonly { readonly movement: Movement; readonly offset: bigint }[] {
  if (transaction === null) return [];
  return movedAt(transaction, record.offset).map((movement) => ({ movement, offset: record.offset }));
}

function dateOf(day: DayKey): string {
  return day.slice(day.lastIndexOf(":") + 1);
}

function kept(stored: LaneLedger | undefined): Kept {
  const version = stored?.version ?? 0;
  return { ledger: new DayLedger(stored?.rows), through: stored?.through ?? 0n, version, changes: 0, written: 0 };
}

/** Days that are written and not asked for again make room, the oldest dates first. */
function makeRoom(days: Map<DayKey, Kept>): void {
  const clean = [...days]
    .filter(([, { changes, written }]) => changes === written)
    .toSorted(([a], [b]) => (dateOf(a) < dateOf(b) ? -1 : 1));
  for (const [day] of clean.slice(0, Math.max(0, days.size - daysKeptMax))) days.delete(day);
}
