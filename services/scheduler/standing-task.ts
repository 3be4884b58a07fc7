// A standing task: one turn at a time, woken by a signal or by the time that its last turn named. It never polls.
//
// 1. However many signals come during a turn, exactly one more turn follows.
// 2. A turn that fails is made again after `failedTurnPauseMs`.
// 3. After `stop` no turn starts; one that runs ends unheeded.

import { Fault } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";

export interface StandingTask {
  wake(): void;
  stop(): void;
}

export interface StandingTaskOptions {
  /** For logs: `releasing`, `closing`, … */
  readonly name: string;
  readonly lane: number | null;
  readonly time: Time;
  readonly log: Log;
  /** Answers in how many milliseconds the next turn is due; null: when woken. */
  turn(): Promise<number | null>;
}

export const failedTurnPauseMs = 1_000;

export function startStandingTask(options: StandingTaskOptions): StandingTask {
  return new Turns(options);
}

class Turns implements StandingTask {
  readonly #options: StandingTaskOptions;
  #isStopped = false;
  #isRunning = false;
  #isWoken = false;
  #timer: Disposable | null = null;

  constructor(options: StandingTaskOptions) {
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
      dueMs = await attempt(this.#options);
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

async function attempt(options: StandingTaskOptions): Promise<number | null> {
  const { name, lane, log } = options;
  try {
    return await options.turn();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Fault && error.isRetryable) log.warn("task.retry", { task: name, lane, code: error.code, reason });
    else log.error("task.failed", { task: name, lane, error });
    return failedTurnPauseMs;
  }
}
