// Works on at most `runningMax` items at once. Submitted items come first, in order; after them the pool takes items by
// itself.

export interface TaskPoolOptions<Item> {
  readonly runningMax: number;
  /** Works on an item and calls `over` at its end, but never before it has returned. Must not throw. */
  work(item: Item, over: () => void): void;
  /**
   * Returns the next item when none is submitted; undefined if there is none now. `fill` is called when there may be
   * one again.
   */
  take(): Item | undefined;
}

export class TaskPool<Item> {
  readonly #options: TaskPoolOptions<Item>;
  readonly #submitted: Item[] = [];
  #running = 0;
  #idle: (() => void)[] = [];

  constructor(options: TaskPoolOptions<Item>) {
    this.#options = options;
  }

  submit(item: Item): void {
    if (this.#running < this.#options.runningMax) this.#start(item);
    else this.#submitted.push(item);
  }

  /** Starts as many items as there are free slots. */
  fill(): void {
    while (this.#running < this.#options.runningMax) {
      const next = this.#options.take();
      if (next === undefined) return;
      this.#start(next);
    }
  }

  /** Resolves when nothing runs and no item is left. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#idle.push(resolve));
  }

  #start(item: Item): void {
    this.#running += 1;
    this.#options.work(item, this.#ended);
  }

  readonly #ended = (): void => {
    this.#running -= 1;
    const next = this.#submitted.shift() ?? this.#options.take();
    if (next !== undefined) this.#start(next);
    else if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  };
}
