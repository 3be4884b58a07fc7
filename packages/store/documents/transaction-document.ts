// The document of the collection `transactions`, field by field and readable for people: the domain's view as plain
// fields, the messages as bytes. Both adapters keep this shape, so the memory adapter tests the mapping too.
//
// #1 Offsets and amounts are bigint here and int64 in BSON, never a double. Times are dates of whole milliseconds.
// #2 `toStoredTransaction` copies: a stored document shares no memory with its caller.
// #3 A document written before a field existed can still be read: an `AnyStored…` type names the fields that may be
//    absent, and its reader gives them their meaning.

import { assert } from "@sluice/kernel";
import { type Flow, isUnresolved, type Item, type MessageIdentity, type OrphanState, type State, type Transaction } from "@sluice/domain";
import type { ObjectId } from "mongodb";
import { noSearchTerms, type OpenRow, type SearchTerms, type TransactionDocument } from "../port.ts";
import {
  type AnyStoredItem,
  type AnyStoredNotice,
  type AnyVersion,
  copyIdentity,
  fromStoredDecision,
  fromStoredItem,
  fromStoredNotice,
  fromStoredOutcomeReport,
  fromStoredQuarantine,
  fromStoredTransition,
  type StoredDecision,
  type StoredItem,
  type StoredNotice,
  type StoredObservation,
  type StoredOutcomeReport,
  type StoredQuarantine,
  type StoredTransition,
  toOptionalDate,
  toStoredDecision,
  toStoredItem,
  toStoredNotice,
  toStoredOutcomeReport,
  toStoredQuarantine,
  toStoredTransition,
} from "./transaction-parts.ts";

export interface StoredTransaction {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly partition: number;
  readonly state: State | OrphanState;
  /** Unresolved, or its connector has not acknowledged the outcome report: the transactions that `open` lists. */
  readonly isOpen: boolean;
  readonly flow: Flow | null;
  readonly scheme: string;
  readonly bank: string | null;
  readonly businessDate: string | null;
  readonly closesWith: string;
  readonly deadline: Date | null;
  readonly wantsOutcomeReport: boolean;
  readonly outcome: StoredOutcomeReport | null;
  readonly queueKey: string;
  /** Offset of the record that created it; null for an orphan. */
  readonly receivedOffset: bigint | null;
  readonly receivedAt: Date;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  readonly message: MessageIdentity | null;
  readonly finalReport: MessageIdentity | null;
  readonly finalOutcome: "made" | "not-made" | null;
  readonly pendingAt: Date | null;
  readonly transitions: readonly StoredTransition[];
  readonly told: readonly StoredNotice[];
  readonly items: readonly StoredItem[];
  readonly remarks: { readonly count: number; readonly last: readonly StoredObservation[] };
  readonly rollsMax: number;
  /** How many times it may still be carried over to the next business date. */
  readonly rollsLeft: number;
  /** Number and append time of the last entry; for an orphan, 0 and the time of its first report. */
  readonly stageVersion: number;
  readonly updatedAt: Date;
  readonly parked: StoredQuarantine | null;
  readonly decisions: readonly StoredDecision[];
  readonly search: SearchTerms;
  readonly acceptedMessageBytes: Uint8Array;
  readonly finalReportBytes: Uint8Array | null;
  readonly verdictBytes: Uint8Array | null;
}

/** `writeId` identifies the bulk that wrote the document last. */
export type MongoTransaction = StoredTransaction & { readonly writeId: ObjectId };

export type AnyStoredTransaction = AnyVersion<
  Omit<StoredTransaction, "told" | "items"> & { readonly told: readonly AnyStoredNotice[]; readonly items: readonly AnyStoredItem[] },
  | "flow"
  | "deadline"
  | "wantsOutcomeReport"
  | "outcome"
  | "receivedOffset"
  | "rollsMax"
  | "rollsLeft"
  | "stageVersion"
  | "updatedAt"
  | "parked"
  | "decisions"
  | "search"
>;

export function toStoredTransaction(document: TransactionDocument): StoredTransaction {
  const { transaction } = document;
  return {
    _id: transaction.uetr,
    version: transaction.version,
    applied: transaction.applied,
    partition: transaction.partition,
    state: transaction.state,
    isOpen: isUnresolved(transaction.state) || isAwaited(transaction.state, transaction.outcomeReport?.acknowledgedAtMs),
    flow: transaction.flow,
    scheme: transaction.scheme,
    bank: transaction.bank,
    businessDate: transaction.businessDate,
    closesWith: transaction.reconciliationDay,
    deadline: toOptionalDate(transaction.deadlineMs),
    wantsOutcomeReport: transaction.wantsOutcomeReport,
    outcome: toStoredOutcomeReport(transaction.outcomeReport),
    queueKey: transaction.queueKey,
    receivedOffset: transaction.transitions[0]?.offset ?? null,
    receivedAt: new Date(transaction.receivedAtMs),
    amountTenThousandths: transaction.amountTenThousandths,
    currency: transaction.currency,
    message: copyIdentity(transaction.message),
    finalReport: copyIdentity(transaction.finalReport),
    finalOutcome: transaction.finalOutcome,
    pendingAt: toOptionalDate(transaction.pendingAtMs),
    transitions: transaction.transitions.map(toStoredTransition),
    told: transaction.notices.map(toStoredNotice),
    items: transaction.items.map(toStoredItem),
    remarks: {
      count: transaction.observations.count,
      last: transaction.observations.last.map(({ atMs, offset, kind, messageIdentification, sender }) => ({
        offset,
        at: new Date(atMs),
        kind,
        messageIdentification,
        sender,
      })),
    },
    rollsMax: transaction.carryOversMax,
    rollsLeft: countCarryOversLeft(transaction),
    stageVersion: transaction.transitions.length,
    updatedAt: new Date(transaction.transitions.at(-1)?.atMs ?? transaction.receivedAtMs),
    parked: toStoredQuarantine(transaction.quarantined),
    decisions: transaction.decisions.map(toStoredDecision),
    search: copySearchTerms(document.search),
    acceptedMessageBytes: document.acceptedMessage.slice(),
    finalReportBytes: document.finalReport?.slice() ?? null,
    verdictBytes: document.verdict?.slice() ?? null,
  };
}

