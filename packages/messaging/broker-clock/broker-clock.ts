// The broker clock: the broker's time as this process knows it. It decides when to append a fact of time. Whether that
// fact counts is decided by the fact's own append time, never by this clock.
//
// #1 Broker time = an observed append time + the monotonic time since. An append is always observed after it happened,
//    so each sample is a lower bound, and the highest sample of the last minute is used. The process's wall clock plays
//    no part.
// #2 It never goes back. If the broker's clock goes back, it stops until the broker has caught up.
// #3 A probe is appended at the start, after ten seconds without a fresh sample, and every half minute in any case: its
//    answer shows the skew of this process's clock. Reading old records gives no fresh sample.
// #4 One probe is in flight at a time. A failed probe is followed by another after a second.
// #5 An own append happened between its sending and its acknowledgement. The skew is how far this process's clock is
//    outside that span now, so a slow answer alone is not skew. One line is logged when a skew above `skewAlarmMs`
//    begins, and one when it ends; it decides nothing here. A process that stamps messages refuses them while its skew
//    is above `skewMaxMs`.

import { formatReason, type Logger, type Metrics, type Time } from "@sluice/kernel";

export interface BrokerClock {
  /** Takes an append time as a sample: of a record just read, or of a produce answer. */
  observe(appendedAtMs: number): void;
  /** Takes an own append that is acknowledged now and was sent at that monotonic time, as a sample and for the skew. */
  measure(appendedAtMs: number, sentMonotonicMs: number): void;
  /** Epoch milliseconds by the broker's clock; null before the first sample. */
  nowMs(): number | null;
  /**
   * Milliseconds by which the clock of this process is certainly off the broker's now (#5); null before a measurement.
   */
  skewMs(): number | null;
  /** Milliseconds since the newest measured append was acknowledged; Infinity before the first. */
  ageMs(): number;
}

export interface ProbingBrokerClock extends BrokerClock {
  stop(): void;
}

export interface BrokerClockOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "gauge">;
  /** Appends a probe record and answers its append time. */
  readonly probe: () => Promise<number>;
}

/** Milliseconds of skew that raise the alarm: people have time to correct the clock before `skewMaxMs`. */
const skewAlarmMs = 1_000;
/** Milliseconds of skew beyond which dates that follow from this process's clock may be wrong. */
export const skewMaxMs = 2_000;
const silenceMaxMs = 10_000;
const probeAgainMs = 1000;
const unprobedMaxMs = 30_000;
const windowMs = 30_000;
/** A sample further behind broker time than this comes from an old record and is not fresh. */
const freshWithinMs = 5000;

/** Creates a clock that knows only what it is given: it does not probe. */
export function createBrokerClock(time: Time): BrokerClock {
  const offsets = createHighestOffset();
  let reachedMs: number | null = null;
  let newest: { readonly appendedAtMs: number; readonly sentMs: number; readonly acknowledgedMs: number } | null = null;

  function observe(appendedAtMs: number): void {
    const sampledAtMs = time.monotonicMs();
    offsets.add(appendedAtMs - sampledAtMs, sampledAtMs);
  }

  return {
    observe,
    measure(appendedAtMs, sentMs) {
      newest = { appendedAtMs, sentMs, acknowledgedMs: time.monotonicMs() };
      observe(appendedAtMs);
    },
    nowMs() {
      const offset = offsets.highest();
      if (offset === null) return null;
      // #2
      reachedMs = Math.max(reachedMs ?? 0, Math.floor(time.monotonicMs() + offset));
      return reachedMs;
    },
    skewMs() {
      if (newest === null) return null;
      const nowMs = time.nowMs();
      const earliestMs = newest.appendedAtMs + time.monotonicMs() - newest.acknowledgedMs;
      const latestMs = newest.appendedAtMs + time.monotonicMs() - newest.sentMs;
      return Math.max(earliestMs - nowMs, nowMs - latestMs, 0);
    },
    ageMs: () => (newest === null ? Infinity : time.monotonicMs() - newest.acknowledgedMs),
  };
}

/** Starts a clock that probes the broker (#3), shows its skew, and raises the alarm (#5). */
export function startBrokerClock({ time, logger, metrics, probe }: BrokerClockOptions): ProbingBrokerClock {
  const clock = createBrokerClock(time);
  const showSkew = createSkewAlarm({ logger, metrics });
  let lastSampleMs: number | null = null;
  let freshAtMs: number | null = null;
  let isStopped = false;
  let timer = time.after(0, () => void ask());

  function observe(appendedAtMs: number): void {
    // Records of one batch share their append time, and a later sample of it is a weaker bound.
    if (appendedAtMs === lastSampleMs) return;
    lastSampleMs = appendedAtMs;
    const brokerMs = clock.nowMs();
    // #3: until the first probe is answered no sample counts as fresh, because the records read may be old.
    if (freshAtMs !== null && (brokerMs === null || appendedAtMs > brokerMs - freshWithinMs)) freshAtMs = time.monotonicMs();
    clock.observe(appendedAtMs);
  }

  function measure(appendedAtMs: number, sentMonotonicMs: number): void {
    clock.measure(appendedAtMs, sentMonotonicMs);
    lastSampleMs = appendedAtMs;
    freshAtMs = time.monotonicMs();
    const tookMs = freshAtMs - sentMonotonicMs;
    showSkew(Math.round(appendedAtMs - (time.nowMs() - tookMs / 2)), tookMs, (clock.skewMs() ?? 0) > skewAlarmMs);
  }

  async function ask(): Promise<void> {
    if (isStopped) return;
    const dueInMs = freshAtMs === null ? 0 : Math.min(freshAtMs + silenceMaxMs - time.monotonicMs(), unprobedMaxMs - clock.ageMs());
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
      measure(await probe(), sentAtMs);
      return true;
    } catch (error) {
      logger.warn("broker-clock.probe-failed", { reason: formatReason(error) });
      return false;
    }
  }

  return {
    ...clock,
    observe,
    measure,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

/**
 * Shows each measured skew, positive where the broker's clock is ahead, and logs where an alarm begins and ends (#5).
 */
function createSkewAlarm({ logger, metrics }: Pick<BrokerClockOptions, "logger" | "metrics">) {
  const gauge = metrics.gauge("sluice_clock_skew_seconds", "Seconds by which the broker's clock is ahead of the clock of this process.");
  let isSkewed = false;
  return (skewMs: number, tookMs: number, isNow: boolean): void => {
    gauge.set(skewMs / 1_000);
    if (isNow && !isSkewed) logger.error("clock.skewed", { skewMs, tookMs: Math.round(tookMs) });
    if (!isNow && isSkewed) logger.info("clock.skew-ended", { skewMs, tookMs: Math.round(tookMs) });
    isSkewed = isNow;
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
