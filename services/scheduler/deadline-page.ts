// The nearest deadlines of a lane's open credits: a page of keys (due time, then UETR), and what is known of each one in it.
//
// 1. A credit has one deadline here; a new one replaces it.
// 2. One that was asked about is not due again until the answer was "too early", and a pause has passed.
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
  deadlineOf(row: OpenRow): Deadline | null;
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
  /** Not due any more, until `pause`. */
  asked(deadlines: readonly Deadline[]): void;
  /** The answer was "too early": not due again before that monotonic time. */
  pause(uetr: string, untilMonotonicMs: number): void;
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
const readRowsMax = 10_000;

export function createDeadlinePage({ lane, store, deadlineOf, keysMax = pageKeysMax }: DeadlinePageOptions): DeadlinePage {
  const page = createQueuePage(keysMax);
  const entries = new Map<string, Entry>();

  function insert(deadline: Deadline): void {
    const key = keyOf(deadline);
    const known = entries.get(deadline.uetr);
    if (known !== undefined && known.key !== key) page.remove(known.key);
    if (known?.key !== key) entries.set(deadline.uetr, { key, deadline, notBeforeMs: 0 });
    page.insert(key);
    if (entries.size > 2 * keysMax) forgetOutside();
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
    asked(deadlines) {
      for (const { uetr } of deadlines) {
        const entry = entries.get(uetr);
        if (entry !== undefined) entry.notBeforeMs = Number.POSITIVE_INFINITY;
      }
    },
    pause(uetr, untilMonotonicMs) {
      const entry = entries.get(uetr);
      if (entry !== undefined) entry.notBeforeMs = untilMonotonicMs;
    },
    nextMs: () => listed().find(({ notBeforeMs }) => notBeforeMs !== Number.POSITIVE_INFINITY)?.deadline.dueMs ?? null,
    async refill() {
      const { completeTo } = page;
      if (completeTo === null || !isLow()) return;
      const limit = keysMax - page.count;
      page.startRefill();
      try {
        const nearest = await readNearest(completeTo, limit);
        for (const [key, deadline] of nearest) entries.set(deadline.uetr, { key, deadline, notBeforeMs: 0 });
        page.finishRefill([...nearest.keys()], nearest.size === limit);
      } catch (error) {
        page.abandonRefill();
        throw error;
      }
    },
  };

  /** The `limit` nearest after a key, in order: the lane's open rows are read once, and no more than twice as many kept meanwhile. */
  async function readNearest(afterKey: string, limit: number): Promise<ReadonlyMap<string, Deadline>> {
    let nearest: (readonly [string, Deadline])[] = [];
    let after: string | null = null;
    do {
      const rows: readonly OpenRow[] = await store.open(lane, after, readRowsMax);
      for (const row of rows) {
        const deadline = deadlineOf(row);
        if (deadline === null) continue;
        const key = keyOf(deadline);
        if (key > afterKey) nearest.push([key, deadline]);
      }
      nearest = nearest.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit);
      after = rows.length === readRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
    return new Map(nearest);
  }
}

function keyOf({ dueMs, uetr }: Deadline): string {
  return `${String(dueMs).padStart(15, "0")}:${uetr}`;
}

function uetrOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}
