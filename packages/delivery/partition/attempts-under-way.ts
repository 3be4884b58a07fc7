// The attempts that are under way in a partition while it is handed over. Another owner may begin once that has ended,
// and would send again what is not done.
//
// #1 No attempt on a parked message begins once the hand-over has begun. A new message is tried in the first second of
//    the hand-over, if its endpoint has a free slot, and parked otherwise.
// #2 An answer is waited for until `answerMaxMs` after its attempt began, and as long after the hand-over began: a
//    receiver that stood still answers all at once, when it goes on. What follows from an answer is waited for as long
//    as the hand-over lasts.
// #3 The answer to a probe is waited for until `answerMaxMs` after the probe began, and no longer: its receiver is
//    blocked because it did not answer, and would hold up the hand-over of everybody's messages each time.

import { sleep, type Time } from "@sluice/kernel";

/** Milliseconds; from which begin, #2 and #3 say (D10.40). */
const answerMaxMs = 2_000;
/** Milliseconds; those of an answer come after it, within the five seconds of a hand-over. */
const newAttemptsMaxMs = 1_000;

/** An attempt on a parked message. */
export interface AttemptUnderWay {
  /** When it began, in milliseconds of the monotonic clock. */
  readonly startedMs: number;
  /** It asks whether a blocked endpoint is back. */
  readonly isProbe: boolean;
  /** Settles with the attempt's result. */
  readonly answered: Promise<unknown>;
  /** Resolves when all that follows from the answer is done. Never rejects. */
  readonly settled: Promise<void>;
}

export class AttemptsUnderWay {
  readonly #underWay = new Set<AttemptUnderWay>();
  /** When the hand-over began, in milliseconds of the monotonic clock; null before. */
  #handOverMs: number | null = null;

  /** #1 */
  get isHandedOver(): boolean {
    return this.#handOverMs !== null;
  }

  /** #1: `nowMs` is monotonic. */
  mayTryNew(nowMs: number): boolean {
    return this.#handOverMs === null || nowMs - this.#handOverMs < newAttemptsMaxMs;
  }

  /** The hand-over begins; `nowMs` is monotonic. */
  beginHandOver(nowMs: number): void {
    this.#handOverMs ??= nowMs;
  }

  add(attempt: AttemptUnderWay): void {
    this.#underWay.add(attempt);
    void attempt.settled.then(() => this.#underWay.delete(attempt));
  }

  /** Resolves when all are settled, or have been waited for as long as they may (#2, #3). */
  async handOver(time: Time): Promise<void> {
    const nowMs = time.monotonicMs();
    this.beginHandOver(nowMs);
    const handOverMs = this.#handOverMs ?? nowMs;
    const settle = async (attempt: AttemptUnderWay): Promise<void> => {
      const { startedMs, isProbe } = attempt;
      const fromMs = isProbe ? startedMs : Math.max(startedMs, handOverMs);
      if (await isAnswered(time, attempt, fromMs + answerMaxMs)) await attempt.settled;
    };
    await Promise.all([...this.#underWay].map(settle));
  }
}

async function isAnswered(time: Time, { answered }: AttemptUnderWay, untilMs: number): Promise<boolean> {
  const waited = new AbortController();
  const leftMs = Math.max(0, untilMs - time.monotonicMs());
  const isInTime = await Promise.race([
    answered.then(
      () => true,
      () => true,
    ),
    sleep(time, leftMs, waited.signal).then(() => false),
  ]);
  waited.abort();
  return isInTime;
}
