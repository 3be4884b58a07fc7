// Bounds how long callers wait for their appends, and how long a partition may take, with one timer for all of them:
// nearly every append is acknowledged long before, and its timers were the most that it cost here.

import type { OutgoingRecord } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import type { AppendOutcome } from "./append-outcome.ts";

/** One append that has not settled. */
interface AppendWait {
  readonly record: OutgoingRecord;
  /** When its caller is answered that nothing is known, and when its partition is late, on the monotonic clock. */
  readonly answerAtMs: number;
  readonly lateAtMs: number;
  /** Null: the caller has its answer. */
  answer: ((outcome: AppendOutcome) => void) | null;
  isLate: boolean;
}

const notInTime: AppendOutcome = { kind: "unknown", reason: "not acknowledged in time" };

export class AppendWaits {
  readonly #time: Time;
  readonly #lateMs: number;
  readonly #late: (record: OutgoingRecord) => void;
  readonly #waits = new Set<AppendWait>();
  #timer: Disposable | null = null;
  #dueMs = Infinity;

  /** `late` is called for each append that is not settled after `lateMs`. */
  constructor(time: Time, lateMs: number, late: (record: OutgoingRecord) => void) {
    this.#time = time;
    this.#lateMs = lateMs;
    this.#late = late;
  }

  /** Calls `answer` once: with what `settle` says, or after `waitMaxMs`. */
  start(record: OutgoingRecord, waitMaxMs: number, answer: (outcome: AppendOutcome) => void): AppendWait {
    const nowMs = this.#time.monotonicMs();
    const wait = { record, answerAtMs: nowMs + waitMaxMs, lateAtMs: nowMs + this.#lateMs, answer, isLate: false };
    this.#waits.add(wait);
    this.#arm(Math.min(wait.answerAtMs, wait.lateAtMs), nowMs);
    return wait;
  }

  settle(wait: AppendWait, outcome: AppendOutcome): void {
    this.#waits.delete(wait);
    wait.answer?.(outcome);
    wait.answer = null;
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    this.#dueMs = Infinity;
  }

  #arm(dueMs: number, nowMs: number): void {
    if (dueMs >= this.#dueMs) return;
    this.stop();
    this.#dueMs = dueMs;
    this.#timer = this.#time.after(Math.max(0, dueMs - nowMs), this.#look);
  }

  /** The timer may be that of an append that has settled: then it is armed again for the next one. */
  readonly #look = (): void => {
    this.stop();
    const nowMs = this.#time.monotonicMs();
    let nextMs = Infinity;
    for (const wait of this.#waits) {
      if (wait.answer !== null && wait.answerAtMs <= nowMs) {
        wait.answer(notInTime);
        wait.answer = null;
      }
      if (!wait.isLate && wait.lateAtMs <= nowMs) {
        wait.isLate = true;
        this.#late(wait.record);
      }
      if (wait.answer !== null) nextMs = Math.min(nextMs, wait.answerAtMs);
      if (!wait.isLate) nextMs = Math.min(nextMs, wait.lateAtMs);
    }
    if (nextMs < Infinity) this.#arm(nextMs, nowMs);
  };
}
