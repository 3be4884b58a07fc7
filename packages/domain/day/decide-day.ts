// Everything that can happen to a business day. The outputs are markers, one copy for each partition.
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
//   PartitionCredits                       -            the gate §§     the gate §§      the gate §§      =
//   PartitionBankClear                     -            the gate §§     the gate §§      the gate §§      =
//   CloseExtensionRequested           -            extended ***    extended ***     extended ***     -
//   GateOpeningRequested              -            GateOpened §§§  GateOpened §§§   GateOpened §§§   -
//
//   *    DayVoid instead for a date without a window, which is reconciled all the same.
//   **   Only if a time that is not reached has changed.
//   *†   Where no window has opened yet: `plan.ts`.
//   ***  With DayTimes if the reconciliation close is extended: `extend-close.ts`.
//   †    The first opening declares the credits final if the plan says `creditsFinal: clock`.
//   ‡    Windows that are still open, or missed, are closed first; then follows DayReconciled.
//   §    CreditsDeclared, once for each scope; `-` if the plan says that another declares, unless an operator asks.
//   §§   GateOpened when every partition has answered: `credits-final.ts`.
//   §§§  Once every partition has answered a declaration: `gate-opening.ts`.
//
// #1 A fact is decided by its own append time and the plan, never by a clock (I9: not before its time).
// #2 Each window opens at most once and closes exactly once, in order; a missed one closes too, so that its debits can
//    go on (I9).
// #3 If a window's closing time has passed, the window is closed first, by whichever fact comes next.
// #4 A record at or below `applied` is a replay: it changes nothing and gives its first markers again, with the same
//    ids.
// #5 An operator's action counts once: a second record with the id of one in `decisions` changes nothing. Every other
//    one leaves a note there; a refused one changes nothing else.

import { addDeclaration, areCreditsDeclared, onCreditsFinalRequested, onPartitionBankClear, onPartitionCredits } from "./credits-final.ts";
import { creditsNotedMax, type Day, type DayDecision, dayDecisionsKept, type MarkerOutput } from "./day.ts";
import { markerBase, addMarker, announceTimes, announceVoid } from "./day-markers.ts";
import type { DayReason, DayResult, DecideDayResult } from "./day-result.ts";
import type { DayFact, DayKey, DayPlanned, DayTimeReached, Marker, RecordPosition } from "../fact.ts";
import { onGateOpeningRequested } from "./gate-opening.ts";
import { buildDecisionNote, appendDecisionNote } from "../decision-notes.ts";
import { addUsedAction, findActionUse, usedActionsMax } from "../used-actions.ts";
import { isPlanInOrder, mergePlan } from "./plan.ts";
import { onCloseExtensionRequested } from "./extend-close.ts";

/** Returns the markers that the record at `offset` made, in order. */
export function dayOutputsAt(day: Day, offset: bigint): readonly MarkerOutput[] {
  return day.markers
    .filter((entry) => entry.offset === offset)
    .map(({ marker }) => ({ kind: "marker", marker, alsoToDispatch: marker.kind === "DayTimes" || marker.kind === "DayReconciled" }));
}

/** Applies one record to a day (null: not planned yet). Records come in the order of their offsets. */
export function decideDay(key: DayKey, day: Day | null, fact: DayFact, place: RecordPosition): DecideDayResult {
  if (day !== null && place.offset <= day.applied) {
    return { decision: "replayed", reason: null, day, outputs: dayOutputsAt(day, place.offset) };
  }
  if (`${fact.scheme}:${fact.businessDate}` !== key) return { decision: "refused", reason: "other-key", day, outputs: [] };
  const result = day === null ? startDay(key, fact, place) : decideOnce(day, fact, place);
  if ("refusal" in result) return { decision: "refused", reason: result.refusal, day: null, outputs: [] };
  const applied = { ...result.day, version: result.day.version + 1, applied: place.offset };
  return { decision: result.decision, reason: result.reason, day: applied, outputs: dayOutputsAt(applied, place.offset) };
}

function startDay(key: DayKey, fact: DayFact, place: RecordPosition): DayResult | { readonly refusal: DayReason } {
  if (fact.kind !== "DayPlanned") return { refusal: "not-planned" };
  if (!isPlanInOrder(fact)) return { refusal: "plan-out-of-order" };
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
    extensions: [],
    decisions: [],
    usedActions: [],
    markers: [],
  };
  return { decision: "applied", reason: null, day: announcePlan(day, place) };
}

type OperatorFact = Extract<DayFact, { readonly kind: DayDecision["kind"] }>;

