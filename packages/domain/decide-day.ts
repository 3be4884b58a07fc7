// All that can happen to a business day. Its outputs are markers, one copy to each lane.
//
//                                     no day       planned         window open      windows closed   reconciled
//   DayPlanned, first                 DayTimes *   =               =                =                =
//   DayPlanned, later version         -            DayTimes **     DayTimes **      DayTimes **      -
//   the same without any window       -            DayVoid *†      -                -                -
//   window-opens, not before time     -            WindowOpened †  = or next †      =                =
//   window-opens, its close passed    -            missed          missed           =                =
//   window-closes, not before time    -            missed, closed  WindowClosed     =                =
//   reconciliation, not before time   -            missed ‡        closed ‡         DayReconciled    =
//   a time that is not reached yet    -            -               -                -                =
//   CreditsFinalRequested             -            declared §      declared §       declared §       -
//   LaneCredits                       -            the gate §§     the gate §§      the gate §§      =
//   LaneBankClear                     -            the gate §§     the gate §§      the gate §§      =
//   CloseExtensionRequested           -            put back ***    put back ***     put back ***     -
//   GateOpeningRequested              -            GateOpened §§§  GateOpened §§§   GateOpened §§§   -
//   *  a date without a window is void: DayVoid instead, and it is reconciled all the same. ** only if a time not reached changed. *† where no window has opened: `plan.ts`. *** DayTimes if it is the reconciliation's close: `put-back.ts`. † the first opening declares the credits
//   final (`creditsFinal: clock`). ‡ windows still open or missed are closed first, then DayReconciled. § CreditsDeclared, once for each scope;
//   `-` where the plan says that another declares, unless an operator asks. §§ GateOpened when every lane has answered: `credits-final.ts`.
//   §§§ once every lane has answered a declaration: `gate-opening.ts`.
//
// 1. A fact is judged by its own append time against the plan, never by a clock (I9: not before its time).
// 2. Each window opens at most once and closes exactly once, in order; a missed one closes too, so that its debits can go on (I9).
// 3. A closing time that passed before another time is done first, by whichever fact comes next.
// 4. A record at or below `applied` is a replay: nothing changes, its first markers again, with the same ids.
// 5. An operator's action counts once: a second record with the id of one in `decisions` changes nothing. Every other leaves a note there; one
//    that is refused changes nothing else.

import { declare, isDeclared, onCreditsFinalRequested, onLaneBankClear, onLaneCredits } from "./credits-final.ts";
import type { CreditsRefusal } from "./credits-final.ts";
import type { Day, DayDecision, MarkerOutput } from "./day.ts";
import { creditsNotedMax, dayDecisionsKept } from "./day.ts";
import { markerBase, tellMarker, tellTimes, tellVoid } from "./day-markers.ts";
import type { DayFact, DayKey, DayPlanned, DayTimeReached, Marker, Place } from "./fact.ts";
import { onGateOpeningRequested } from "./gate-opening.ts";
import { isDecided, noteOf, withNote } from "./operator-notes.ts";
import type { PlanRefusal } from "./plan.ts";
import { isInOrder, merge } from "./plan.ts";
import type { PutBackRefusal } from "./put-back.ts";
import { onCloseExtensionRequested } from "./put-back.ts";

export type DayReason =
  | PlanRefusal
  | CreditsRefusal
  | PutBackRefusal
  | "lanes-awaited"
  | "other-key"
  | "not-planned"
  | "no-such-window"
  | "too-early"
  | "window-missed"
  /** Another plan took its place before: it is not taken again. */
  | "plan-superseded"
  /** Already so. */
  | "already-decided"
  | "already-declared"
  | "gate-open"
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
  const judgement = day === null ? first(key, fact, place) : judgeOnce(day, fact, place);
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
    isVoided: fact.windows.length === 0,
    putBacks: [],
    decisions: [],
    told: [],
  };
  return { decision: "applied", reason: null, day: tellPlan(day, place) };
}

type OperatorFact = Extract<DayFact, { readonly kind: DayDecision["kind"] }>;

/** An operator's fact leaves a note, and counts once. */
function judgeOnce(day: Day, fact: DayFact, place: Place): DayJudgement {
  if (!("action" in fact) || fact.action === null) return judge(day, fact, place);
  if (isDecided(day.decisions, fact.action)) return { decision: "ignored", reason: "already-decided", day };
  const judged = judge(day, fact, place);
  const note: DayDecision = { ...noteOf(place, fact.action, judged), kind: fact.kind, ...named(fact) };
  return { ...judged, day: { ...judged.day, decisions: withNote(day.decisions, note, dayDecisionsKept) } };
}

function named(fact: OperatorFact): Pick<DayDecision, "bank" | "credits"> {
  if (fact.kind === "CloseExtensionRequested") return { bank: null, credits: [] };
  return { bank: fact.bank, credits: fact.kind === "GateOpeningRequested" ? fact.credits.slice(0, creditsNotedMax) : [] };
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
      return onCloseExtensionRequested(day, fact, place);
    case "GateOpeningRequested":
      return onGateOpeningRequested(day, fact, place);
    case "CreditsFinalRequested":
      return onCreditsFinalRequested(day, fact, place);
    default:
      throw new Error(`no such fact: ${String(fact satisfies never)}`);
  }
}

function onPlannedAgain(day: Day, fact: DayPlanned, place: Place): DayJudgement {
  if (day.planVersions.includes(fact.calendarVersion)) {
    const isInForce = day.planVersions.at(-1) === fact.calendarVersion;
    return { decision: "ignored", reason: isInForce ? null : "plan-superseded", day };
  }
  const merged = merge(day, fact, place.appendedAtMs);
  if (typeof merged === "string") return { decision: "refused", reason: merged, day };
  const isVoided = merged.windows.length === 0;
  const planned = { ...day, plan: merged, isVoided, planVersions: [...day.planVersions, fact.calendarVersion] };
  if (areTimesEqual(day.plan, merged)) return { decision: "ignored", reason: null, day: planned };
  return { decision: "applied", reason: null, day: tellPlan(planned, place) };
}

function areTimesEqual(a: DayPlanned, b: DayPlanned): boolean {
  const times = (plan: DayPlanned): string =>
    JSON.stringify([plan.windows, plan.cutOffAtMs, plan.reconciliationAtMs, plan.nextBusinessDate]);
  return times(a) === times(b);
}

function tellPlan(day: Day, place: Place): Day {
  return day.plan.windows.length === 0 ? tellVoid(day, place) : tellTimes(day, place);
}

function onTimeReached(day: Day, fact: DayTimeReached, place: Place): DayJudgement {
  const nowMs = place.appendedAtMs;
  if (fact.time === "reconciliation") {
    if (day.plan.windows.length === 0 && !day.isVoided) return { decision: "refused", reason: "no-such-window", day };
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
  const isDeclaredNow = day.plan.creditsFinal === "clock" && !isDeclared(day, null);
  return isDeclaredNow ? declare(opened, null, "clock", place) : opened;
}

function reconcile(day: Day, place: Place): Day {
  const marker: Marker = { ...markerBase(day, "DayReconciled", 1), kind: "DayReconciled", number: 1 };
  return tellMarker({ ...day, reconciledAtMs: place.appendedAtMs }, place, marker);
}
