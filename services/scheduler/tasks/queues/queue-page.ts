// A bounded page with the first keys of a sorted queue whose rest is in the store: the held debits of a (partition,
// bank, business day) by queue key, and the credits of a partition by deadline.
//
// #1 The page holds every key of the queue up to `completeTo`, except those that were taken out.
// #2 A key below the page's last one is inserted; a full page drops its last key and is cut there.
// #3 A cut page becomes complete again only by reading the store from `completeTo` on; keys that arrive during the read
//    are not lost.

export interface QueuePage {
  readonly count: number;
  /** Key up to which the page is complete; null if the store holds nothing beyond it. */
  readonly completeTo: string | null;
  readonly isRefilling: boolean;
  insert(queueKey: string): void;
  remove(queueKey: string): void;
  first(count: number): readonly string[];
  /** Marks that the store is about to be read after `completeTo`. */
  startRefill(): void;
  /** Adds the keys that were read, in order; `isMore` says that the read ended at its limit. */
  finishRefill(queueKeys: readonly string[], isMore: boolean): void;
  abandonRefill(): void;
}

export const queuePageKeysMax = 10_000;

export function createQueuePage(keysMax: number = queuePageKeysMax): QueuePage {
  let keys: string[] = [];
  let completeTo: string | null = null;
  let refill: { arrived: string[]; isArrivalLost: boolean } | null = null;

  function insert(queueKey: string): void {
    if (completeTo !== null && queueKey > completeTo) {
      if (refill === null) return;
      if (refill.arrived.length < keysMax) refill.arrived.push(queueKey);
      else refill.isArrivalLost = true;
      return;
    }
    const index = lowerBound(keys, queueKey);
    if (keys[index] === queueKey) return;
    keys.splice(index, 0, queueKey);
    if (keys.length <= keysMax) return;
    keys.pop();
    completeTo = keys.at(-1) ?? null;
  }

  function abandonRefill(): void {
    refill = null;
  }

  return {
    get count() {
      return keys.length;
    },
    get completeTo() {
      return completeTo;
    },
    get isRefilling() {
      return refill !== null;
    },
    insert,
    remove(queueKey) {
      const index = lowerBound(keys, queueKey);
      if (keys[index] === queueKey) keys.splice(index, 1);
    },
    first: (count) => keys.slice(0, count),
    startRefill() {
      refill = { arrived: [], isArrivalLost: false };
    },
    finishRefill(queueKeys, isMore) {
      const { arrived, isArrivalLost } = refill ?? { arrived: [], isArrivalLost: false };
      refill = null;
      const lastRead = queueKeys.at(-1) ?? completeTo;
      keys = [...keys, ...queueKeys];
      completeTo = isMore || isArrivalLost ? lastRead : null;
      for (const queueKey of arrived) insert(queueKey);
    },
    abandonRefill,
  };
}

/** Finds the index of the first key that is not before `queueKey`. */
function lowerBound(keys: readonly string[], queueKey: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") < queueKey) low = middle + 1;
    else high = middle;
  }
  return low;
}