/** A request of an operator counts once and leaves a note (#5). */
function decideOnce(day: Day, fact: DayFact, place: RecordPosition): DayResult {
  if (!("action" in fact) || fact.action === null) return decideFact(day, fact, place);
  const use = findActionUse(day.usedActions, fact.action, usedActionsMax.day);
  if (use !== null) return { decision: use === "already-decided" ? "ignored" : "refused", reason: use, day };
  const result = decideFact(day, fact, place);
  const note: DayDecision = { ...buildDecisionNote(place, fact.action, result), kind: fact.kind, ...shownToOperator(fact) };
  const decisions = appendDecisionNote(day.decisions, note, dayDecisionsKept);
  return { ...result, day: { ...result.day, decisions, usedActions: addUsedAction(day.usedActions, fact.action) } };
}

function shownToOperator(fact: OperatorFact): Pick<DayDecision, "bank" | "credits"> {
  if (fact.kind === "CloseExtensionRequested") return { bank: null, credits: [] };
  return { bank: fact.bank, credits: fact.kind === "GateOpeningRequested" ? fact.credits.slice(0, creditsNotedMax) : [] };
}

function decideFact(day: Day, fact: DayFact, place: RecordPosition): DayResult {
  switch (fact.kind) {
    case "DayPlanned":
      return onPlannedAgain(day, fact, place);
    case "DayTimeReached":
      return onTimeReached(day, fact, place);
    case "PartitionCredits":
      return onPartitionCredits(day, fact, place);
    case "PartitionBankClear":
      return onPartitionBankClear(day, fact, place);
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

function onPlannedAgain(day: Day, fact: DayPlanned, place: RecordPosition): DayResult {
  if (day.planVersions.includes(fact.calendarVersion)) {
    const isInForce = day.planVersions.at(-1) === fact.calendarVersion;
    return { decision: "ignored", reason: isInForce ? null : "plan-superseded", day };
  }
  const merged = mergePlan(day, fact, place.appendedAtMs);
  if (typeof merged === "string") return { decision: "refused", reason: merged, day };
  const isVoided = merged.windows.length === 0;
  const planned = { ...day, plan: merged, isVoided, planVersions: [...day.planVersions, fact.calendarVersion] };
  if (areTimesEqual(day.plan, merged)) return { decision: "ignored", reason: null, day: planned };
  return { decision: "applied", reason: null, day: announcePlan(planned, place) };
}

function areTimesEqual(a: DayPlanned, b: DayPlanned): boolean {
  const times = (plan: DayPlanned): string =>
    JSON.stringify([plan.windows, plan.cutOffAtMs, plan.reconciliationAtMs, plan.nextBusinessDate]);
  return times(a) === times(b);
}

function announcePlan(day: Day, place: RecordPosition): Day {
  return day.plan.windows.length === 0 ? announceVoid(day, place) : announceTimes(day, place);
}

function onTimeReached(day: Day, fact: DayTimeReached, place: RecordPosition): DayResult {
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

/** Closes every window whose closing time has come, in order; one that never opened is missed. */
function closeDue(day: Day, nowMs: number, place: RecordPosition): Day {
  const due = day.plan.windows.filter((window) => window.closesAtMs <= nowMs && !day.closed.includes(window.number));
  return due.reduce((before, { number }) => close(before, number, place), day);
}

function close(day: Day, number: number, place: RecordPosition): Day {
  const isLast = day.plan.windows.at(-1)?.number === number;
  const missed = day.opened.includes(number) ? day.missed : [...day.missed, number];
  const { nextBusinessDate } = day.plan;
  const marker: Marker = { ...markerBase(day, "WindowClosed", number), kind: "WindowClosed", number, isLast, nextBusinessDate };
  return addMarker({ ...day, missed, closed: [...day.closed, number] }, place, marker);
}

function open(day: Day, number: number, place: RecordPosition): Day {
  const marker: Marker = { ...markerBase(day, "WindowOpened", number), kind: "WindowOpened", number };
  const opened = addMarker({ ...day, opened: [...day.opened, number] }, place, marker);
  const isDeclaredNow = day.plan.creditsFinal === "clock" && !areCreditsDeclared(day, null);
  return isDeclaredNow ? addDeclaration(opened, null, "clock", place) : opened;
}

function reconcile(day: Day, place: RecordPosition): Day {
  const marker: Marker = { ...markerBase(day, "DayReconciled", 1), kind: "DayReconciled", number: 1 };
  return addMarker({ ...day, reconciledAtMs: place.appendedAtMs }, place, marker);
}
