// All that can happen to a bank (or a connector) as operators set it. Its outputs are markers, one copy to each partition of the journal, of
// dispatch and of events.
//
//                              not paused     paused, no end   in maintenance to T
//   BankPauseRequested         BankPaused     = already-so     BankPaused, no end any more
//   BankPauseRequested to T    BankPaused T   BankPaused T     BankPaused T; the same T: = already-so
//   … to a time not ahead      = end-reached  = end-reached    = end-reached
//   BankResumeRequested        = already-so   BankResumed      BankResumed
//
// 1. An action counts once: a second record with the id of one in `decisions` changes nothing and leaves no note.
// 2. A record at or below `applied` is a replay: nothing changes, its first markers again, with the same ids.
// 3. What is kept is bounded; the numbers of the markers go on (`pauses`, `resumes`).
// 4. Maintenance is over at its end, judged by the record's append time; from there on the bank is not paused. Of pauses the last one wins.
// 5. Markers are numbered by pauses, and a resume has the number of the pause that it ends: so a reader knows the newest of two by their numbers.

import type { BankMarkerOutput, BankStanding } from "./bank-standing.ts";
import { bankDecisionsKept, bankMarkersKept, isPausedAt } from "./bank-standing.ts";
import { bankKey } from "./fact.ts";
import type { BankFact, BankMarker, Place } from "./fact.ts";
import { isDecided, noteOf, withNote } from "./operator-notes.ts";

export type BankReason = "other-key" | "already-decided" | "already-so" | "end-reached";

export interface BankOutcome {
  readonly decision: "applied" | "ignored" | "refused" | "replayed";
  readonly reason: BankReason | null;
  readonly standing: BankStanding | null;
  readonly outputs: readonly BankMarkerOutput[];
}

/** Exactly the markers made in the turn of the record at `offset`. */
export function bankOutputsAt(standing: BankStanding, offset: bigint): readonly BankMarkerOutput[] {
  return standing.told.filter((told) => told.offset === offset).map(({ marker }) => ({ kind: "bank-marker", marker }));
}

/** Folds one record into a bank's standing (null: nobody ever asked anything of it). Records of a lane in offset order. */
export function decideBank(key: string, standing: BankStanding | null, fact: BankFact, place: Place): BankOutcome {
  if (standing !== null && place.offset <= standing.applied) {
    return { decision: "replayed", reason: null, standing, outputs: bankOutputsAt(standing, place.offset) };
  }
  if (bankKey(fact.bank) !== key) return { decision: "refused", reason: "other-key", standing, outputs: [] };
  const before = standing ?? unsaid(fact.bank, place);
  const judged = judge(before, fact, place);
  const folded: BankStanding = { ...judged.standing, version: before.version + 1, applied: place.offset };
  return { decision: judged.decision, reason: judged.reason, standing: folded, outputs: bankOutputsAt(folded, place.offset) };
}

function unsaid(bank: string, { offset }: Place): BankStanding {
  return { bank, version: 0, applied: offset, isPaused: false, untilMs: null, since: null, pauses: 0, resumes: 0, told: [], decisions: [] };
}

interface Judged {
  readonly decision: "applied" | "ignored";
  readonly reason: BankReason | null;
  readonly standing: BankStanding;
}

function judge(standing: BankStanding, fact: BankFact, place: Place): Judged {
  if (isDecided(standing.decisions, fact.action)) return { decision: "ignored", reason: "already-decided", standing };
  const reason = whyIgnored(standing, fact, place);
  const judged: Judged =
    reason === null
      ? { decision: "applied", reason: null, standing: set(standing, fact, place) }
      : { decision: "ignored", reason, standing };
  const note = { ...noteOf(place, fact.action, judged), kind: fact.kind };
  return { ...judged, standing: { ...judged.standing, decisions: withNote(standing.decisions, note, bankDecisionsKept) } };
}

/** The table, #4; null: it counts. */
function whyIgnored(standing: BankStanding, fact: BankFact, { appendedAtMs }: Place): BankReason | null {
  const isPaused = isPausedAt(standing, appendedAtMs);
  if (fact.kind === "BankResumeRequested") return isPaused ? null : "already-so";
  if (fact.untilMs !== null && fact.untilMs <= appendedAtMs) return "end-reached";
  return isPaused && fact.untilMs === standing.untilMs ? "already-so" : null;
}

function set(standing: BankStanding, fact: BankFact, place: Place): BankStanding {
  const { action } = fact;
  const isPaused = fact.kind === "BankPauseRequested";
  const told = { offset: place.offset, atMs: place.appendedAtMs, marker: markerOf(standing, fact) };
  return {
    ...standing,
    isPaused,
    untilMs: isPaused ? fact.untilMs : null,
    since: { action, atMs: place.appendedAtMs },
    pauses: standing.pauses + (isPaused ? 1 : 0),
    resumes: standing.resumes + (isPaused ? 0 : 1),
    told: [...standing.told, told].slice(-bankMarkersKept),
  };
}

/** #5 */
function markerOf({ pauses }: BankStanding, fact: BankFact): BankMarker {
  const number = fact.kind === "BankPauseRequested" ? pauses + 1 : pauses;
  const kind = fact.kind === "BankPauseRequested" ? "BankPaused" : "BankResumed";
  const same = { id: `${bankKey(fact.bank)}:${kind}:${number}`, bank: fact.bank, number, reason: fact.action.reason };
  return fact.kind === "BankPauseRequested" ? { kind: "BankPaused", ...same, untilMs: fact.untilMs } : { kind: "BankResumed", ...same };
}
