// Works on at most `runningMax` items at once: those that are submitted, in the order given, before those that it takes itself.

export interface TaskPoolOptions<Item> {
  readonly runningMax: number;
  /** Never throws; says when it is over: later, not while it is called. */
  work(item: Item, over: () => void): void;
  /** The next item where none is submitted; undefined: none now, and `fill` is called when there may be one. */
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

  /** Takes as many as there is room for. */
  fill(): void {
    while (this.#running < this.#options.runningMax) {
      const next = this.#options.take();
      if (next === undefined) return;
      this.#start(next);
    }
  }

  /** Resolves when nothing runs and nothing is there to be worked on. */
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
