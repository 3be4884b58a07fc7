// An operator puts back a close that is not reached yet: a processing window's, or the reconciliation's (window 0), and deadlines move with it.
//
// 1. Reached means: closed, or its time is not after the record's own append time. So a put-back and the close itself never both win.
// 2. The plan stays in order: a window's new close is not after the next opening, nor after the reconciliation, which is put back first. The
//    reconciliation may end after the next business date has opened: days overlap by design.
// 3. At most `putBackByMsMax` later than the close in force, at most `putBacksMax` times a day.
// 4. A later calendar version never brings it forward again (`plan.ts`).

import type { Day, PutBack } from "./day.ts";
import { putBacksMax } from "./day.ts";
import { tellTimes } from "./day-markers.ts";
import type { DayJudgement } from "./decide-day.ts";
import type { CloseExtensionRequested, DayPlanned, Place } from "./fact.ts";
import { isInOrder } from "./plan.ts";

export type PutBackRefusal = "close-reached" | "not-later" | "too-far" | "too-many-put-backs";

export const putBackByMsMax = 86_400_000;

export function onCloseExtensionRequested(day: Day, fact: CloseExtensionRequested, place: Place): DayJudgement {
  const { windowNumber, closesAtMs, action } = fact;
  const window = day.plan.windows.find(({ number }) => number === windowNumber);
  const isReconciliation = windowNumber === 0 && day.plan.windows.length > 0;
  if (window === undefined && !isReconciliation) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  const inForceMs = window?.closesAtMs ?? day.plan.reconciliationAtMs;
  if (day.closed.includes(windowNumber) || inForceMs <= place.appendedAtMs) return { decision: "refused", reason: "close-reached", day };
  if (closesAtMs <= inForceMs) return { decision: "refused", reason: "not-later", day };
  if (closesAtMs - inForceMs > putBackByMsMax) return { decision: "refused", reason: "too-far", day };
  if (day.putBacks.length >= putBacksMax) return { decision: "refused", reason: "too-many-put-backs", day };
  const plan = withClose(day.plan, windowNumber, closesAtMs);
  if (!isInOrder(plan)) return { decision: "refused", reason: "plan-out-of-order", day };
  const putBack: PutBack = { windowNumber, closesAtMs, action, atMs: place.appendedAtMs };
  const after: Day = { ...day, plan, putBacks: [...day.putBacks, putBack] };
  return { decision: "applied", reason: null, day: isReconciliation ? tellTimes(after, place) : after };
}

function withClose(plan: DayPlanned, windowNumber: number, closesAtMs: number): DayPlanned {
  if (windowNumber === 0) return { ...plan, reconciliationAtMs: closesAtMs };
  return { ...plan, windows: plan.windows.map((window) => (window.number === windowNumber ? { ...window, closesAtMs } : window)) };
}
