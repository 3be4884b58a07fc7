// All that can happen to a business day. Its outputs are markers, one copy to each lane.
//
//                                     no day       planned         window open      windows closed   reconciled
//   DayPlanned, first                 DayTimes *   =               =                =                =
//   DayPlanned, later version         -            DayTimes **     DayTimes **      DayTimes **      -
//   window-opens, not before time     -            WindowOpened †  = or next †      =                =
//   window-opens, its close passed    -            missed          missed           =                =
//   window-closes, not before time    -            missed, closed  WindowClosed     =                =
//   reconciliation, not before time   -            missed ‡        closed ‡         DayReconciled    =
//   a time that is not reached yet    -            -               -                -                =
//   CreditsFinalRequested             -            declared §      declared §       declared §       -
//   LaneCredits                       -            the gate §§     the gate §§      the gate §§      =
//   LaneBankClear                     -            the gate §§     the gate §§      the gate §§      =
//   *  a date without a window: DayVoid instead. ** only if a time not reached changed. † the first opening declares the credits final
//   (`creditsFinal: clock`). ‡ windows still open or missed are closed first, then DayReconciled. § CreditsDeclared, once for each scope;
//   `-` where the plan says that another declares. §§ GateOpened when every lane has answered: `credits-final.ts`.
//
// 1. A fact is judged by its own append time against the plan, never by a clock (I9: not before its time).
// 2. Each window opens at most once and closes exactly once, in order; a missed one closes too, so that its debits can go on (I9).
// 3. A closing time that passed before another time is done first, by whichever fact comes next.
// 4. A record at or below `applied` is a replay: nothing changes, its first markers again, with the same ids.

import { declare, onCreditsFinalRequested, onLaneBankClear, onLaneCredits } from "./credits-final.ts";
import type { CreditsRefusal } from "./credits-final.ts";
import type { Day, MarkerOutput } from "./day.ts";
import { countOf, markerBase, tellMarker } from "./day-markers.ts";
import type { DayFact, DayKey, DayPlanned, DayTimeReached, Marker, Place } from "./fact.ts";
import type { PlanRefusal } from "./plan.ts";
import { isInOrder, merge } from "./plan.ts";

export type DayReason =
  | PlanRefusal
  | CreditsRefusal
  | "other-key"
  | "not-planned"
  | "no-such-window"
  | "too-early"
  | "window-missed"
  /** Already so. */
  | "already-declared"
  | "lane-counted"
  | "bank-clear";

export interface DayOutcome {
  readonly decision: "applied" | "ignored" | "refused" | "replayed";
  readonly reason: DayReason | null;
  readonly day: Day | null;
  readonly outputs: readonly MarkerOutput[];
}

/** A handler's answer: the day after the fact, not yet counted as folded in. */
export interface DayJudgement {
  readonly decision: "applied" | "ignored" | "refused";
  readonly reason: DayReason | null;
  readonly day: Day;
}

/** Exactly the markers made in the turn of the record at `offset`, in order. */
export function dayOutputsAt(day: Day, offset: bigint): readonly MarkerOutput[] {
  return day.told
    .filter((told) => told.offset === offset)
    .map(({ marker }) => ({ kind: "marker", marker, alsoToDispatch: marker.kind === "DayTimes" || marker.kind === "DayReconciled" }));
}

/** Folds one record into a day (null: not planned yet). Records of a lane in offset order. */
export function decideDay(key: DayKey, day: Day | null, fact: DayFact, place: Place): DayOutcome {
  if (day !== null && place.offset <= day.applied) {
    return { decision: "replayed", reason: null, day, outputs: dayOutputsAt(day, place.offset) };
  }
  if (`${fact.scheme}:${fact.businessDate}` !== key) return { decision: "refused", reason: "other-key", day, outputs: [] };
  const judgement = day === null ? first(key, fact, place) : judge(day, fact, place);
  if ("refusal" in judgement) return { decision: "refused", reason: judgement.refusal, day: null, outputs: [] };
  const folded = { ...judgement.day, version: judgement.day.version + 1, applied: place.offset };
  return { decision: judgement.decision, reason: judgement.reason, day: folded, outputs: dayOutputsAt(folded, place.offset) };
}

function first(key: DayKey, fact: DayFact, place: Place): DayJudgement | { readonly refusal: DayReason } {
  if (fact.kind !== "DayPlanned") return { refusal: "not-planned" };
  if (!isInOrder(fact)) return { refusal: "plan-out-of-order" };
  const day: Day = {
    key,
    version: 0,
    applied: place.offset,
    plan: fact,
    planVersions: [fact.calendarVersion],
    opened: [],
    closed: [],
    missed: [],
    declarations: [],
    isGateOpen: false,
    reconciledAtMs: null,
    isVoided: false,
    putBacks: [],
    decisions: [],
    told: [],
  };
  return { decision: "applied", reason: null, day: tellPlan(day, place) };
}

