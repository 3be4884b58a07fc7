// Counts the messages that are parked for each receiver and day, when somebody asks.
//
// #1 A count reads all that is parked: a second for 100,000 messages, many seconds for a million. One count runs at a
//    time; callers that ask meanwhile wait for the same one.
// #2 If the count takes longer than the caller waits, the previous count is returned with its time, unless it is older
//    than ten minutes.

import { sleep, type Time } from "@sluice/kernel";
import type { ParkedTotals, Store } from "@sluice/store";

export interface ParkedCount {
  readonly deliveries: readonly ParkedTotals[];
  readonly postings: readonly ParkedTotals[];
  /** Time by the broker clock when the count began; null: it was not known. */
  readonly countedAtMs: number | null;
}

export interface ParkedCounts {
  /** #2 Null: not counted in time, and never before. Rejects like the store. */
  within(waitMs: number): Promise<ParkedCount | null>;
  /** The running count, or a new one. */
  next(): Promise<ParkedCount>;
}

export interface ParkedCountPorts {
  readonly time: Time;
  readonly store: Pick<Store, "deliveries" | "postings">;
  readonly brokerNowMs: () => number | null;
}

const keptMaxMs = 600_000;

export function createParkedCounts({ time, store, brokerNowMs }: ParkedCountPorts): ParkedCounts {
  let underWay: Promise<ParkedCount> | null = null;
  let last: { readonly count: ParkedCount; readonly doneMs: number } | null = null;

  async function count(): Promise<ParkedCount> {
    const countedAtMs = brokerNowMs();
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
