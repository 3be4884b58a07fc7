// The parts of a transaction's document: entries, notices, items with evidence and resolution, operators' decisions. A
// part written before a field existed can still be read: an `AnyStored…` type names the fields that may be absent, and
// its reader gives them their meaning.
//
// #1 Stored shapes are spelt out, not derived from the domain's types: renaming a member of the domain must not rename a
//    stored field.

import type {
  TransactionDecision,
  DeliveryEvidence,
  DeliveryOperation,
  Item,
  MessageIdentity,
  OutcomeReport,
  Quarantine,
  Observations,
  Resolution,
  Notice,
  Transition,
} from "@sluice/domain";
import { fromStoredAction, type StoredAction, toStoredAction } from "./stored-action.ts";

/** Any stored version of a shape: fields that were added later may be absent. */
export type AnyVersion<Stored, Later extends keyof Stored> = Omit<Stored, Later> & Partial<Pick<Stored, Later>>;

export interface StoredTransition {
  readonly stageVersion: number;
  readonly state: Transition["state"];
  readonly offset: bigint;
  readonly at: Date;
  readonly markerOffset: bigint | null;
  readonly businessDate: string;
  readonly closesWith: string;
  readonly messageIdentification: string;
  readonly httpStatusCode: number | null;
}
export interface StoredNotice {
  readonly offset: bigint;
  readonly at: Date;
  readonly kind: Notice["kind"];
  readonly operation: DeliveryOperation | null;
  readonly messageIdentification: string;
  readonly about: string;
  readonly receiver: string;
  readonly deadline: Date;
}
export type AnyStoredNotice = AnyVersion<StoredNotice, "operation">;
export interface StoredEvidence {
  readonly attempts: number;
  readonly anyAnswer: boolean;
  readonly mayHaveBeenTaken: boolean;
  readonly httpStatusCode: number | null;
  readonly isBreakerOpen: boolean;
  readonly isBankPaused: boolean;
}
export type AnyStoredEvidence = AnyVersion<StoredEvidence, "mayHaveBeenTaken">;
export interface StoredLateAnswer {
  readonly offset: bigint;
  readonly at: Date;
  readonly text: string;
}
export interface StoredResolution {
  readonly kind: Resolution["kind"];
  readonly replacedBy: string | null;
  readonly isFinal: boolean;
  readonly action: StoredAction;
  readonly at: Date;
  readonly confirmed: { readonly action: StoredAction; readonly at: Date } | null;
}
export interface StoredItem {
  readonly day: string;
  readonly row: number | null;
  readonly cause: Item["cause"];
  readonly state: Item["state"];
  readonly madeAt: Date;
  readonly settledAt: Date | null;
  readonly evidence: StoredEvidence | null;
  readonly lateAnswers: readonly StoredLateAnswer[];
  readonly resolution: StoredResolution | null;
}
export type AnyStoredItem = Omit<AnyVersion<StoredItem, "resolution">, "evidence"> & { readonly evidence: AnyStoredEvidence | null };
export interface StoredDecision {
  readonly offset: bigint;
  readonly at: Date;
  readonly kind: TransactionDecision["kind"];
  readonly action: StoredAction;
  readonly result: TransactionDecision["result"];
  readonly why: string | null;
}
export interface StoredQuarantine {
  readonly since: Date;
  readonly offset: bigint;
  readonly records: number;
}
export interface StoredOutcomeReport {
  readonly number: number;
  readonly acknowledgedAt: Date | null;
}
export interface StoredObservation {
  readonly offset: bigint;
  readonly at: Date;
  readonly kind: Observations["last"][number]["kind"];
  readonly messageIdentification: string;
  readonly sender: string;
}

export function toStoredOutcomeReport(from: OutcomeReport | null): StoredOutcomeReport | null {
  return from === null ? null : { number: from.number, acknowledgedAt: toOptionalDate(from.acknowledgedAtMs) };
}

export function fromStoredOutcomeReport(from: StoredOutcomeReport | null): OutcomeReport | null {
  return from === null ? null : { number: from.number, acknowledgedAtMs: from.acknowledgedAt?.getTime() ?? null };
}

