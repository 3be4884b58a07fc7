// A clock that only the test moves. Code that gets its time as an argument and does its I/O on memory adapters runs
// deterministically on it: one timer fires, everything that follows from it settles, the next timer fires.
//
// #1 Timers fire in order of due time; equal ones in the order of a seeded draw made when each was armed (without a seed: in
//    the order they were armed). So one seed is one order, and many seeds are many orders.
// #2 Between two timers all microtasks settle, so no timer fires "during" the work of another.
// #3 The clock never stands still for a loop: `run` ends at `stepsMax` timers and says so.
// #4 What a timer's action throws comes out of `run` or `advance`.

import { setImmediate as macrotask } from "node:timers/promises";
import type { Time } from "@sluice/runtime";
import { seededRandom } from "./seeded-random.ts";

export interface VirtualTimeOptions {
  /** Wall clock at the start, epoch milliseconds. */
  readonly startAtMs: number;
  readonly seed?: number | string;
}

export interface RunLimits {
  /** Wall clock at which to end, epoch milliseconds; timers due at it still fire, and the clock stands there at the end. */
  readonly untilMs?: number;
  /** Asked before each timer; true ends the run. */
  readonly until?: () => boolean;
  /** Timers fired at most. */
  readonly stepsMax: number;
}

export interface RunEnd {
  /** `until`: the condition holds. `time`: the clock stands at `untilMs`. `idle`: no timer is left. `steps`: the bound was hit. */
  readonly because: "until" | "time" | "idle" | "steps";
  readonly steps: number;
}

export interface VirtualTime extends Time {
  /** Moves the clock by `ms`, firing what comes due. Throws if more than a million timers fire: something arms itself for ever. */
  advance(ms: number): Promise<void>;
  run(limits: RunLimits): Promise<RunEnd>;
  /** Lets all that has been started settle, without moving the clock. */
  settle(): Promise<void>;
  /** Timers armed and not yet fired or cancelled. */
  pending(): number;
}

const advanceStepsMax = 1_000_000;

export function createVirtualTime(options: VirtualTimeOptions): VirtualTime {
  const random = options.seed === undefined ? null : seededRandom(options.seed);
  const timers = new TimerHeap();
  let elapsedMs = 0;
  let sequence = 0;

  function after(delayMs: number, action: () => void): Disposable {
    sequence += 1;
    const timer: Timer = { dueMs: elapsedMs + Math.max(0, delayMs), draw: random?.fraction() ?? 0, sequence, action, isCancelled: false };
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
      const end = await run({ untilMs: options.startAtMs + elapsedMs + ms, stepsMax: advanceStepsMax });
      if (end.because === "steps")
        throw new Error(`more than ${advanceStepsMax} timers fired within ${ms} ms: something arms itself for ever`);
    },
  };
}

/** The microtask queue is empty when a macrotask runs; twice, because a settled promise may have queued one more turn of the loop. */
async function settle(): Promise<void> {
  await macrotask();
  await macrotask();
}

interface Timer {
  readonly dueMs: number;
  readonly draw: number;
  readonly sequence: number;
  readonly action: () => void;
  isCancelled: boolean;
}

function isBefore(a: Timer, b: Timer): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.draw !== b.draw) return a.draw < b.draw;
  return a.sequence < b.sequence;
}

/** Binary heap; cancelled timers are skipped when they come up, and swept out when they are the majority. */
class TimerHeap {
  private heap: Timer[] = [];
  private cancelled = 0;

  size(): number {
    return this.heap.length - this.cancelled;
  }

  push(timer: Timer): void {
    this.heap.push(timer);
    this.rise(this.heap.length - 1);
  }

  peek(): Timer | undefined {
    while (this.heap[0]?.isCancelled === true) {
      this.removeTop();
      this.cancelled -= 1;
    }
    return this.heap[0];
  }

  pop(): void {
    if (this.peek() === undefined) return;
    // Fired: a late dispose must not count it as cancelled.
    this.heap[0]!.isCancelled = true;
    this.removeTop();
  }

  cancel(timer: Timer): void {
    if (timer.isCancelled) return;
    timer.isCancelled = true;
    this.cancelled += 1;
    if (this.cancelled < 1_000 || this.cancelled * 2 < this.heap.length) return;
    const live = this.heap.filter((kept) => !kept.isCancelled);
    this.heap = [];
    this.cancelled = 0;
    for (const kept of live) this.push(kept);
  }

  private removeTop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink(0);
  }

  private rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  private sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      if (left >= this.heap.length) return;
      const child = right < this.heap.length && isBefore(this.heap[right]!, this.heap[left]!) ? right : left;
      if (!this.swapIfBefore(child, index)) return;
      index = child;
    }
  }

  private swapIfBefore(lower: number, upper: number): boolean {
    const a = this.heap[lower]!;
    const b = this.heap[upper]!;
    if (!isBefore(a, b)) return false;
    this.heap[lower] = b;
    this.heap[upper] = a;
    return true;
  }
}
