// Makes one call of many: while one is under way, what is asked meanwhile goes into the next.
//
// #1 At most one call is under way, with at most `itemsMax` items.
// #2 What is not wanted any more when its turn comes is left out.
// #3 Where more wait than one call takes, it takes of each group in turn: a bank of which all must be written down does not keep the few
//    of another waiting behind it (I14). Within a group first come, first served.
// #4 Each caller learns its own outcome and no more; where a call that writes is rejected, each of its items may have been written.

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
  readonly #groupOf: ((item: Item) => string) | null;
  #waiting: Waiting<Item, Answer>[] = [];
  #isCalling = false;

  /** `call` answers for each of its items. Without `groupOf` all are of one group. */
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
    // What is asked in the same turn of the loop belongs together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const taken = this.#take();
      const wanted: Waiting<Item, Answer>[] = [];
      for (const waiting of taken) {
        if (waiting.isWanted()) wanted.push(waiting);
        else waiting.reject(notWanted());
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

function notWanted(): Fault {
  return new Fault("delivery.not-wanted", "its lane may have gone on elsewhere", { isRetryable: true });
}
