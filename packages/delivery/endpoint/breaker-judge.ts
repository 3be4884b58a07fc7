// What one breaker remembers of the answers, to judge whether it opens (breaker.ts).

import type { EndpointHealth } from "@sluice/store";
import { countAnswer, noStreaks, quietMs, reasonToOpen, type BreakerReason, type CountedAnswer, type FailureStreaks } from "./breaker.ts";

/** Openings and closings that are kept, over restarts too (endpoints.ts #1). */
const changesMax = 20;

/** All times are milliseconds of the monotonic clock, but for those of changes, which people read. */
export class BreakerJudge {
  #streaks: FailureStreaks = noStreaks;
  #closings = 0;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedAtMs: number;
  /** When it opened and closed, the oldest first. */
  changes: EndpointHealth["changes"] = [];

  constructor(nowMs: number) {
    this.#acknowledgedAtMs = nowMs;
  }

  /** True where the present streak of transient answers is over several UETRs. */
  get isOfSeveral(): boolean {
    return this.#streaks.transient.isOfSeveral;
  }

  /** Counts an answer that does not acknowledge. */
  recordFailure(answer: CountedAnswer): void {
    this.#streaks = countAnswer(this.#streaks, answer);
  }

  recordAcknowledgement(nowMs: number): void {
    this.#streaks = noStreaks;
    this.#acknowledgedAtMs = nowMs;
  }

  /** Why the breaker opens now; null where it does not. */
  reasonToOpen(nowMs: number): BreakerReason | null {
    const reopenings = nowMs - this.#closedAtMs < quietMs ? this.#closings : 0;
    return reasonToOpen(this.#streaks, { reopenings, unacknowledgedMs: nowMs - this.#acknowledgedAtMs });
  }

  /** Returns how many answers opened it. */
  recordOpened(reason: BreakerReason, nowMs: number, atMs: number): number {
    this.#keep({ atMs, reason });
    const { count } = this.#streaks[reason];
    this.#streaks = noStreaks;
    if (nowMs - this.#closedAtMs >= quietMs) this.#closings = 0;
    return count;
  }

  recordClosed(nowMs: number, atMs: number): void {
    this.#keep({ atMs, reason: null });
    this.#closings += 1;
    this.#closedAtMs = nowMs;
  }

  #keep(change: EndpointHealth["changes"][number]): void {
    this.changes = [...this.changes, change].slice(-changesMax);
  }
}
