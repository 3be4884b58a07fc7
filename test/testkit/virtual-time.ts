// A clock that only the test moves. Code that gets its time as an argument and does its I/O on memory adapters runs
// deterministically on it: one timer fires, all work that follows from it settles, and the next timer fires.
//
// #1 Timers fire in order of due time. Timers that are due at the same time fire in the order of a seeded draw made
//    when each was armed, or without a seed in the order in which they were armed. So one seed is one order, and many
//    seeds are many orders.
// #2 Between two timers all microtasks settle, so no timer fires during the work of another.
// #3 An endless loop of timers does not hang the test: `run` ends after `stepsMax` timers and reports it.
// #4 An error that a timer's action throws is thrown by `run` or `advance`.

import { setImmediate as macrotask } from "node:timers/promises";
import { type ArmedTimer, type Time, TimerHeap } from "@sluice/kernel";
import { seededRandom } from "./seeded-random.ts";

export interface VirtualTimeOptions {
  /** The wall clock at the start, in epoch milliseconds. */
  readonly startAtMs: number;
  readonly seed?: number | string;
}

export interface RunLimits {
  /**
   * The wall clock at which to end, in epoch milliseconds. Timers due at that time still fire, and the clock then shows
   * it.
   */
  readonly untilMs?: number;
  /** A condition that is evaluated before each timer; true ends the run. */
  readonly until?: () => boolean;
  /** The number of timers that may fire at most. */
  readonly stepsMax: number;
}

export interface RunEnd {
  /**
   * `until`: the condition holds. `time`: the clock reached `untilMs`. `idle`: no timer is left. `steps`: the bound was
   * reached.
   */
  readonly because: "until" | "time" | "idle" | "steps";
  readonly steps: number;
}

export interface VirtualTime extends Time {
  /**
   * Moves the clock by `ms` and fires the timers that come due. Throws if more than a million fire, because one rearms
   * itself forever.
   */
  advance(ms: number): Promise<void>;
  run(limits: RunLimits): Promise<RunEnd>;
  /** Moves the clock until the work ends, and gives what it gave. Throws if more than a million timers fire before. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>;
  /** Lets all started work settle without moving the clock. */
  settle(): Promise<void>;
  /** The number of timers that are armed and neither fired nor cancelled. */
  pending(): number;
}

/** Timers that may fire in one `advance` or `finish`. */
const firedMax = 1_000_000;

export function createVirtualTime(options: VirtualTimeOptions): VirtualTime {
  const random = options.seed === undefined ? null : seededRandom(options.seed);
  const timers = new TimerHeap();
  let elapsedMs = 0;
  let sequence = 0;

  function after(delayMs: number, action: () => void): Disposable {
    sequence += 1;
    const timer: ArmedTimer = {
      dueMs: elapsedMs + Math.max(0, delayMs),
      draw: random?.fraction() ?? 0,
      sequence,
      action,
      isCancelled: false,
    };
    timers.push(timer);
    return { [Symbol.dispose]: () => timers.cancel(timer) };
  }

  async function run(limits: RunLimits): Promise<RunEnd> {
    const endMs = limits.untilMs === undefined ? Infinity : limits.untilMs - options.startAtMs;
    for (let steps = 0; ; steps += 1) {
      await settle();
      if (limits.until?.() === true) return { because: "until", steps };
      const next = timers.peek();
      if (next === undefined || next.dueMs > endMs) {
        if (endMs === Infinity) return { because: "idle", steps };
        elapsedMs = Math.max(elapsedMs, endMs);
        return { because: "time", steps };
      }
      if (steps >= limits.stepsMax) return { because: "steps", steps };
      timers.pop();
      elapsedMs = next.dueMs;
      next.action();
    }
  }

  return {
    nowMs: () => Math.floor(options.startAtMs + elapsedMs),
    monotonicMs: () => elapsedMs,
    after,
    run,
    settle,
    pending: () => timers.size(),
    async advance(ms) {
      const end = await run({ untilMs: options.startAtMs + elapsedMs + ms, stepsMax: firedMax });
      if (end.because === "steps") throw new Error(`more than ${firedMax} timers fired within ${ms} ms: a timer rearms itself forever`);
    },
    async finish(work) {
      let isOver = false;
      const markOver = (): void => void (isOver = true);
      work.then(markOver, markOver);
      const end = await run({ until: () => isOver, stepsMax: firedMax });
      if (end.because === "steps") throw new Error(`more than ${firedMax} timers fired, and the work goes on`);
      // Work outside the clock, such as that of a thread, may need no timer.
      return await work;
    },
  };
}

/**
 * The microtask queue is empty when a macrotask runs. It waits for two, because a settled promise may queue one more
 * macrotask.
 */
async function settle(): Promise<void> {
  await macrotask();
  await macrotask();
}
