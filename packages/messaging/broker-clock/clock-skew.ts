// Measures how far this process's clock is from the broker's, shows it, and raises an alarm above a second. It decides
// nothing.
//
// #1 The skew is the append time of an own record minus the own time in the middle of its round trip. Its error is at
//    most half of that round trip.
// #2 The clock is skewed if the skew exceeds `skewMaxMs` even after that error is subtracted. One line is logged when
//    this begins, and one when it ends.

import type { Logger, Metrics, Time } from "@sluice/kernel";

export interface ClockSkew {
  /** Takes the answer of an own append that arrived now and took `tookMs`. */
  measure(appendedAtMs: number, tookMs: number): void;
  /** Milliseconds by which the broker's clock is ahead of the own one; null before the first measurement. */
  skewMs(): number | null;
}

export const skewMaxMs = 1_000;

export function createClockSkew({ time, logger, metrics }: { time: Time; logger: Logger; metrics: Pick<Metrics, "gauge"> }): ClockSkew {
  const gauge = metrics.gauge(
    "sluice_clock_skew_milliseconds",
    "Milliseconds by which the broker's clock is ahead of the clock of this process.",
  );
  let newestMs: number | null = null;
  let isSkewed = false;
  return {
    measure(appendedAtMs, tookMs) {
      const errorMs = tookMs / 2;
      const skewMs = Math.round(appendedAtMs - (time.nowMs() - errorMs));
      newestMs = skewMs;
      gauge.set(skewMs);
      const isNow = Math.abs(skewMs) - errorMs > skewMaxMs;
      if (isNow && !isSkewed) logger.error("clock.skewed", { skewMs, tookMs: Math.round(tookMs) });
      if (!isNow && isSkewed) logger.info("clock.skew-ended", { skewMs, tookMs: Math.round(tookMs) });
      isSkewed = isNow;
    },
    skewMs: () => newestMs,
  };
}
