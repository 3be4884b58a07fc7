// An operator extends a close that has not been reached, of a processing window or of the reconciliation (window 0).
// Deadlines move with it.
//
// #1 A close is reached when it has happened, or when its time is not after the record's own append time. So an
//    extension and the close itself never both win.
// #2 The plan stays in order: a window's new close is not after the next opening, nor after the reconciliation close,
//    which has to be extended first. The reconciliation close may come after the next business date has opened: days
//    overlap by design.
// #3 An extension is at most `extensionMsMax` later than the close in force, and there are at most `extensionsMax` a
//    day.
// #4 A later calendar version never brings the close forward again (`plan.ts`).

import { type CloseExtension, type Day, extensionsMax } from "./day.ts";
import { announceTimes } from "./day-markers.ts";
import type { DayResult } from "./day-result.ts";
import type { CloseExtensionRequested, DayPlanned, RecordPosition } from "../fact.ts";
import { isPlanInOrder } from "./plan.ts";

/** One day: the longest extension of a close. */
export const extensionMsMax = 86_400_000;

export function onCloseExtensionRequested(day: Day, fact: CloseExtensionRequested, place: RecordPosition): DayResult {
  const { windowNumber, closesAtMs, action } = fact;
  const window = day.plan.windows.find(({ number }) => number === windowNumber);
  const isReconciliation = windowNumber === 0 && day.plan.windows.length > 0;
  if (window === undefined && !isReconciliation) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  const inForceMs = window?.closesAtMs ?? day.plan.reconciliationAtMs;
  if (day.closed.includes(windowNumber) || inForceMs <= place.appendedAtMs) return { decision: "refused", reason: "close-reached", day };
  if (closesAtMs <= inForceMs) return { decision: "refused", reason: "not-later", day };
  if (closesAtMs - inForceMs > extensionMsMax) return { decision: "refused", reason: "too-far", day };
  if (day.extensions.length >= extensionsMax) return { decision: "refused", reason: "too-many-extensions", day };
  const plan = withClose(day.plan, windowNumber, closesAtMs);
  if (!isPlanInOrder(plan)) return { decision: "refused", reason: "plan-out-of-order", day };
  const extension: CloseExtension = { windowNumber, closesAtMs, action, atMs: place.appendedAtMs };
  const after: Day = { ...day, plan, extensions: [...day.extensions, extension] };
  return { decision: "applied", reason: null, day: isReconciliation ? announceTimes(after, place) : after };
}

function withClose(plan: DayPlanned, windowNumber: number, closesAtMs: number): DayPlanned {
  if (windowNumber === 0) return { ...plan, reconciliationAtMs: closesAtMs };
  return { ...plan, windows: plan.windows.map((window) => (window.number === windowNumber ? { ...window, closesAtMs } : window)) };
}
