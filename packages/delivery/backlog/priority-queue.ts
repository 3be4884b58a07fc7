// A binary heap with the least value first.

export class PriorityQueue<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #heap: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#heap.length;
  }

  peek(): T | undefined {
    return this.#heap[0];
  }

  push(value: T): void {
    const heap = this.#heap;
    let index = heap.push(value) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(value, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = value;
  }

  pop(): T | undefined {
    const heap = this.#heap;
    const least = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return least;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && this.#isBefore(heap[right]!, heap[left]!) ? right : left;
      if (!this.#isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return least;
  }

  /** Removes the values that `isKept` rejects. */
  sweep(isKept: (value: T) => boolean): void {
    const kept = this.#heap.filter(isKept);
    this.#heap = [];
    for (const value of kept) this.push(value);
  }
}
