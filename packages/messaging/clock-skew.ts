// How far this process's own clock is from the log's: measured, shown, and an alarm above a second. Nothing is decided by it.
//
// #1 Measured at the answer of an own append: append time minus own time in the middle of its round trip, so right to half of the round trip.
// #2 Skewed is what is above `skewMaxMs` for certain, the half round trip taken off. One line when it begins, one when it ends.

import type { Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";

export interface ClockSkew {
  /** An own append was answered now; it took `tookMs`. */
  measure(appendedAtMs: number, tookMs: number): void;
  /** Milliseconds by which the log's clock is ahead of the own one; null: not measured yet. */
  skewMs(): number | null;
}

export const skewMaxMs = 1_000;

export function createClockSkew({ time, log, metrics }: { time: Time; log: Log; metrics: Pick<Metrics, "gauge"> }): ClockSkew {
  const gauge = metrics.gauge("sluice_clock_skew_milliseconds", "By how much the log's clock is ahead of the clock of this process");
  let newestMs: number | null = null;
  let isSkewed = false;
  return {
    measure(appendedAtMs, tookMs) {
      const doubtMs = tookMs / 2;
      const skewMs = Math.round(appendedAtMs - (time.nowMs() - doubtMs));
      newestMs = skewMs;
      gauge.set(skewMs);
      const isNow = Math.abs(skewMs) - doubtMs > skewMaxMs;
      if (isNow && !isSkewed) log.error("clock.skewed", { skewMs, tookMs: Math.round(tookMs) });
      if (!isNow && isSkewed) log.info("clock.right-again", { skewMs, tookMs: Math.round(tookMs) });
      isSkewed = isNow;
    },
    skewMs: () => newestMs,
  };
}
