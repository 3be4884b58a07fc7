// The attempts of the last deliveries that ended, and the newest change applied to each message. With them a stop that
// comes after the end can still report what happened, and an older change is recognized. Bounded; older ends are
// forgotten.
//
// #1 Nearly every delivery ends with its first attempt, so that attempt is copied into a place that exists already.
//    Otherwise the objects of each attempt would grow old here, and the garbage collector would have to scan them.
// #2 A look-up scans from the newest end backwards, without a map: only changes look anything up, they are few, and so
//    an end needs no entry in a table.

import type { ParkedAttempt } from "@sluice/store";
import { untried, type AttemptProgress } from "../rules.ts";

/** The progress of a delivery that is not known here: it may have been tried. */
const unknown: AttemptProgress = { ...untried, mayHaveBeenTaken: true };

export class RecentEnds {
  readonly #endsMax: number;
  /** A ring: once it is full, the oldest is at `#next`. */
  readonly #ends: End[] = [];
  #next = 0;

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  progress(id: string): AttemptProgress {
    return this.#newest(id)?.progress() ?? unknown;
  }

  /** Tells whether a later change than this one was applied. */
  isOlder(id: string, changeOffset: bigint): boolean {
    return this.#ends.some((end) => end.id === id && end.changeOffset !== null && changeOffset < end.changeOffset);
  }

  /** Tells whether the newest end of the message is an acknowledgement, which the journal has. */
  isAcknowledged(id: string): boolean {
    return this.#newest(id)?.isAcknowledged ?? false;
  }

  recordEnd(id: string, progress: AttemptProgress, isAcknowledged: boolean): void {
    this.#nextEnd().keep(id, progress, null, isAcknowledged);
  }

  recordChange(id: string, progress: AttemptProgress, changeOffset: bigint): void {
    this.#nextEnd().keep(id, progress, changeOffset, false);
  }

  /** #2 */
  #newest(id: string): End | null {
    const count = this.#ends.length;
    for (let back = 1; back <= count; back += 1) {
      const end = this.#ends[(this.#next + count - back) % count];
      if (end?.id === id) return end;
    }
    return null;
  }

  #nextEnd(): End {
    const end = this.#ends[this.#next] ?? new End();
    this.#ends[this.#next] = end;
    this.#next = (this.#next + 1) % this.#endsMax;
    return end;
  }
}

class End {
  id = "";
  changeOffset: bigint | null = null;
  isAcknowledged = false;
  /** Null where `#attempt` has it. */
  #progress: AttemptProgress | null = unknown;
  #mayHaveBeenTaken = false;
  #anyAnswer = false;
  readonly #attempt: { -readonly [Member in keyof ParkedAttempt]: ParkedAttempt[Member] } = {
    atMs: 0,
    httpStatusCode: null,
    answer: null,
    tookMs: 0,
    address: null,
    class: "unknown",
  };

  /** #1 */
  keep(id: string, progress: AttemptProgress, changeOffset: bigint | null, isAcknowledged: boolean): void {
    this.id = id;
    this.changeOffset = changeOffset;
    this.isAcknowledged = isAcknowledged;
    const { attempts, recentAttempts, earlier, redrive, stop } = progress;
    const [made] = recentAttempts;
    const isOrdinary = attempts === 1 && recentAttempts.length === 1 && earlier === null && redrive === null && stop === null;
    if (!isOrdinary || made === undefined) {
      this.#progress = progress;
      return;
    }
    this.#progress = null;
    this.#anyAnswer = progress.anyAnswer;
    this.#mayHaveBeenTaken = progress.mayHaveBeenTaken;
    this.#attempt.atMs = made.atMs;
    this.#attempt.httpStatusCode = made.httpStatusCode;
    this.#attempt.answer = made.answer;
    this.#attempt.tookMs = made.tookMs;
    this.#attempt.address = made.address;
    this.#attempt.class = made.class;
  }

  progress(): AttemptProgress {
    if (this.#progress !== null) return this.#progress;
    return {
      attempts: 1,
      anyAnswer: this.#anyAnswer,
      mayHaveBeenTaken: this.#mayHaveBeenTaken,
      recentAttempts: [{ ...this.#attempt }],
      earlier: null,
      redrive: null,
      stop: null,
    };
  }
}
