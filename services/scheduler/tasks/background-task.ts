// A background task: one run at a time, started by a signal or at the time that its last run named. It never polls.
//
// #1 However many signals come during a run, exactly one more run follows.
// #2 A failed run is repeated after `failedRunPauseMs`.
// #3 After `stop` no run starts, and the result of one under way is ignored.

import { Fault, formatReason, type Logger, type Time } from "@sluice/kernel";

export interface BackgroundTask {
  wake(): void;
  stop(): void;
}

export interface BackgroundTaskOptions {
  /** The name in log lines: `releaser`, `day-closer`, … */
  readonly name: string;
  readonly partition: number | null;
  readonly time: Time;
  readonly logger: Logger;
  /** Runs the task once. Resolves to the milliseconds until the next run; null if it waits for a signal. */
  run(): Promise<number | null>;
}

export const failedRunPauseMs = 1_000;

export function startBackgroundTask(options: BackgroundTaskOptions): BackgroundTask {
  return new TaskLoop(options);
}

class TaskLoop implements BackgroundTask {
  readonly #options: BackgroundTaskOptions;
  #isStopped = false;
  #isRunning = false;
  #isWoken = false;
  #timer: Disposable | null = null;

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#disarm();
    let dueMs: number | null = null;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      dueMs = await runOnce(this.#options);
    }
    this.#isRunning = false;
    if (dueMs !== null && !this.#isStopped) this.#timer = this.#options.time.after(dueMs, () => this.wake());
  }

  stop(): void {
    this.#isStopped = true;
    this.#disarm();
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }
}

async function runOnce(options: BackgroundTaskOptions): Promise<number | null> {
  const { name, partition, logger } = options;
  try {
    return await options.run();
  } catch (error) {
    const reason = formatReason(error);
    if (error instanceof Fault && error.isRetryable) logger.warn("task.retry", { task: name, partition, code: error.code, reason });
    else logger.error("task.failed", { task: name, partition, error });
    return failedRunPauseMs;
  }
}
