// The parts of a transaction's document: entries, what was told, items with evidence and resolution, what operators decided.
// A part written before a field was known is read as well: its `…Ever` type names what it may lack, and its reader says what is meant.

import type {
  DecisionNote,
  DeliveryEvidence,
  DeliveryOperation,
  Item,
  MessageIdentity,
  OutcomeTold,
  Parked,
  Remarks,
  Resolution,
  Told,
  Transition,
} from "@sluice/domain";
import { fromStoredAction, toStoredAction } from "./stored-action.ts";
import type { StoredAction } from "./stored-action.ts";

/** As it may lie there: what was added later may be absent. */
export type Ever<Stored, Later extends keyof Stored> = Omit<Stored, Later> & Partial<Pick<Stored, Later>>;

export type StoredTransition = Omit<Transition, "atMs"> & { readonly at: Date };
export type StoredTold = Omit<Told, "atMs" | "deadlineMs"> & { readonly at: Date; readonly deadline: Date };
export type StoredToldEver = Ever<StoredTold, "operation">;
export type StoredEvidenceEver = Ever<DeliveryEvidence, "mayHaveBeenTaken">;
export type StoredLateAnswer = Omit<Item["lateAnswers"][number], "atMs"> & { readonly at: Date };
export type StoredResolution = Omit<Resolution, "action" | "atMs" | "confirmed"> & {
  readonly action: StoredAction;
  readonly at: Date;
  readonly confirmed: { readonly action: StoredAction; readonly at: Date } | null;
};
export type StoredItem = Omit<Item, "madeAtMs" | "settledAtMs" | "lateAnswers" | "resolution"> & {
  readonly madeAt: Date;
  readonly settledAt: Date | null;
  readonly lateAnswers: readonly StoredLateAnswer[];
  readonly resolution: StoredResolution | null;
};
export type StoredItemEver = Omit<Ever<StoredItem, "resolution">, "evidence"> & { readonly evidence: StoredEvidenceEver | null };
export type StoredDecision = Omit<DecisionNote, "atMs" | "action"> & { readonly at: Date; readonly action: StoredAction };
export type StoredParked = Omit<Parked, "sinceMs"> & { readonly since: Date };
export type StoredOutcome = Omit<OutcomeTold, "acknowledgedAtMs"> & { readonly acknowledgedAt: Date | null };
export type StoredRemark = Omit<Remarks["last"][number], "atMs"> & { readonly at: Date };

export function toStoredOutcome(from: OutcomeTold | null): StoredOutcome | null {
  return from === null ? null : { number: from.number, acknowledgedAt: optionalDate(from.acknowledgedAtMs) };
}

export function fromStoredOutcome(from: StoredOutcome | null): OutcomeTold | null {
  return from === null ? null : { number: from.number, acknowledgedAtMs: from.acknowledgedAt?.getTime() ?? null };
}

export function optionalDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function identity(from: MessageIdentity | null): MessageIdentity | null {
  if (from === null) return null;
  const { sender, messageIdentification, contentHash, substanceHash } = from;
  return { sender, messageIdentification, contentHash, substanceHash };
}

/** What is not known to have been refused may have been taken. */
function evidence(from: StoredEvidenceEver | null): DeliveryEvidence | null {
  if (from === null) return null;
  const { attempts, anyAnswer, mayHaveBeenTaken = true, httpStatusCode, isBreakerOpen, isBankPaused } = from;
  return { attempts, anyAnswer, mayHaveBeenTaken, httpStatusCode, isBreakerOpen, isBankPaused };
}

export function toStoredParked(from: Parked | null): StoredParked | null {
  return from === null ? null : { since: new Date(from.sinceMs), offset: from.offset, records: from.records };
}

export function fromStoredParked(from: StoredParked | null): Parked | null {
  return from === null ? null : { sinceMs: from.since.getTime(), offset: from.offset, records: from.records };
}

