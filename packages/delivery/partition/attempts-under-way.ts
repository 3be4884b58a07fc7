// The attempts on parked messages that are under way in a partition. Another owner may begin once the partition is
// handed over, and would send again what has no answer yet.
//
// #1 No attempt on a parked message begins once the hand-over has begun.
// #2 An answer is waited for until `handOverAnswerMaxMs` after its attempt began, so that a receiver that does not
//    answer keeps nobody waiting for longer.

import { sleep, type Time } from "@sluice/kernel";

/** Milliseconds from the begin of an attempt: two seconds for its answer (D10.40), and what its end takes. */
const handOverAnswerMaxMs = 2_500;

export class AttemptsUnderWay {
  /** When each began, in milliseconds of the monotonic clock. */
  readonly #startedMs = new Map<Promise<void>, number>();
  #isHandedOver = false;

  /** #1 */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Notes an attempt with all that follows from its answer; `settling` never rejects. */
  add(settling: Promise<void>, startedMs: number): void {
    this.#startedMs.set(settling, startedMs);
    void settling.then(() => this.#startedMs.delete(settling));
  }

  /** Resolves when all are settled, or have been waited for as long as they may. */
  async handOver(time: Time): Promise<void> {
    this.#isHandedOver = true;
    await Promise.all(
      [...this.#startedMs].map(async ([settling, startedMs]) => awaitUntil(time, settling, startedMs + handOverAnswerMaxMs)),
    );
  }
}

/** #2: `untilMs` is monotonic. */
async function awaitUntil(time: Time, settling: Promise<void>, untilMs: number): Promise<void> {
  const waited = new AbortController();
  const leftMs = Math.max(0, untilMs - time.monotonicMs());
  await Promise.race([settling, sleep(time, leftMs, waited.signal)]);
  waited.abort();
}