function judge(day: Day, fact: DayFact, place: Place): DayJudgement {
  switch (fact.kind) {
    case "DayPlanned":
      return onPlannedAgain(day, fact, place);
    case "DayTimeReached":
      return onTimeReached(day, fact, place);
    case "LaneCredits":
      return onLaneCredits(day, fact, place);
    case "LaneBankClear":
      return onLaneBankClear(day, fact, place);
    case "CloseExtensionRequested":
    case "GateOpeningRequested":
      return { decision: "refused", reason: "no-such-window", day };
    case "CreditsFinalRequested":
      return onCreditsFinalRequested(day, fact, place);
    default:
      throw new Error(`no such fact: ${String(fact satisfies never)}`);
  }
}

function onPlannedAgain(day: Day, fact: DayPlanned, place: Place): DayJudgement {
  if (day.planVersions.includes(fact.calendarVersion)) return { decision: "ignored", reason: null, day };
  const merged = merge(day, fact, place.appendedAtMs);
  if (typeof merged === "string") return { decision: "refused", reason: merged, day };
  const planned = { ...day, plan: merged, planVersions: [...day.planVersions, fact.calendarVersion] };
  if (areTimesEqual(day.plan, merged)) return { decision: "ignored", reason: null, day: planned };
  return { decision: "applied", reason: null, day: tellPlan(planned, place) };
}

function areTimesEqual(a: DayPlanned, b: DayPlanned): boolean {
  const times = (plan: DayPlanned): string =>
    JSON.stringify([plan.windows, plan.cutOffAtMs, plan.reconciliationAtMs, plan.nextBusinessDate]);
  return times(a) === times(b);
}

function tellPlan(day: Day, place: Place): Day {
  const { windows, nextBusinessDate, reconciliationAtMs, calendarVersion } = day.plan;
  if (windows.length === 0) {
    return countOf(day, "DayVoid") > 0
      ? day
      : tellMarker(day, place, { ...markerBase(day, "DayVoid", 1), kind: "DayVoid", nextBusinessDate });
  }
  const number = countOf(day, "DayTimes") + 1;
  return tellMarker(day, place, { ...markerBase(day, "DayTimes", number), kind: "DayTimes", number, reconciliationAtMs, calendarVersion });
}

function onTimeReached(day: Day, fact: DayTimeReached, place: Place): DayJudgement {
  const nowMs = place.appendedAtMs;
  if (fact.time === "reconciliation") {
    if (day.plan.windows.length === 0) return { decision: "refused", reason: "no-such-window", day };
    if (day.reconciledAtMs !== null) return { decision: "ignored", reason: null, day };
    if (nowMs < day.plan.reconciliationAtMs) return { decision: "refused", reason: "too-early", day };
    return { decision: "applied", reason: null, day: reconcile(closeDue(day, nowMs, place), place) };
  }
  const window = day.plan.windows.find((planned) => planned.number === fact.number);
  if (window === undefined) return { decision: "refused", reason: "no-such-window", day };
  const isDone = day.closed.includes(window.number) || (fact.time === "window-opens" && day.opened.includes(window.number));
  if (isDone) return { decision: "ignored", reason: null, day };
  if (nowMs < (fact.time === "window-opens" ? window.opensAtMs : window.closesAtMs))
    return { decision: "refused", reason: "too-early", day };
  const caughtUp = closeDue(day, nowMs, place);
  if (caughtUp.closed.includes(window.number)) {
    return { decision: "applied", reason: caughtUp.missed.includes(window.number) ? "window-missed" : null, day: caughtUp };
  }
  return { decision: "applied", reason: null, day: open(caughtUp, window.number, place) };
}

/** Closes, in order, every window whose closing time has come; one that never opened is missed. */
function closeDue(day: Day, nowMs: number, place: Place): Day {
  const due = day.plan.windows.filter((window) => window.closesAtMs <= nowMs && !day.closed.includes(window.number));
  return due.reduce((before, { number }) => close(before, number, place), day);
}

function close(day: Day, number: number, place: Place): Day {
  const isLast = day.plan.windows.at(-1)?.number === number;
  const missed = day.opened.includes(number) ? day.missed : [...day.missed, number];
  const { nextBusinessDate } = day.plan;
  const marker: Marker = { ...markerBase(day, "WindowClosed", number), kind: "WindowClosed", number, isLast, nextBusinessDate };
  return tellMarker({ ...day, missed, closed: [...day.closed, number] }, place, marker);
}

function open(day: Day, number: number, place: Place): Day {
  const marker: Marker = { ...markerBase(day, "WindowOpened", number), kind: "WindowOpened", number };
  const opened = tellMarker({ ...day, opened: [...day.opened, number] }, place, marker);
  const isDeclaredNow = day.plan.creditsFinal === "clock" && day.declarations.length === 0;
  return isDeclaredNow ? declare(opened, null, place) : opened;
}

function reconcile(day: Day, place: Place): Day {
  const marker: Marker = { ...markerBase(day, "DayReconciled", 1), kind: "DayReconciled", number: 1 };
  return tellMarker({ ...day, reconciledAtMs: place.appendedAtMs }, place, marker);
}
