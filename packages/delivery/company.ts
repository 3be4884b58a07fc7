// Whose records a lane has seen of late: a bank that is alone there may hold its log back, one with company may not (I14).

/** So long after its last record a bank counts as one whose next may come. */
export const companyKeptMs = 60_000;

export class Company {
  #last: string | null = null;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  /** When one came last that was not of the last bank. */
  #otherAtMs = Number.NEGATIVE_INFINITY;

  /** A record of that bank, now (monotonic). */
  saw(bank: string, nowMs: number): void {
    if (bank !== this.#last) this.#otherAtMs = this.#lastAtMs;
    this.#last = bank;
    this.#lastAtMs = nowMs;
  }

  isAlone(bank: string, nowMs: number): boolean {
    const otherAtMs = bank === this.#last ? this.#otherAtMs : this.#lastAtMs;
    return nowMs - otherAtMs > companyKeptMs;
  }
}
