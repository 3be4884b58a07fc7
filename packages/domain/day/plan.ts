// The plan of a business day, and how a later version changes it: only in times that are not reached.
//
// #1 A calendar version counts once, in the order of the journal. The first to arrive is accepted, and a scheduler that
//    still runs an older version changes nothing.
// #2 A time is reached when its fact took effect, or when its planned time is not after the append time of the new
//    plan.
// #3 A plan in force is in order: each window closes after it opened, no two overlap, and the reconciliation close
//    comes last.
// #4 A date that loses all its windows before any has opened is void: its held debits are carried over to the next
//    business date, and it closes at the time it had. A plan is refused if it names no next business date, or if it
//    takes away the only window ahead when an earlier one has closed: held debits would be left without a window.
// #5 A later plan does not bring forward a close that an operator extended.

import { type Day, planVersionsMax, windowsMax } from "./day.ts";
import type { PlanRefusal } from "./day-result.ts";
import type { DayPlanned, PlannedWindow } from "../fact.ts";

export function isPlanInOrder(plan: DayPlanned): boolean {
  if (plan.windows.length > windowsMax) return false;
  let latestMs = Number.NEGATIVE_INFINITY;
  let latestNumber = 0;
  for (const window of plan.windows) {
    if (window.number <= latestNumber || window.opensAtMs < latestMs || window.closesAtMs <= window.opensAtMs) return false;
    latestNumber = window.number;
    latestMs = window.closesAtMs;
  }
  return plan.windows.length === 0 || plan.reconciliationAtMs >= latestMs;
}

/** Returns the plan in force after a later version, or why that version is refused. */
export function mergePlan(day: Day, later: DayPlanned, nowMs: number): DayPlanned | PlanRefusal {
  if (day.planVersions.length >= planVersionsMax) return "too-many-plans";
  if (day.reconciledAtMs !== null) return "day-over";
  const { plan } = day;
  const kept = plan.windows.flatMap((window) => mergeWindow(day, window, later, nowMs));
  const isLastClosed = plan.windows.length > 0 && day.closed.includes(plan.windows.at(-1)?.number ?? 0);
  const added = later.windows.filter((window) => isNew(window, plan, nowMs) && !isLastClosed);
  const windows = [...kept, ...added].toSorted((a, b) => a.number - b.number);
  const isReached = (plan.windows.length > 0 || day.isVoided) && plan.reconciliationAtMs <= nowMs;
  const isCutOff = plan.windows.length > 0 && plan.cutOffAtMs <= nowMs;
  const merged: DayPlanned = {
    ...later,
    windows,
    isWorkingDay: windows.length > 0,
    cutOffAtMs: isCutOff ? plan.cutOffAtMs : later.cutOffAtMs,
    reconciliationAtMs: isReached ? plan.reconciliationAtMs : notBeforeExtension(day, 0, later.reconciliationAtMs),
    // The number of partitions is fixed at provisioning, and who declares is a promise to the banks of that day.
    partitionCount: plan.partitionCount,
    creditsFinal: plan.creditsFinal,
  };
  if (windows.length === 0 && (plan.windows.length > 0 || day.isVoided)) return voidDate(plan, merged, later);
  if (losesLastWindow(day, windows)) return "plan-leaves-no-window";
  return isPlanInOrder(merged) ? merged : "plan-out-of-order";
}

/**
 * True if the new last window has already closed. Its WindowClosed said that another follows, so no marker would end
 * the date.
 */
function losesLastWindow({ plan, closed }: Day, windows: readonly PlannedWindow[]): boolean {
  const [before, after] = [plan.windows.at(-1)?.number, windows.at(-1)?.number];
  return before !== undefined && after !== undefined && !closed.includes(before) && closed.includes(after);
}

function voidDate(plan: DayPlanned, merged: DayPlanned, later: DayPlanned): DayPlanned | PlanRefusal {
  if (later.windows.length > 0 || later.nextBusinessDate === null) return "plan-leaves-no-window";
  return { ...merged, cutOffAtMs: plan.cutOffAtMs, reconciliationAtMs: plan.reconciliationAtMs };
}

function notBeforeExtension({ extensions }: Day, windowNumber: number, closesAtMs: number): number {
  return extensions.reduce(
    (atMs, extension) => (extension.windowNumber === windowNumber ? Math.max(atMs, extension.closesAtMs) : atMs),
    closesAtMs,
  );
}

function mergeWindow(day: Day, window: PlannedWindow, later: DayPlanned, nowMs: number): readonly PlannedWindow[] {
  const isOpeningReached = day.opened.includes(window.number) || day.closed.includes(window.number) || window.opensAtMs <= nowMs;
  const isClosingReached = day.closed.includes(window.number) || window.closesAtMs <= nowMs;
  const changed = later.windows.find((other) => other.number === window.number);
  if (changed === undefined) return isOpeningReached ? [window] : [];
  return [
    {
      number: window.number,
      opensAtMs: isOpeningReached ? window.opensAtMs : changed.opensAtMs,
      closesAtMs: isClosingReached ? window.closesAtMs : notBeforeExtension(day, window.number, changed.closesAtMs),
    },
  ];
}

function isNew(window: PlannedWindow, plan: DayPlanned, nowMs: number): boolean {
  const isHigher = window.number > (plan.windows.at(-1)?.number ?? 0);
  return isHigher && window.closesAtMs > nowMs;
}
