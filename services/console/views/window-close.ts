// The close of the last processing window of a day. A debit that is not held by then is not released on that day, so a
// report of its account check that waits has only until then; the reconciliation close comes later.

import type { Day } from "@sluice/domain";
import { formatOptionalInstant, wholeSecondsUntil } from "./control-values.ts";

/** Null: the day is not known, or has no window. */
export function lastWindowCloseMs(day: Day | null | undefined): number | null {
  const closes = day?.plan.windows.map(({ closesAtMs }) => closesAtMs) ?? [];
  return closes.length === 0 ? null : Math.max(...closes);
}

export function windowCloseView(atMs: number | null, nowMs: number | null) {
  return { windowCloses: formatOptionalInstant(atMs), secondsToWindowClose: wholeSecondsUntil(atMs, nowMs) };
}
