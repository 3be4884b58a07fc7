// Gathers calls that many make at the same moment, such as all partitions of a process, into one call for all of them.
//
// #1 The first call waits a moment (`after` of 0 ms) for others; at most `itemsMax` go together.
// #2 Each caller has the answer for its own item. If the call for all rejects, each of them learns it, and each repeats
//    its own in its own time.

import type { Time } from "./time.ts";

export interface GatheredCallsOptions<Item, Answer> {
  readonly time: Time;
  /** The most items of one call. */
  readonly itemsMax: number;
  /** Answers in the order of the items. */
  call(items: readonly Item[]): Promise<readonly Answer[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export function gatherCalls<Item, Answer>({ time, itemsMax, call }: GatheredCallsOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];

  async function callAll(all: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await call(all.map(({ item }) => item));
      for (const [index, { resolve, reject }] of all.entries()) {
        if (index < answers.length) resolve(answers[index]!);
        else reject(new Error("a gathered call answers for each item"));
      }
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  function callWaiting(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += itemsMax) void callAll(all.slice(from, from + itemsMax));
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) time.after(0, callWaiting);
    });
}
