// All that can happen to a business day. Its outputs are markers, one copy to each lane.
//
//                                   no day          planned         window open      windows closed    reconciled
//   DayPlanned, first               DayTimes *      =               =                =                 =
//   DayPlanned, later version       -               DayTimes **     DayTimes **      DayTimes **       -
//   window-opens, not before time   -               WindowOpened †  = or next †      =                 =
//   window-opens, its close passed  -               missed          missed           =                 =
//   window-closes, not before time  -               missed, closed  WindowClosed     =                 =
//   reconciliation, not before time -               missed ‡        closed ‡         DayReconciled     =
//   a time that is not reached yet  -               -               -                -                 =
//   LaneCredits                     -               - (undeclared)  the last of all  the last of all   =
//                                                                   lanes: GateOpened
//   *  a date without a window: DayVoid instead. ** only if a time not reached changed. † the first opening declares the credits final
//   (`creditsFinal: clock`). ‡ windows still open or missed are closed first, then DayReconciled.
//
// 1. A fact is judged by its own append time against the plan, never by a clock (I9: not before its time).
// 2. Each window opens at most once and closes exactly once, in order; a missed one closes too, so that its debits can go on (I9).
// 3. A closing time that passed before another time is done first, by whichever fact comes next.
// 4. The gate opens once, when every lane has answered the declaration: for all banks except those that a lane named.
// 5. A record at or below `applied` is a replay: nothing changes, its first markers again, with the same ids.

import type { Day, DayTold, MarkerOutput } from "./day.ts";
import type { DayFact, DayKey, DayPlanned, DayTimeReached, LaneCredits, Marker, Place } from "./fact.ts";
import { markerId } from "./ids.ts";
import type { PlanRefusal } from "./plan.ts";
import { isInOrder, merge } from "./plan.ts";

export type DayReason =
  | PlanRefusal
  | "other-key"
  | "not-planned"
  | "no-such-window"
  | "too-early"
  | "window-missed"
  | "not-declared"
  | "no-such-lane"
  | "lane-counted";

export interface DayOutcome {
  readonly decision: "applied" | "ignored" | "refused" | "replayed";
  readonly reason: DayReason | null;
  readonly day: Day | null;
  readonly outputs: readonly MarkerOutput[];
}

interface DayJudgement {
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
    declared: [],
    laneAnswers: [],
    isGateOpen: false,
    reconciledAtMs: null,
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
    return countOf(day, "DayVoid") > 0 ? day : tell(day, place, { ...base(day, "DayVoid", 1), kind: "DayVoid", nextBusinessDate });
  }
  const number = countOf(day, "DayTimes") + 1;
  return tell(day, place, { ...base(day, "DayTimes", number), kind: "DayTimes", number, reconciliationAtMs, calendarVersion });
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
  const marker: Marker = { ...base(day, "WindowClosed", number), kind: "WindowClosed", number, isLast, nextBusinessDate };
  return tell({ ...day, missed, closed: [...day.closed, number] }, place, marker);
}

function open(day: Day, number: number, place: Place): Day {
  const marker: Marker = { ...base(day, "WindowOpened", number), kind: "WindowOpened", number };
  const opened = tell({ ...day, opened: [...day.opened, number] }, place, marker);
  const isDeclaredNow = day.plan.creditsFinal === "clock" && day.declared.length === 0;
  return isDeclaredNow ? declare(opened, place) : opened;
}

function declare(day: Day, place: Place): Day {
  const number = countOf(day, "CreditsDeclared") + 1;
  const marker: Marker = { ...base(day, "CreditsDeclared", number), kind: "CreditsDeclared", number, bank: null, declaredBy: "clock" };
  return tell({ ...day, declared: [...day.declared, marker.id] }, place, marker);
}

function reconcile(day: Day, place: Place): Day {
  const marker: Marker = { ...base(day, "DayReconciled", 1), kind: "DayReconciled", number: 1 };
  return tell({ ...day, reconciledAtMs: place.appendedAtMs }, place, marker);
}

function onLaneCredits(day: Day, fact: LaneCredits, place: Place): DayJudgement {
  if (!day.declared.includes(fact.declaration)) return { decision: "refused", reason: "not-declared", day };
  if (fact.lane < 0 || fact.lane >= day.plan.lanes) return { decision: "refused", reason: "no-such-lane", day };
  if (day.laneAnswers.some((answer) => answer.lane === fact.lane)) return { decision: "ignored", reason: "lane-counted", day };
  const laneAnswers = [...day.laneAnswers, { lane: fact.lane, banksUnresolved: fact.banksUnresolved }].toSorted((a, b) => a.lane - b.lane);
  const counted = { ...day, laneAnswers };
  if (laneAnswers.length < day.plan.lanes) return { decision: "applied", reason: null, day: counted };
  const except = [...new Set(laneAnswers.flatMap((answer) => answer.banksUnresolved))].toSorted();
  const marker: Marker = { ...base(day, "GateOpened", 1), kind: "GateOpened", number: 1, banks: null, except };
  return { decision: "applied", reason: null, day: tell({ ...counted, isGateOpen: true }, place, marker) };
}

function base(day: Day, kind: Marker["kind"], number: number): { id: string; scheme: string; businessDate: string } {
  const { scheme, businessDate } = day.plan;
  return { id: markerId(scheme, businessDate, kind, number), scheme, businessDate };
}

function countOf(day: Day, kind: Marker["kind"]): number {
  return day.told.filter((told) => told.marker.kind === kind).length;
}

function tell(day: Day, place: Place, marker: Marker): Day {
  const told: DayTold = { offset: place.offset, atMs: place.appendedAtMs, marker };
  return { ...day, told: [...day.told, told] };
}
