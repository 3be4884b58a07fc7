// Keeps the last result of a count that grows with the data, so that people who look do not wait for it.
//
// #1 One count runs at a time. While one runs longer than `waitMaxMs`, the one before it is the answer; only the first
//    question of all waits. One that failed before it was asked for is made again.
// #2 A result is used for `keptMinMs`, and for ten times as long as it took: a slow count takes a tenth of one
//    connection's time at most.
// #3 A count that reads very much need not be waited for at all: `readSoon` says after `waitMaxMs` that there is none
//    yet.

import { assert, sleep, type Time } from "@sluice/kernel";

export interface KeptCount<Counted> {
  /** Rejects like the count, where there is no earlier result. */
  read(): Promise<Counted>;
  /** #3 Null: it is being counted for the first time. */
  readSoon(): Promise<Counted | null>;
}

const waitMaxMs = 100;
const keptMinMs = 1_000;
const restFactor = 10;

export function createKeptCount<Counted extends object>(time: Time, count: () => Promise<Counted>): KeptCount<Counted> {
  let last: { readonly counted: Counted; readonly freshUntilMs: number } | null = null;
  let underWay: Promise<Counted> | null = null;

  async function run(): Promise<Counted> {
    const startedMs = time.monotonicMs();
    const counted = await count();
    const doneMs = time.monotonicMs();
    last = { counted, freshUntilMs: doneMs + Math.max(keptMinMs, restFactor * (doneMs - startedMs)) };
    return counted;
  }

  function start(): Promise<Counted> {
    underWay ??= run().finally(() => (underWay = null));
    return underWay;
  }

  async function noLonger<T>(running: Promise<Counted>, otherwise: T): Promise<Counted | T> {
    const waiting = new AbortController();
    const tooLong = sleep(time, waitMaxMs, waiting.signal).then(() => otherwise);
    return await Promise.race([running, tooLong]).finally(() => waiting.abort());
  }

  async function read(first: (running: Promise<Counted>) => Promise<Counted | null>): Promise<Counted | null> {
    if (last !== null && time.monotonicMs() < last.freshUntilMs) return last.counted;
    const joined = underWay;
    if (last === null) return await first(joined === null ? start() : joined.catch(start));
    const before = last.counted;
    return await noLonger(
      start().catch(() => before),
      before,
    );
  }

  return {
    async read() {
      const counted = await read((running) => running);
      assert(counted !== null, "the first count is waited for");
      return counted;
    },
    readSoon: () =>
      read((running) => {
        // One that fails after nobody waits for it is made again by the next question.
        running.catch(() => null);
        return noLonger(running, null);
      }),
  };
}
