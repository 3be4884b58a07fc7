// Runs at most `runningMax` tasks at once, in the order submitted. A task never rejects.

export class TaskPool {
  readonly #runningMax: number;
  #running = 0;
  #ready: (() => Promise<void>)[] = [];

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  submit(task: () => Promise<void>): void {
    this.#ready.push(task);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#running < this.#runningMax) {
      const task = this.#ready.shift();
      if (task === undefined) return;
      this.#running += 1;
      void this.#run(task);
    }
  }

  async #run(task: () => Promise<void>): Promise<void> {
    await task();
    this.#running -= 1;
    this.#startNext();
  }
}
