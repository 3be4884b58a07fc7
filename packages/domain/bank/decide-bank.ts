// Everything that can happen to a bank (or a connector) as operators set it. The outputs are markers: one copy goes to
// each partition of the journal, of dispatch and of events.
//
//                              not paused     paused, no end   in maintenance to T
//   BankPauseRequested         BankPaused     = already-so     BankPaused, no end any more
//   BankPauseRequested to T    BankPaused T   BankPaused T     BankPaused T; the same T: = already-so
//   … to a time not ahead      = end-reached  = end-reached    = end-reached
//   BankResumeRequested        = already-so   BankResumed      BankResumed
//
// #1 An action counts once: a second record with the id of one in `decisions` changes nothing and leaves no note.
// #2 A record at or below `applied` is a replay: it changes nothing and gives its first markers again, with the same
//    ids.
// #3 The lists are bounded; the numbers of the markers go on (`pauses`, `resumes`).
// #4 A maintenance is over at its end, by the record's append time; from then on the bank is not paused. The last pause
//    wins.
// #5 Markers are numbered by pauses, and a resume has the number of the pause that it ends. So a reader knows by the
//    number which of two markers is newer.

import { bankDecisionsKept, type BankMarkerOutput, bankMarkersKept, type BankState, isPausedAt } from "./bank-state.ts";
import { type BankFact, bankKey, type BankMarker, type RecordPosition } from "../fact.ts";
import { buildDecisionNote, appendDecisionNote } from "../decision-notes.ts";
import { type ActionUse, addUsedAction, findActionUse, usedActionsMax } from "../used-actions.ts";

export type BankReason = "other-key" | ActionUse | "already-so" | "end-reached";

export interface DecideBankResult {
  readonly decision: "applied" | "ignored" | "refused" | "replayed";
  readonly reason: BankReason | null;
  readonly state: BankState | null;
  readonly outputs: readonly BankMarkerOutput[];
}

/** Returns the markers that the record at `offset` made. */
function bankOutputsAt(state: BankState, offset: bigint): readonly BankMarkerOutput[] {
  return state.markers.filter((entry) => entry.offset === offset).map(({ marker }) => ({ kind: "bank-marker", marker }));
}

/**
 * Applies one record to the state of a bank (null: no request was made yet). Records come in the order of their
 * offsets.
 */
export function decideBank(key: string, state: BankState | null, fact: BankFact, place: RecordPosition): DecideBankResult {
  if (state !== null && place.offset <= state.applied) {
    return { decision: "replayed", reason: null, state, outputs: bankOutputsAt(state, place.offset) };
  }
  if (bankKey(fact.bank) !== key) return { decision: "refused", reason: "other-key", state, outputs: [] };
  const before = state ?? createState(fact.bank, place);
  const result = decideOnce(before, fact, place);
  const applied: BankState = { ...result.state, version: before.version + 1, applied: place.offset };
  return { decision: result.decision, reason: result.reason, state: applied, outputs: bankOutputsAt(applied, place.offset) };
}

function createState(bank: string, { offset }: RecordPosition): BankState {
  return {
    bank,
    version: 0,
    applied: offset,
    isPaused: false,
    untilMs: null,
    since: null,
    pauses: 0,
    resumes: 0,
    markers: [],
    decisions: [],
    usedActions: [],
  };
}

interface BankResult {
  readonly decision: "applied" | "ignored";
  readonly reason: BankReason | null;
  readonly state: BankState;
}

function decideOnce(state: BankState, fact: BankFact, place: RecordPosition): BankResult {
  const use = findActionUse(state.usedActions, fact.action, usedActionsMax.bank);
  if (use !== null) return { decision: "ignored", reason: use, state };
  const reason = whyIgnored(state, fact, place);
  const result: BankResult =
    reason === null ? { decision: "applied", reason: null, state: applyPause(state, fact, place) } : { decision: "ignored", reason, state };
  const note = { ...buildDecisionNote(place, fact.action, result), kind: fact.kind };
  const decisions = appendDecisionNote(state.decisions, note, bankDecisionsKept);
  return { ...result, state: { ...result.state, decisions, usedActions: addUsedAction(state.usedActions, fact.action) } };
}

/** The table and #4; null: the request is applied. */
function whyIgnored(state: BankState, fact: BankFact, { appendedAtMs }: RecordPosition): BankReason | null {
  const isPaused = isPausedAt(state, appendedAtMs);
  if (fact.kind === "BankResumeRequested") return isPaused ? null : "already-so";
  if (fact.untilMs !== null && fact.untilMs <= appendedAtMs) return "end-reached";
  return isPaused && fact.untilMs === state.untilMs ? "already-so" : null;
}

function applyPause(state: BankState, fact: BankFact, place: RecordPosition): BankState {
  const { action } = fact;
  const isPaused = fact.kind === "BankPauseRequested";
  const entry = { offset: place.offset, atMs: place.appendedAtMs, marker: buildMarker(state, fact) };
  return {
    ...state,
    isPaused,
    untilMs: isPaused ? fact.untilMs : null,
    since: { action, atMs: place.appendedAtMs },
    pauses: state.pauses + (isPaused ? 1 : 0),
    resumes: state.resumes + (isPaused ? 0 : 1),
    markers: [...state.markers, entry].slice(-bankMarkersKept),
  };
}

/** #5 */
function buildMarker({ pauses }: BankState, fact: BankFact): BankMarker {
  const number = fact.kind === "BankPauseRequested" ? pauses + 1 : pauses;
  const kind = fact.kind === "BankPauseRequested" ? "BankPaused" : "BankResumed";
  const same = { id: `${bankKey(fact.bank)}:${kind}:${number}`, bank: fact.bank, number, reason: fact.action.reason };
  return fact.kind === "BankPauseRequested" ? { kind: "BankPaused", ...same, untilMs: fact.untilMs } : { kind: "BankResumed", ...same };
}
