// The nearest deadlines of a lane's open credits: a page of keys (due time, then UETR), and what is known of each one in it.
//
// 1. A credit has one deadline here; a new one replaces it.
// 2. One that pauses is not due, and keeps its place.
//
// Bound: `keysMax` keys, and at most twice as many entries; entries of keys that fell out of the page go when it is reached.

import type { OpenRow, TransactionStore } from "@sluice/store";
import { createQueuePage, pageKeysMax } from "./queue-page.ts";

export interface Deadline {
  readonly uetr: string;
  /** Of the credit: what DeadlinePassed names. */
  readonly deadlineMs: number;
  /** When it is to be appended, by agreed time. */
  readonly dueMs: number;
}

export interface DeadlinePageOptions {
  readonly lane: number;
  readonly store: Pick<TransactionStore, "open">;
  readonly deadlineOf: (row: OpenRow) => Deadline | null;
  readonly keysMax?: number | undefined;
}

export interface DeadlinePage {
  insert(deadline: Deadline): void;
  remove(uetr: string): void;
  count(): number;
  /** It was cut, and `refill` would read the store. */
  isLow(): boolean;
  /** Those that are due by agreed time, the nearest first; `monotonicMs` for those that pause. */
  due(nowMs: number, monotonicMs: number, most: number): readonly Deadline[];
  /** Not due before that monotonic time; infinite: they were asked about. */
  pause(uetrs: readonly string[], untilMonotonicMs: number): void;
  /** The nearest one that was not asked about; null: none. */
  nextMs(): number | null;
  /** Fills the page up from the store if it was cut and runs low. */
  refill(): Promise<void>;
}

interface Entry {
  readonly key: string;
  readonly deadline: Deadline;
  /** Monotonic; infinite: asked about. */
  notBeforeMs: number;
}

/** A cut page with fewer keys is filled up. */
const lowPageKeys = 1_000;
const readRowsMax = 5_000;

export function createDeadlinePage(options: DeadlinePageOptions): DeadlinePage {
  const { keysMax = pageKeysMax } = options;
  const page = createQueuePage(keysMax);
  const entries = new Map<string, Entry>();

  function insert(deadline: Deadline): void {
    const key = keyOf(deadline);
    know(deadline, key);
    page.insert(key);
    if (entries.size > 2 * keysMax) forgetOutside();
  }

  function know(deadline: Deadline, key: string): void {
    const before = entries.get(deadline.uetr);
    if (before?.key === key) return;
    if (before !== undefined) page.remove(before.key);
    entries.set(deadline.uetr, { key, deadline, notBeforeMs: 0 });
  }

  function forgetOutside(): void {
    const kept = new Set(page.first(page.count));
    for (const [uetr, { key }] of entries) if (!kept.has(key)) entries.delete(uetr);
  }

  function isLow(): boolean {
    return page.completeTo !== null && !page.isRefilling && page.count < Math.min(lowPageKeys, keysMax / 2);
  }

  function listed(): readonly Entry[] {
    return page.first(page.count).flatMap((key) => entries.get(uetrOf(key)) ?? []);
  }

  return {
    insert,
    remove(uetr) {
      const known = entries.get(uetr);
      if (known === undefined) return;
      entries.delete(uetr);
      page.remove(known.key);
    },
    count: () => page.count,
    isLow,
    due(nowMs, monotonicMs, most) {
      const due: Deadline[] = [];
      for (const { deadline, notBeforeMs } of listed()) {
        if (deadline.dueMs > nowMs || due.length >= most) break;
        if (notBeforeMs <= monotonicMs) due.push(deadline);
      }
      return due;
    },
    pause(uetrs, untilMonotonicMs) {
      for (const uetr of uetrs) {
        const entry = entries.get(uetr);
        if (entry !== undefined) entry.notBeforeMs = untilMonotonicMs;
      }
    },
    nextMs: () => listed().find(({ notBeforeMs }) => notBeforeMs !== Number.POSITIVE_INFINITY)?.deadline.dueMs ?? null,
    async refill() {
      const { completeTo } = page;
      if (completeTo === null || !isLow()) return;
      const limit = keysMax - page.count;
      page.startRefill();
      try {
        const nearest = await readNearest(options, completeTo, limit);
        // What a record said meanwhile is newer than what was read.
        const read = [...nearest].filter(([key, { uetr }]) => (entries.get(uetr)?.key ?? key) === key);
        for (const [key, deadline] of read) know(deadline, key);
        const keys = read.map(([key]) => key);
        page.finishRefill(keys, nearest.size === limit);
      } catch (error) {
        page.abandonRefill();
        throw error;
      }
    },
  };
}

/** The `limit` nearest after a key, in order: the lane's open rows are read once, and one page of them more is kept meanwhile. */
async function readNearest(
  { lane, store, deadlineOf }: DeadlinePageOptions,
  afterKey: string,
  limit: number,
): Promise<ReadonlyMap<string, Deadline>> {
  let nearest: (readonly [string, Deadline])[] = [];
  let after: string | null = null;
  do {
    const rows: readonly OpenRow[] = await store.open(lane, after, readRowsMax);
    const deadlines = rows.flatMap((row) => deadlineOf(row) ?? []).map((deadline) => [keyOf(deadline), deadline] as const);
    const later = deadlines.filter(([key]) => key > afterKey);
    nearest = [...nearest, ...later].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit);
    after = rows.length === readRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return new Map(nearest);
}

function keyOf({ dueMs, uetr }: Deadline): string {
  return `${String(dueMs).padStart(15, "0")}:${uetr}`;
}

function uetrOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}
