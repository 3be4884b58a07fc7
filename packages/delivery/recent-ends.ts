// What was tried for the last deliveries that ended, and the newest change applied to each message: so that a stop which comes
// after the end can still say what happened, and an older change is known as such. Bounded; what fell out is not known any more.
//
// #1 Nearly all of them ended with their first attempt. What that was is copied into a place that is there already: kept as it came, all that an
//    attempt leaves behind would grow old, and the garbage collector has to look for what is old.
// #2 They are looked through from the newest on, and are in no map: changes, which ask, are few, and an end costs no place in a table.

import type { ParkedAttempt } from "@sluice/store";
import { untried, type Progress } from "./delivery.ts";

/** Of a delivery that nothing is known of: it may have been tried. */
const unknown: Progress = { ...untried, mayHaveBeenTaken: true };

export class RecentEnds {
  readonly #endsMax: number;
  /** The oldest at `#next` once it is full. */
  readonly #ends: End[] = [];
  #next = 0;

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  progress(id: string): Progress {
    return this.#newest(id)?.progress() ?? unknown;
  }

  /** Whether a later change than this one was applied. */
  isOlder(id: string, changeOffset: bigint): boolean {
    return this.#ends.some((end) => end.id === id && end.changeOffset !== null && changeOffset < end.changeOffset);
  }

  ended(id: string, progress: Progress): void {
    this.#place().keep(id, progress, null);
  }

  changed(id: string, progress: Progress, changeOffset: bigint): void {
    this.#place().keep(id, progress, changeOffset);
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

  #place(): End {
    const end = this.#ends[this.#next] ?? new End();
    this.#ends[this.#next] = end;
    this.#next = (this.#next + 1) % this.#endsMax;
    return end;
  }
}

class End {
  id = "";
  changeOffset: bigint | null = null;
  /** Null: it is what `#attempt` was. */
  #progress: Progress | null = unknown;
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
  keep(id: string, progress: Progress, changeOffset: bigint | null): void {
    this.id = id;
    this.changeOffset = changeOffset;
    const { attempts, recentAttempts, earlier, redrive } = progress;
    const [made] = recentAttempts;
    if (attempts !== 1 || recentAttempts.length !== 1 || made === undefined || earlier !== null || redrive !== null) {
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

  progress(): Progress {
    if (this.#progress !== null) return this.#progress;
    return {
      attempts: 1,
      anyAnswer: this.#anyAnswer,
      mayHaveBeenTaken: this.#mayHaveBeenTaken,
      recentAttempts: [{ ...this.#attempt }],
      earlier: null,
      redrive: null,
    };
  }
}
