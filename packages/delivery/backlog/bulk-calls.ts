// Combines many calls into few: what is asked while a call runs goes into the next one.
//
// #1 At most one call runs at a time, with at most `itemsMax` items.
// #2 An item that is no longer wanted when its turn comes is left out.
// #3 If more items wait than one call takes, it takes from each group in turn, so that a receiver with a whole backlog
//    to write does not delay the few messages of another (I14). Within a group the order is first come, first served.
// #4 Each caller learns the outcome of its own item only. If a writing call is rejected, each of its items may have
//    been written.

import { Fault } from "@sluice/kernel";

interface Waiting<Item, Answer> {
  readonly item: Item;
  isWanted(): boolean;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class BulkCalls<Item, Answer> {
  readonly #call: (items: readonly Item[]) => Promise<(item: Item) => Answer>;
  readonly #itemsMax: number;
  readonly #groupOf: ((item: Item) => string) | null;
  #waiting: Waiting<Item, Answer>[] = [];
  #isCalling = false;

  /**
   * `call` resolves with a function that has the answer for each of its items. Without `groupOf` all items are one
   * group.
   */
  constructor(
    call: (items: readonly Item[]) => Promise<(item: Item) => Answer>,
    itemsMax: number,
    groupOf: ((item: Item) => string) | null = null,
  ) {
    this.#call = call;
    this.#itemsMax = itemsMax;
    this.#groupOf = groupOf;
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
    // What is asked in the same turn of the event loop goes into one call.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#take();
      const wanted: Waiting<Item, Answer>[] = [];
      for (const waiting of taken) {
        if (waiting.isWanted()) wanted.push(waiting);
        else waiting.reject(callCancelled());
      }
      if (wanted.length > 0) await this.#callOnce(wanted);
    }
    this.#isCalling = false;
  }

  /** #3 */
  #take(): readonly Waiting<Item, Answer>[] {
    const groupOf = this.#groupOf;
    if (this.#waiting.length <= this.#itemsMax || groupOf === null) return this.#waiting.splice(0, this.#itemsMax);
    const groups = Map.groupBy(this.#waiting, ({ item }) => groupOf(item));
    const taken = new Set<Waiting<Item, Answer>>();
    for (let turn = 0; taken.size < this.#itemsMax; turn += 1) {
      for (const group of groups.values()) {
        const next = group[turn];
        if (next !== undefined && taken.size < this.#itemsMax) taken.add(next);
      }
    }
    this.#waiting = this.#waiting.filter((waiting) => !taken.has(waiting));
    return [...taken];
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

function callCancelled(): Fault {
  return new Fault("delivery.call-cancelled", "another process may own its partition now", { isRetryable: true });
}