export function toOptionalDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function copyIdentity(from: MessageIdentity | null): MessageIdentity | null {
  if (from === null) return null;
  const { sender, messageIdentification, contentHash, substanceHash } = from;
  return { sender, messageIdentification, contentHash, substanceHash };
}

/** A delivery that is not known to have been refused may have been taken. */
function copyEvidence(from: AnyStoredEvidence | null): DeliveryEvidence | null {
  if (from === null) return null;
  const { attempts, anyAnswer, mayHaveBeenTaken = true, httpStatusCode, isBreakerOpen, isBankPaused } = from;
  return { attempts, anyAnswer, mayHaveBeenTaken, httpStatusCode, isBreakerOpen, isBankPaused };
}

export function toStoredQuarantine(from: Quarantine | null): StoredQuarantine | null {
  return from === null ? null : { since: new Date(from.sinceMs), offset: from.offset, records: from.records };
}

export function fromStoredQuarantine(from: StoredQuarantine | null): Quarantine | null {
  return from === null ? null : { sinceMs: from.since.getTime(), offset: from.offset, records: from.records };
}

export function toStoredDecision({ offset, atMs, kind, action, result, why }: TransactionDecision): StoredDecision {
  return { offset, at: new Date(atMs), kind, action: toStoredAction(action), result, why };
}

export function fromStoredDecision({ offset, at, kind, action, result, why }: StoredDecision): TransactionDecision {
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
  const { stageVersion, state, offset, atMs, markerOffset, businessDate, reconciliationDay, messageIdentification, httpStatusCode } = from;
  return {
    stageVersion,
    state,
    offset,
    at: new Date(atMs),
    markerOffset,
    businessDate,
    closesWith: reconciliationDay,
    messageIdentification,
    httpStatusCode,
  };
}

export function fromStoredTransition(from: StoredTransition): Transition {
  const { stageVersion, state, offset, at, markerOffset, businessDate, closesWith, messageIdentification, httpStatusCode } = from;
  return {
    stageVersion,
    state,
    offset,
    atMs: at.getTime(),
    markerOffset,
    businessDate,
    reconciliationDay: closesWith,
    messageIdentification,
    httpStatusCode,
  };
}

export function toStoredNotice(from: Notice): StoredNotice {
  const { offset, atMs, kind, operation, messageIdentification, about, receiver, deadlineMs } = from;
  return { offset, at: new Date(atMs), kind, operation, messageIdentification, about, receiver, deadline: new Date(deadlineMs) };
}

export function fromStoredNotice(from: AnyStoredNotice): Notice {
  const { offset, at, kind, operation = operationBeforeFlows(from), messageIdentification, about, receiver, deadline } = from;
  return { offset, atMs: at.getTime(), kind, operation, messageIdentification, about, receiver, deadlineMs: deadline.getTime() };
}

/**
 * Before flows existed all notices were reports to the initiating side; a stop was of one of those, or of the inbound
 * debit (D).
 */
function operationBeforeFlows({ kind, messageIdentification }: AnyStoredNotice): DeliveryOperation {
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
    settledAt: toOptionalDate(settledAtMs),
    evidence: copyEvidence(from.evidence),
    lateAnswers: lateAnswers.map(({ offset, atMs, text }) => ({ offset, at: new Date(atMs), text })),
    resolution: toStoredResolution(resolution),
  };
}

export function fromStoredItem(from: AnyStoredItem): Item {
  const { day, row, cause, state, madeAt, settledAt, lateAnswers, resolution = null } = from;
  return {
    day,
    row,
    cause,
    state,
    madeAtMs: madeAt.getTime(),
    settledAtMs: settledAt?.getTime() ?? null,
    evidence: copyEvidence(from.evidence),
    lateAnswers: lateAnswers.map(({ offset, at, text }) => ({ offset, atMs: at.getTime(), text })),
    resolution: fromStoredResolution(resolution),
  };
}