export function toStoredDecision({ offset, atMs, kind, action, result, why }: DecisionNote): StoredDecision {
  return { offset, at: new Date(atMs), kind, action: toStoredAction(action), result, why };
}

export function fromStoredDecision({ offset, at, kind, action, result, why }: StoredDecision): DecisionNote {
  return { offset, atMs: at.getTime(), kind, action: fromStoredAction(action), result, why };
}

export function toStoredResolution(from: Resolution | null): StoredResolution | null {
  if (from === null) return null;
  const { kind, replacedBy, action, atMs, isFinal, confirmed } = from;
  return {
    kind,
    replacedBy,
    action: toStoredAction(action),
    at: new Date(atMs),
    isFinal,
    confirmed: confirmed === null ? null : { action: toStoredAction(confirmed.action), at: new Date(confirmed.atMs) },
  };
}

export function fromStoredResolution(from: StoredResolution | null): Resolution | null {
  if (from === null) return null;
  const { kind, replacedBy, action, at, isFinal, confirmed } = from;
  return {
    kind,
    replacedBy,
    action: fromStoredAction(action),
    atMs: at.getTime(),
    isFinal,
    confirmed: confirmed === null ? null : { action: fromStoredAction(confirmed.action), atMs: confirmed.at.getTime() },
  };
}

export function toStoredTransition(from: Transition): StoredTransition {
  const { stageVersion, state, offset, atMs, markerOffset, businessDate, closesWith, messageIdentification, httpStatusCode } = from;
  return { stageVersion, state, offset, at: new Date(atMs), markerOffset, businessDate, closesWith, messageIdentification, httpStatusCode };
}

export function fromStoredTransition(from: StoredTransition): Transition {
  const { stageVersion, state, offset, at, markerOffset, businessDate, closesWith, messageIdentification, httpStatusCode } = from;
  return { stageVersion, state, offset, atMs: at.getTime(), markerOffset, businessDate, closesWith, messageIdentification, httpStatusCode };
}

export function toStoredTold(from: Told): StoredTold {
  const { offset, atMs, kind, operation, messageIdentification, about, receiver, deadlineMs } = from;
  return { offset, at: new Date(atMs), kind, operation, messageIdentification, about, receiver, deadline: new Date(deadlineMs) };
}

export function fromStoredTold(from: StoredToldEver): Told {
  const { offset, at, kind, operation = firstOperation(from), messageIdentification, about, receiver, deadline } = from;
  return { offset, atMs: at.getTime(), kind, operation, messageIdentification, about, receiver, deadlineMs: deadline.getTime() };
}

/** Only reports to the initiating side were told before there were flows; a stop was of one of those, or of the inbound debit (D). */
function firstOperation({ kind, messageIdentification }: StoredToldEver): DeliveryOperation {
  return kind === "stop-again" && messageIdentification.endsWith("D") ? "inboundDirectDebit" : "outboundDirectDebitResponse";
}

export function toStoredItem(from: Item): StoredItem {
  const { day, row, cause, state, madeAtMs, settledAtMs, lateAnswers, resolution } = from;
  return {
    day,
    row,
    cause,
    state,
    madeAt: new Date(madeAtMs),
    settledAt: optionalDate(settledAtMs),
    evidence: evidence(from.evidence),
    lateAnswers: lateAnswers.map(({ offset, atMs, text }) => ({ offset, at: new Date(atMs), text })),
    resolution: toStoredResolution(resolution),
  };
}

export function fromStoredItem(from: StoredItemEver): Item {
  const { day, row, cause, state, madeAt, settledAt, lateAnswers, resolution = null } = from;
  return {
    day,
    row,
    cause,
    state,
    madeAtMs: madeAt.getTime(),
    settledAtMs: settledAt?.getTime() ?? null,
    evidence: evidence(from.evidence),
    lateAnswers: lateAnswers.map(({ offset, at, text }) => ({ offset, atMs: at.getTime(), text })),
    resolution: fromStoredResolution(resolution),
  };
}
