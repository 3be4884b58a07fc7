// Gathers calls that many make at the same moment, such as all partitions of a process, into one call for all of them.
//
// #1 The first call waits a moment (`after` of 0 ms) for others; at most `itemsMax` go together.
// #2 Each caller has the answer for its own item. If the call for all rejects, each of them learns it, and each repeats
//    its own in its own time.
// #3 With `behindMaxMs` those that come while a call is under way go together when it has its answer. So the more there
//    is to do, the more goes together, and where nothing is under way nothing waits. A call that takes longer than that
//    holds up nobody else.
// #4 With `isRepeatedAlone`, items whose call for all rejects go once more, each alone: what is wrong with one is no
//    trouble of the others.

import type { Time } from "./time.ts";

export interface GatheredCallsOptions<Item, Answer> {
  readonly time: Time;
  /** The most items of one call, in the unit of `sizeOf`. */
  readonly itemsMax: number;
  /** What an item counts; 1 by default. One that is larger than `itemsMax` goes alone. */
  readonly sizeOf?: (item: Item) => number;
  /** #3: milliseconds that an item waits at most behind a call that is under way; 0 by default. */
  readonly behindMaxMs?: number;
  /** #4. Only for calls that may be made twice. */
  readonly isRepeatedAlone?: boolean;
  /** Answers in the order of the items. */
  readonly call: (items: readonly Item[]) => Promise<readonly Answer[]>;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

export function gatherCalls<Item, Answer>(options: GatheredCallsOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  const gathered = new GatheredCalls(options);
  return (item) => gathered.ask(item);
}

class GatheredCalls<Item, Answer> {
  readonly #options: GatheredCallsOptions<Item, Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #timer: Disposable | null = null;
  #underWayCount = 0;

  constructor(options: GatheredCallsOptions<Item, Answer>) {
    this.#options = options;
  }

  ask(item: Item): Promise<Answer> {
    const { time, behindMaxMs = 0 } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ item, resolve, reject });
    this.#timer ??= time.after(this.#underWayCount > 0 ? behindMaxMs : 0, () => this.#callWaiting());
    return promise;
  }

  #callWaiting(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    for (const part of this.#split(this.#waiting.splice(0))) void this.#callTogether(part);
  }

  /** #1 */
  #split(all: readonly Waiting<Item, Answer>[]): readonly (readonly Waiting<Item, Answer>[])[] {
    const { itemsMax, sizeOf = () => 1 } = this.#options;
    const parts: Waiting<Item, Answer>[][] = [];
    let size = Infinity;
    for (const one of all) {
      const ownSize = sizeOf(one.item);
      size += ownSize;
      if (size <= itemsMax) parts.at(-1)?.push(one);
      else {
        parts.push([one]);
        size = ownSize;
      }
    }
    return parts;
  }

  async #callTogether(all: readonly Waiting<Item, Answer>[]): Promise<void> {
    const { behindMaxMs = 0 } = this.#options;
    this.#underWayCount += 1;
    await this.#callAll(all);
    this.#underWayCount -= 1;
    // #3
    if (behindMaxMs > 0 && this.#underWayCount === 0 && this.#waiting.length > 0) this.#callWaiting();
  }

  async #callAll(all: readonly Waiting<Item, Answer>[]): Promise<void> {
    const { call, isRepeatedAlone = false } = this.#options;
    try {
      const answers = await call(all.map(({ item }) => item));
      for (const [index, { resolve, reject }] of all.entries()) {
        if (index < answers.length) resolve(answers[index]!);
        else reject(new Error("a gathered call answers for each item"));
      }
    } catch (error) {
      if (!isRepeatedAlone || all.length === 1) for (const { reject } of all) reject(error);
      // #4
      else await Promise.all(all.map((one) => this.#callAll([one])));
    }
  }
}
