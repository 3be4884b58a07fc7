// Makes one call of many: while one is under way, what is asked meanwhile goes into the next.
//
// #1 At most one call is under way, with at most `itemsMax` items.
// #2 What is not wanted any more when its turn comes is left out.
// #3 Each caller learns its own outcome and no more; where a call that writes is rejected, each of its items may have been written.

import { Fault } from "@sluice/runtime";

interface Waiting<Item, Answer> {
  readonly item: Item;
  isWanted(): boolean;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class BulkCalls<Item, Answer> {
  readonly #call: (items: readonly Item[]) => Promise<(item: Item) => Answer>;
  readonly #itemsMax: number;
  #waiting: Waiting<Item, Answer>[] = [];
  #isCalling = false;

  /** `call` answers for each of its items. */
  constructor(call: (items: readonly Item[]) => Promise<(item: Item) => Answer>, itemsMax: number) {
    this.#call = call;
    this.#itemsMax = itemsMax;
  }

  /** Asks for one item. Callers bound how many they ask at once. */
  ask(item: Item, isWanted: () => boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, isWanted, resolve, reject });
      if (!this.#isCalling) void this.#callAll();
    });
  }

  async #callAll(): Promise<void> {
    this.#isCalling = true;
    // What is asked in the same turn of the loop belongs together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.slice(0, this.#itemsMax);
      this.#waiting = this.#waiting.slice(taken.length);
      const wanted = taken.filter((waiting) => waiting.isWanted());
      for (const waiting of taken) if (!wanted.includes(waiting)) waiting.reject(notWanted());
      if (wanted.length > 0) await this.#callOnce(wanted);
    }
    this.#isCalling = false;
  }

  async #callOnce(wanted: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answerFor = await this.#call(wanted.map(({ item }) => item));
      for (const waiting of wanted) waiting.resolve(answerFor(waiting.item));
    } catch (error) {
      for (const waiting of wanted) waiting.reject(error);
    }
  }
}

function notWanted(): Fault {
  return new Fault("delivery.not-wanted", "its lane may have gone on elsewhere", { isRetryable: true });
}
