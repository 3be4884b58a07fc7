// Works on at most `runningMax` items at once, in the order given.

export class TaskPool<Item> {
  readonly #runningMax: number;
  readonly #work: (item: Item) => Promise<void>;
  readonly #ready: Item[] = [];
  #running = 0;
  #idle: (() => void)[] = [];

  /** `work` never rejects. */
  constructor(runningMax: number, work: (item: Item) => Promise<void>) {
    this.#runningMax = runningMax;
    this.#work = work;
  }

  submit(item: Item): void {
    if (this.#running < this.#runningMax) this.#start(item);
    else this.#ready.push(item);
  }

  /** Resolves when nothing runs and nothing is ready. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#idle.push(resolve));
  }

  #start(item: Item): void {
    this.#running += 1;
    void this.#work(item).then(this.#ended);
  }

  readonly #ended = (): void => {
    this.#running -= 1;
    const next = this.#ready.shift();
    if (next !== undefined) this.#start(next);
    else if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  };
}
