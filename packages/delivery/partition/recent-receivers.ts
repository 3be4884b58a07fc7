// Tells whether one receiver alone has used this partition in the last minute. Only then may the fast path block on it;
// otherwise it parks (I14).

/** Milliseconds after its last record in which a receiver counts as using the partition. */
export const recentReceiverMs = 60_000;

export class RecentReceivers {
  #last: string | null = null;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  /** When the last record came that was not of the last receiver. */
  #otherAtMs = Number.NEGATIVE_INFINITY;

  /** Records that a record of the receiver came; `nowMs` is monotonic. */
  record(receiverId: string, nowMs: number): void {
    if (receiverId !== this.#last) this.#otherAtMs = this.#lastAtMs;
    this.#last = receiverId;
    this.#lastAtMs = nowMs;
  }

  isOnly(receiverId: string, nowMs: number): boolean {
    const otherAtMs = receiverId === this.#last ? this.#otherAtMs : this.#lastAtMs;
    return nowMs - otherAtMs > recentReceiverMs;
  }
}