export function fromStoredTransaction(stored: AnyStoredTransaction): TransactionDocument {
  const transaction: Transaction = {
    uetr: stored._id,
    version: stored.version,
    applied: stored.applied,
    partition: stored.partition,
    state: stored.state,
    flow: readStoredFlow(stored),
    message: copyIdentity(stored.message),
    receivedAtMs: stored.receivedAt.getTime(),
    scheme: stored.scheme,
    amountTenThousandths: stored.amountTenThousandths,
    currency: stored.currency,
    bank: stored.bank,
    businessDate: stored.businessDate,
    reconciliationDay: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    wantsOutcomeReport: stored.wantsOutcomeReport ?? false,
    outcomeReport: fromStoredOutcomeReport(stored.outcome ?? null),
    queueKey: stored.queueKey,
    finalReport: copyIdentity(stored.finalReport),
    finalOutcome: stored.finalOutcome,
    pendingAtMs: stored.pendingAt?.getTime() ?? null,
    transitions: stored.transitions.map(fromStoredTransition),
    notices: stored.told.map(fromStoredNotice),
    items: stored.items.map(fromStoredItem),
    observations: {
      count: stored.remarks.count,
      last: stored.remarks.last.map(({ at, offset, kind, messageIdentification, sender }) => ({
        offset,
        atMs: at.getTime(),
        kind,
        messageIdentification,
        sender,
      })),
    },
    carryOversMax: stored.rollsMax ?? 0,
    quarantined: fromStoredQuarantine(stored.parked ?? null),
    decisions: (stored.decisions ?? []).map(fromStoredDecision),
  };
  return {
    transaction,
    search: copySearchTerms(stored.search ?? noSearchTerms),
    acceptedMessage: new Uint8Array(stored.acceptedMessageBytes),
    finalReport: stored.finalReportBytes === null ? null : new Uint8Array(stored.finalReportBytes),
    verdict: stored.verdictBytes === null ? null : new Uint8Array(stored.verdictBytes),
  };
}

/** The fields that `toOpenRow` reads, for a projected query. */
export const openRowFields = {
  _id: 1,
  state: 1,
  flow: 1,
  scheme: 1,
  deadline: 1,
  outcome: 1,
  receivedOffset: 1,
  bank: 1,
  businessDate: 1,
  closesWith: 1,
  queueKey: 1,
  rollsLeft: 1,
} as const;

export function toOpenRow(stored: Pick<AnyStoredTransaction, keyof typeof openRowFields>): OpenRow {
  const { state } = stored;
  assert(state !== "ORPHAN", "an orphan is not open");
  return {
    uetr: stored._id,
    state,
    flow: stored.flow ?? flowBeforeFlows,
    scheme: stored.scheme,
    deadlineMs: stored.deadline?.getTime() ?? null,
    isOutcomeAwaited: isAwaited(state, stored.outcome?.acknowledgedAt),
    receivedOffset: stored.receivedOffset ?? 0n,
    bank: stored.bank,
    businessDate: stored.businessDate,
    reconciliationDay: stored.closesWith,
    queueKey: stored.queueKey,
    carryOversLeft: stored.rollsLeft ?? 0,
  };
}

/** Each further entry into HELD is one carry-over. */
function countCarryOversLeft({ carryOversMax, transitions }: Transaction): number {
  const held = transitions.filter(({ state }) => state === "HELD").length;
  return Math.max(0, carryOversMax - Math.max(0, held - 1));
}

/** Before flows existed all debits were on-us. */
const flowBeforeFlows: Flow = "on-us";

export function readStoredFlow({ flow, state }: Pick<AnyStoredTransaction, "flow" | "state">): Flow | null {
  if (flow !== undefined) return flow;
  return state === "ORPHAN" ? null : flowBeforeFlows;
}

/** Tells whether an outcome report is unacknowledged. `acknowledgedAt` is undefined where no outcome was reported. */
function isAwaited(state: State | OrphanState, acknowledgedAt: Date | number | null | undefined): boolean {
  return state !== "ORPHAN" && acknowledgedAt === null;
}

/** Lists the reconciliation items of `day` in one transaction, for people. */
export function itemsForDay(
  stored: Pick<AnyStoredTransaction, "_id" | "bank" | "items">,
  day: string,
): readonly { readonly uetr: string; readonly bank: string | null; readonly item: Item }[] {
  return stored.items
    .filter((item) => item.day === day)
    .map((item) => ({ uetr: stored._id, bank: stored.bank, item: fromStoredItem(item) }));
}

/** Splits `ZA_EFT:2026-11-20` into its two parts. */
export function splitDay(day: string): { readonly scheme: string; readonly businessDate: string } {
  const colon = day.indexOf(":");
  return { scheme: day.slice(0, colon), businessDate: day.slice(colon + 1) };
}

export function copySearchTerms(terms: SearchTerms): SearchTerms {
  return { ...terms, reasons: [...terms.reasons] };
}
