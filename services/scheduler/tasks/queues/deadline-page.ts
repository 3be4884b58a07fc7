// The nearest deadlines of a partition's open credits: a page of keys (due time, then UETR), and an entry for each key.
//
// #1 A credit has one deadline here; a new one replaces it.
// #2 A paused deadline is not due, and keeps its place.
//
// Bound: `keysMax` keys, and at most twice as many entries; entries of keys that fell out of the page are removed when
// the bound is reached.

import type { OpenRow, TransactionStore, UnreadRow } from "@sluice/store";
import { createQueuePage, queuePageKeysMax } from "./queue-page.ts";

export interface CreditDeadline {
  readonly uetr: string;
  /** The credit's deadline, which DeadlinePassed names. */
  readonly deadlineMs: number;
  /** When DeadlinePassed is to be appended, by the broker clock. */
  readonly dueMs: number;
}

export interface DeadlinePageOptions {
  readonly partition: number;
  readonly store: Pick<TransactionStore, "open">;
  readonly readDeadline: (row: OpenRow) => CreditDeadline | null;
  readonly keysMax?: number | undefined;
  /** Open rows that are read at once. */
  readonly rowsMax: number;
}

export interface DeadlinePage {
  insert(deadline: CreditDeadline): void;
  remove(uetr: string): void;
  count(): number;
  /** Whether the page is cut and `refill` would read the store. */
  isLow(): boolean;
  /** Lists the due deadlines by the broker clock, the nearest first; `monotonicMs` decides about paused ones. */
  listDue(nowMs: number, monotonicMs: number, most: number): readonly CreditDeadline[];
  /** Pauses deadlines until a monotonic time; infinite once their DeadlinePassed is appended. */
  pause(uetrs: readonly string[], untilMonotonicMs: number): void;
  /** The nearest due time whose DeadlinePassed is not appended yet; null if there is none. */
  nextMs(): number | null;
  /** Reads the store if the page is cut and runs low. */
  refill(): Promise<void>;
}

interface Entry {
  readonly key: string;
  readonly deadline: CreditDeadline;
  /** Monotonic milliseconds; infinite once DeadlinePassed is appended. */
  notBeforeMs: number;
}

/** A cut page with fewer keys is refilled. */
const lowPageKeys = 1_000;

export function createDeadlinePage(options: DeadlinePageOptions): DeadlinePage {
  const { keysMax = queuePageKeysMax } = options;
  const page = createQueuePage(keysMax);
  const entries = new Map<string, Entry>();

  function insert(deadline: CreditDeadline): void {
    const key = deadlineKey(deadline);
    setEntry(deadline, key);
    page.insert(key);
    if (entries.size > 2 * keysMax) removeOutside();
  }

  function setEntry(deadline: CreditDeadline, key: string): void {
    const before = entries.get(deadline.uetr);
    if (before?.key === key) return;
    if (before !== undefined) page.remove(before.key);
    entries.set(deadline.uetr, { key, deadline, notBeforeMs: 0 });
  }

  function removeOutside(): void {
    const kept = new Set(page.first(page.count));
    for (const [uetr, { key }] of entries) if (!kept.has(key)) entries.delete(uetr);
  }

  function isLow(): boolean {
    return page.completeTo !== null && !page.isRefilling && page.count < Math.min(lowPageKeys, keysMax / 2);
  }

  function listEntries(): readonly Entry[] {
    return page.first(page.count).flatMap((key) => entries.get(uetrFromKey(key)) ?? []);
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
    listDue(nowMs, monotonicMs, most) {
      const due: CreditDeadline[] = [];
      for (const { deadline, notBeforeMs } of listEntries()) {
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
    nextMs: () => listEntries().find(({ notBeforeMs }) => notBeforeMs !== Number.POSITIVE_INFINITY)?.deadline.dueMs ?? null,
    async refill() {
      const { completeTo } = page;
      if (completeTo === null || !isLow()) return;
      const limit = keysMax - page.count;
      page.startRefill();
      try {
        const nearest = await readNearest(options, completeTo, limit);
        // A record may have changed the deadline meanwhile; it is newer than the row.
        const read = [...nearest].filter(([key, { uetr }]) => (entries.get(uetr)?.key ?? key) === key);
        for (const [key, deadline] of read) setEntry(deadline, key);
        const keys = read.map(([key]) => key);
        page.finishRefill(keys, nearest.size === limit);
      } catch (error) {
        page.abandonRefill();
        throw error;
      }
    },
  };
}

/**
 * Reads the `limit` nearest deadlines after a key, in order. Scans the partition's open rows once, with one more page
 * in memory.
 */
async function readNearest(
  { partition, store, readDeadline, rowsMax }: DeadlinePageOptions,
  afterKey: string,
  limit: number,
): Promise<ReadonlyMap<string, CreditDeadline>> {
  let nearest: (readonly [string, CreditDeadline])[] = [];
  let after: string | null = null;
  do {
    const rows: readonly (OpenRow | UnreadRow)[] = await store.open(partition, after, rowsMax);
    const deadlines = rows
      .flatMap((row) => (row.flow === null ? [] : (readDeadline(row) ?? [])))
      .map((deadline) => [deadlineKey(deadline), deadline] as const);
    const later = deadlines.filter(([key]) => key > afterKey);
    nearest = [...nearest, ...later].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit);
    after = rows.length === rowsMax ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return new Map(nearest);
}

function deadlineKey({ dueMs, uetr }: CreditDeadline): string {
  return `${String(dueMs).padStart(15, "0")}:${uetr}`;
}

function uetrFromKey(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}
