// What a partition's records moved, by day (I11): counted in memory, written before the partition's position.
//
// #1 A day's ledger is a function of the day and its `through`: every record below `through` is counted, none from
//    there on. So of two ledgers the one with the higher `through` is right, no matter who wrote it, and a stale
//    owner's write never replaces it: the store compares `through` too, because a restore gives a version again.
// #2 A record below the day's `through` moves nothing: a replay counts once.
// #3 A restored store may have been put in place since the batch began, and its ledgers lack what this process counts
//    as done. So a ledger that was read is used only if the store is still the one that the lease knows.
// #4 A batch is counted only after every day that it moves is in memory: it counts as a whole or not at all.

import { type DayKey, DayLedger, type LedgerRow, type Movement, movementsAt } from "@sluice/domain";
import { Fault } from "@sluice/kernel";
import type { PartitionLedger, LedgerStore } from "@sluice/store";
import type { HandledRecord } from "../handlers/handler.ts";

/** Days in memory; days with unwritten changes are always kept. */
export const ledgerDaysKeptMax = 32;
const lostWritesMax = 5;

/**
 * The ledgers of one partition, over every lease that one process has on it; `reload` is called before anything else.
 */
export interface DayLedgers {
  /** Counts what the handled records moved; afterwards everything below `nextOffset` is counted. */
  count(handled: readonly HandledRecord[], nextOffset: bigint): Promise<void>;
  /** Writes the changed days. Resolves when the store has everything that was counted when it was called. */
  write(): Promise<void>;
  /** Reads a day as it is now, with the offset below which everything is counted. */
  read(day: DayKey): Promise<{ readonly offset: bigint; readonly rows: readonly LedgerRow[] }>;
  /**
   * Called when the lease is taken again: adopts what another owner counted meanwhile below its position. If the
   * partition was rebuilt meanwhile (`isRebuilt`), everything in memory is dropped.
   */
  reload(position: bigint, isRebuilt?: boolean): Promise<void>;
}

interface KeptDay {
  ledger: DayLedger;
  through: bigint;
  version: number;
  /** Number of changes, and how many of them are written. */
  changes: number;
  written: number;
}

export interface DayLedgersOptions {
  readonly partition: number;
  readonly store: Pick<LedgerStore, "load" | "write">;
  /** Rejects if the store is not the one that the lease knows (#3). */
  readonly requireLease: () => Promise<void>;
  /** Called with each ledger that the store has acknowledged. */
  readonly onWritten?: (day: DayKey, version: number) => void;
}

export function createDayLedgers({ partition, store, requireLease, onWritten }: DayLedgersOptions): DayLedgers {
  const days = new Map<DayKey, KeptDay>();
  let through = 0n;

  async function loadMissing(wanted: Iterable<DayKey>): Promise<void> {
    const missing = [...new Set(wanted)].filter((day) => !days.has(day));
    if (missing.length === 0) return;
    const found = await store.load(partition, missing);
    await requireLease();
    for (const day of missing) if (!days.has(day)) days.set(day, toKeptDay(found.get(day)));
  }

  async function writeDay(day: DayKey, one: KeptDay): Promise<void> {
    for (let tries = 0; tries < lostWritesMax; tries += 1) {
      const { changes, version } = one;
      const written = { partition, day, version: version + 1, through: countedBelow(one), rows: one.ledger.rows() };
      if (await store.write(written, version)) {
        one.version = version + 1;
        one.written = changes;
        onWritten?.(day, version + 1);
        return;
      }
      await adopt(day, one);
      if (one.changes === one.written) return;
    }
    throw new Fault("scheduler.ledger-lost", `ledger of ${day}: ${lostWritesMax} other writers were faster`, { isRetryable: true });
  }

  /** Adopts the stored ledger if it counts further than the one in memory. */
  async function adopt(day: DayKey, one: KeptDay): Promise<void> {
    const stored = (await store.load(partition, [day])).get(day);
    one.version = stored?.version ?? 0;
    if (stored === undefined || stored.through <= countedBelow(one)) return;
    one.ledger = new DayLedger(stored.rows);
    one.through = stored.through;
    one.written = one.changes;
  }

  function countedBelow(one: KeptDay): bigint {
    return one.through > through ? one.through : through;
  }

  return {
    async count(handled, nextOffset) {
      const moved = handled.flatMap(findMovements);
      await loadMissing(moved.map(({ movement }) => movement.day));
      for (const { movement, offset } of moved) {
        const one = days.get(movement.day);
        if (one === undefined || offset < countedBelow(one)) continue;
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
    async read(day) {
      await loadMissing([day]);
      const one = days.get(day) ?? toKeptDay(undefined);
      return { offset: countedBelow(one), rows: one.ledger.rows() };
    },
    async reload(position, isRebuilt = false) {
      if (isRebuilt) {
        days.clear();
        through = 0n;
      }
      for (const [day, one] of days) await adopt(day, one);
      if (position > through) through = position;
    },
  };
}

function findMovements({ transaction, record }: HandledRecord): readonly { readonly movement: Movement; readonly offset: bigint }[] {
  if (transaction === null) return [];
  return movementsAt(transaction, record.offset).map((movement) => ({ movement, offset: record.offset }));
}

function dateFromKey(day: DayKey): string {
  return day.slice(day.lastIndexOf(":") + 1);
}

function toKeptDay(stored: PartitionLedger | undefined): KeptDay {
  const version = stored?.version ?? 0;
  return { ledger: new DayLedger(stored?.rows), through: stored?.through ?? 0n, version, changes: 0, written: 0 };
}

/** Drops written days beyond the bound, the oldest dates first. */
function makeRoom(days: Map<DayKey, KeptDay>): void {
  const clean = [...days]
    .filter(([, { changes, written }]) => changes === written)
    .toSorted(([a], [b]) => (dateFromKey(a) < dateFromKey(b) ? -1 : 1));
  for (const [day] of clean.slice(0, Math.max(0, days.size - ledgerDaysKeptMax))) days.delete(day);
}
