// What was tried for the last deliveries that ended, and the newest change applied to each message: so that a stop which comes
// after the end can still say what happened, and an older change is known as such. Bounded; what fell out is not known any more.
//
// #1 Nearly all of them ended with their first attempt. What that was is copied into a place that is there already: kept as it came, all that an
//    attempt leaves behind would grow old, and the garbage collector has to look for what is old.

import type { ParkedAttempt } from "@sluice/store";
import { untried, type Progress } from "./delivery.ts";

/** Of a delivery that nothing is known of: it may have been tried. */
const unknown: Progress = { ...untried, mayHaveBeenTaken: true };

export class RecentEnds {
  readonly #endsMax: number;
  readonly #byId = new Map<string, End>();
  /** The oldest at `#next` once it is full. */
  readonly #ends: End[] = [];
  #next = 0;

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  progress(id: string): Progress {
    return this.#byId.get(id)?.progress() ?? unknown;
  }

  /** Whether a later change than this one was applied. */
  isOlder(id: string, changeOffset: bigint): boolean {
    const applied = this.#byId.get(id)?.changeOffset ?? null;
    return applied !== null && changeOffset < applied;
  }

  ended(id: string, progress: Progress): void {
    this.#endOf(id).keep(progress);
  }

  changed(id: string, progress: Progress, changeOffset: bigint): void {
    const end = this.#endOf(id);
    end.keep(progress);
    end.changeOffset = changeOffset;
  }

  #endOf(id: string): End {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const end = this.#ends[this.#next] ?? new End();
    this.#byId.delete(end.id);
    end.id = id;
    end.changeOffset = null;
    this.#byId.set(id, end);
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
  keep(progress: Progress): void {
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
