// How many messages are parked for each receiver and day: counted when somebody asks.
//
// #1 Counting goes over all that is parked: a second for 100,000, many for a million. One count is under way at a time; whoever asks meanwhile
//    waits for the same.
// #2 Where it takes longer than who asks would wait, the count before it is given, with its time; one that is older than ten minutes is not.

import { sleep, type Time } from "@sluice/runtime";
import type { ParkedTotals, Store } from "@sluice/store";

export interface ParkedCount {
  readonly deliveries: readonly ParkedTotals[];
  readonly postings: readonly ParkedTotals[];
  /** When it began, by agreed time; null: that was not known. */
  readonly countedAtMs: number | null;
}

export interface ParkedCounts {
  /** #2. Null: not counted by then, and not before. Rejects as the store does. */
  within(waitMs: number): Promise<ParkedCount | null>;
  /** The count under way, or a new one. */
  next(): Promise<ParkedCount>;
}

export interface CountPorts {
  readonly time: Time;
  readonly store: Pick<Store, "deliveries" | "postings">;
  readonly agreedNowMs: () => number | null;
}

const keptMaxMs = 600_000;

export function createParkedCounts({ time, store, agreedNowMs }: CountPorts): ParkedCounts {
  let underWay: Promise<ParkedCount> | null = null;
  let last: { readonly count: ParkedCount; readonly doneMs: number } | null = null;

  async function count(): Promise<ParkedCount> {
    const countedAtMs = agreedNowMs();
    const [deliveries, postings] = await Promise.all([store.deliveries.totals(), store.postings.totals()]);
    const counted = { deliveries, postings, countedAtMs };
    last = { count: counted, doneMs: time.monotonicMs() };
    return counted;
  }

  /** #1 */
  function next(): Promise<ParkedCount> {
    underWay ??= count().finally(() => (underWay = null));
    return underWay;
  }

  return {
    next,
    async within(waitMs) {
      const waiting = new AbortController();
      const tooLong = sleep(time, waitMs, waiting.signal).then(() => null);
      const counted = await Promise.race([next(), tooLong]).finally(() => waiting.abort());
      if (counted !== null) return counted;
      return last !== null && time.monotonicMs() - last.doneMs <= keptMaxMs ? last.count : null;
    },
  };
}
