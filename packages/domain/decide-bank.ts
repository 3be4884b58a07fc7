// All that can happen to a bank (or a connector) as operators set it. Its outputs are markers, one copy to each partition of the journal, of
// dispatch and of events.
//
//                         nobody said   resumed       paused
//   BankPauseRequested    BankPaused    BankPaused    = already-so
//   BankResumeRequested   = already-so  = already-so  BankResumed
//
// 1. An action counts once: a second record with the id of one in `decisions` changes nothing and leaves no note.
// 2. A record at or below `applied` is a replay: nothing changes, its first markers again, with the same ids.
// 3. What is kept is bounded; the numbers of the markers go on (`pauses`, `resumes`).

import type { BankMarkerOutput, BankStanding } from "./bank-standing.ts";
import { bankDecisionsKept, bankMarkersKept } from "./bank-standing.ts";
import { bankKey } from "./fact.ts";
import type { BankFact, BankMarker, Place } from "./fact.ts";
import { isDecided, noteOf, withNote } from "./operator-notes.ts";

export type BankReason = "other-key" | "already-decided" | "already-so";

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
  return { bank, version: 0, applied: offset, isPaused: false, since: null, pauses: 0, resumes: 0, told: [], decisions: [] };
}

interface Judged {
  readonly decision: "applied" | "ignored";
  readonly reason: BankReason | null;
  readonly standing: BankStanding;
}

function judge(standing: BankStanding, fact: BankFact, place: Place): Judged {
  if (isDecided(standing.decisions, fact.action)) return { decision: "ignored", reason: "already-decided", standing };
  const isPaused = fact.kind === "BankPauseRequested";
  const judged: Judged =
    standing.isPaused === isPaused
      ? { decision: "ignored", reason: "already-so", standing }
      : { decision: "applied", reason: null, standing: set(standing, fact, isPaused, place) };
  const note = { ...noteOf(place, fact.action, judged), kind: fact.kind };
  return { ...judged, standing: { ...judged.standing, decisions: withNote(standing.decisions, note, bankDecisionsKept) } };
}

function set(standing: BankStanding, { bank, action }: BankFact, isPaused: boolean, place: Place): BankStanding {
  const kind = isPaused ? "BankPaused" : "BankResumed";
  const number = (isPaused ? standing.pauses : standing.resumes) + 1;
  const marker: BankMarker = { kind, id: `${bankKey(bank)}:${kind}:${number}`, bank, number, reason: action.reason };
  const told = { offset: place.offset, atMs: place.appendedAtMs, marker };
  return {
    ...standing,
    isPaused,
    since: { action, atMs: place.appendedAtMs },
    pauses: standing.pauses + (isPaused ? 1 : 0),
    resumes: standing.resumes + (isPaused ? 0 : 1),
    told: [...standing.told, told].slice(-bankMarkersKept),
  };
}
