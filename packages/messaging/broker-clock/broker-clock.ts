// The broker clock: the broker's time as this process knows it. It decides when to append a fact of time. Whether that
// fact counts is decided by the fact's own append time, never by this clock.
//
// #1 Broker time = an observed append time + the monotonic time since. An append is always observed after it happened,
//    so each sample is a lower bound, and the highest sample of the last minute is used. The process's wall clock plays
//    no part.
// #2 It never goes back. If the broker's clock goes back, it stops until the broker has caught up.
// #3 A probe is appended at the start, after ten seconds without a fresh sample, and every half minute in any case: its
//    answer shows the skew of this process's clock (`clock-skew.ts`). Reading old records gives no fresh sample.
// #4 One probe is in flight at a time. A failed probe is followed by another after a second.

import type { Logger, Metrics, Time } from "@sluice/kernel";
import { createClockSkew } from "./clock-skew.ts";

export interface BrokerClock {
  /** Takes an append time as a sample: of a record just read, or of a produce answer. */
  observe(appendedAtMs: number): void;
  /** Epoch milliseconds by the broker's clock; null before the first sample. */
  nowMs(): number | null;
  /** Milliseconds by which the broker's clock is ahead of this process's own; null before the first measurement. */
  skewMs(): number | null;
  stop(): void;
}

export interface BrokerClockOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "gauge">;
  /** Appends a probe record and answers its append time. */
  readonly probe: () => Promise<number>;
}

const silenceMaxMs = 10_000;
const probeAgainMs = 1000;
const unprobedMaxMs = 30_000;
const windowMs = 30_000;
/** A sample further behind broker time than this comes from an old record and is not fresh. */
const freshWithinMs = 5000;

export function createBrokerClock({ time, logger, metrics, probe }: BrokerClockOptions): BrokerClock {
  const skew = createClockSkew({ time, logger, metrics });
  const offsets = createHighestOffset();
  let reachedMs: number | null = null;
  let lastSampleMs: number | null = null;
  let freshAtMs: number | null = null;
  let probedAtMs = 0;
  let isStopped = false;
  let timer = time.after(0, () => void ask());

  function nowMs(): number | null {
    const offset = offsets.highest();
    if (offset === null) return null;
    // #2
    reachedMs = Math.max(reachedMs ?? 0, Math.floor(time.monotonicMs() + offset));
    return reachedMs;
  }

  function saw(appendedAtMs: number): void {
    // Records of one batch share their append time, and a later sample of it is a weaker bound.
    if (appendedAtMs === lastSampleMs) return;
    lastSampleMs = appendedAtMs;
    const sampledAtMs = time.monotonicMs();
    const brokerMs = nowMs();
    if (brokerMs === null || appendedAtMs > brokerMs - freshWithinMs) freshAtMs = freshAtMs === null ? null : sampledAtMs;
    offsets.add(appendedAtMs - sampledAtMs, sampledAtMs);
  }

  async function ask(): Promise<void> {
    if (isStopped) return;
    const atMs = time.monotonicMs();
    const dueInMs = freshAtMs === null ? 0 : Math.min(freshAtMs + silenceMaxMs, probedAtMs + unprobedMaxMs) - atMs;
    if (dueInMs > 0) {
      // Rounded up: rounding down would fire just before the due time, again and again.
      timer = time.after(Math.ceil(dueInMs), () => void ask());
      return;
    }
    const isAnswered = await answer();
    if (!isStopped) timer = time.after(isAnswered ? silenceMaxMs : probeAgainMs, () => void ask());
  }

  async function answer(): Promise<boolean> {
    const sentAtMs = time.monotonicMs();
    try {
      const appendedAtMs = await probe();
      lastSampleMs = null;
      // #3: until the first probe is answered no sample counts as fresh, because the records read may be old.
      freshAtMs = time.monotonicMs();
      probedAtMs = freshAtMs;
      skew.measure(appendedAtMs, probedAtMs - sentAtMs);
      saw(appendedAtMs);
      return true;
    } catch (error) {
      logger.warn("broker-clock.probe-failed", { reason: String(error) });
      return false;
    }
  }

  return {
    observe: saw,
    nowMs,
    skewMs: () => skew.skewMs(),
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

/**
 * Keeps the highest offset of the last one to two windows. Older ones expire, so that a corrected broker clock is
 * followed.
 */
function createHighestOffset() {
  let current: number | null = null;
  let before: number | null = null;
  let startedAtMs = 0;
  return {
    add(offset: number, atMs: number): void {
      if (atMs - startedAtMs >= windowMs) {
        before = current;
        current = null;
        startedAtMs = atMs;
      }
      current = Math.max(current ?? offset, offset);
    },
    highest: (): number | null => (before === null ? current : Math.max(before, current ?? before)),
  };
}
