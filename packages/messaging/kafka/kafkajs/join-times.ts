// Times a join of a group: while its members join, none of them works.

import type { Time } from "@sluice/kernel";

export class JoinTimes {
  readonly #time: Pick<Time, "monotonicMs">;
  #begunAtMs: number | null = null;
  #handedOverAtMs: number | null = null;

  constructor(time: Pick<Time, "monotonicMs">) {
    this.#time = time;
  }

  /** The member begins to hand over; a join that is tried again has begun when it was tried first. */
  begin(): void {
    this.#begunAtMs ??= this.#time.monotonicMs();
  }

  handedOver(): void {
    this.#handedOverAtMs ??= this.#time.monotonicMs();
  }

  /** Returns whole milliseconds. */
  end(): { readonly handOverMs: number; readonly joinMs: number } {
    const nowMs = this.#time.monotonicMs();
    const begunAtMs = this.#begunAtMs ?? nowMs;
    const handedOverAtMs = this.#handedOverAtMs ?? begunAtMs;
    [this.#begunAtMs, this.#handedOverAtMs] = [null, null];
    return { handOverMs: Math.round(handedOverAtMs - begunAtMs), joinMs: Math.round(nowMs - handedOverAtMs) };
  }
}
