// A transaction as it lies in the collection `transactions`, field by field, readable for people: the domain's view as plain
// fields, the messages as bytes. Both adapters keep this shape, so the memory adapter proves the mapping too.
//
// 1. Offsets and amounts are bigint here and int64 in BSON, never a double; times are dates of whole milliseconds.
// 2. `toStored` copies: nothing of what a caller holds is shared with what is kept.
// 3. A document written before a field was known is read as well: each `…Ever` type names what it may lack, and its reader says what is meant.

import { assert } from "@sluice/runtime";
import { isUnresolved } from "@sluice/domain";
import type { Flow, Item, MessageIdentity, OrphanState, State, Transaction } from "@sluice/domain";
import { noSearchTerms } from "./port.ts";
import type { OpenRow, SearchTerms, TransactionDocument } from "./port.ts";
import {
  fromStoredDecision,
  fromStoredItem,
  fromStoredOutcome,
  fromStoredParked,
  fromStoredTold,
  fromStoredTransition,
  identity,
  optionalDate,
  toStoredDecision,
  toStoredItem,
  toStoredOutcome,
  toStoredParked,
  toStoredTold,
  toStoredTransition,
} from "./transaction-parts.ts";
import type {
  Ever,
  StoredDecision,
  StoredItem,
  StoredItemEver,
  StoredOutcome,
  StoredParked,
  StoredRemark,
  StoredTold,
  StoredToldEver,
  StoredTransition,
} from "./transaction-parts.ts";

export interface StoredTransaction {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly lane: number;
  readonly state: State | OrphanState;
  /** Unresolved, or its connector still has to be told the outcome: what `open` lists. */
  readonly isOpen: boolean;
  readonly flow: Flow | null;
  readonly scheme: string;
  readonly bank: string | null;
  readonly businessDate: string | null;
  readonly closesWith: string;
  readonly deadline: Date | null;
  readonly wantsOutcomeReport: boolean;
  readonly outcome: StoredOutcome | null;
  readonly queueKey: string;
  /** Offset of the record that made it; null for an orphan. */
  readonly receivedOffset: bigint | null;
  readonly receivedAt: Date;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  readonly message: MessageIdentity | null;
  readonly finalReport: MessageIdentity | null;
  readonly finalOutcome: "made" | "not-made" | null;
  readonly pendingAt: Date | null;
  readonly transitions: readonly StoredTransition[];
  readonly told: readonly StoredTold[];
  readonly items: readonly StoredItem[];
  readonly remarks: { readonly count: number; readonly last: readonly StoredRemark[] };
  readonly rollsMax: number;
  /** How often it may still go over to the next business date. */
  readonly rollsLeft: number;
  /** Number and append time of the last entry; of an orphan 0 and the first report's. */
  readonly stageVersion: number;
  readonly updatedAt: Date;
  readonly parked: StoredParked | null;
  readonly decisions: readonly StoredDecision[];
  readonly search: SearchTerms;
  readonly acceptedMessageBytes: Uint8Array;
  readonly finalReportBytes: Uint8Array | null;
  readonly verdictBytes: Uint8Array | null;
}

export type StoredTransactionEver = Ever<
  Omit<StoredTransaction, "told" | "items"> & { readonly told: readonly StoredToldEver[]; readonly items: readonly StoredItemEver[] },
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

export function toStored(document: TransactionDocument): StoredTransaction {
  const { transaction } = document;
  return {
    _id: transaction.uetr,
    version: transaction.version,
    applied: transaction.applied,
    lane: transaction.lane,
    state: transaction.state,
    isOpen: isUnresolved(transaction.state) || isAwaited(transaction.state, transaction.outcome?.acknowledgedAtMs),
    flow: transaction.flow,
    scheme: transaction.scheme,
    bank: transaction.bank,
    businessDate: transaction.businessDate,
    closesWith: transaction.closesWith,
    deadline: optionalDate(transaction.deadlineMs),
    wantsOutcomeReport: transaction.wantsOutcomeReport,
    outcome: toStoredOutcome(transaction.outcome),
    queueKey: transaction.queueKey,
    receivedOffset: transaction.transitions[0]?.offset ?? null,
    receivedAt: new Date(transaction.receivedAtMs),
    amountTenThousandths: transaction.amountTenThousandths,
    currency: transaction.currency,
    message: identity(transaction.message),
    finalReport: identity(transaction.finalReport),
    finalOutcome: transaction.finalOutcome,
    pendingAt: optionalDate(transaction.pendingAtMs),
    transitions: transaction.transitions.map(toStoredTransition),
    told: transaction.told.map(toStoredTold),
    items: transaction.items.map(toStoredItem),
    remarks: {
      count: transaction.remarks.count,
      last: transaction.remarks.last.map(({ atMs, offset, kind, messageIdentification, sender }) => ({
        offset,
        at: new Date(atMs),
        kind,
        messageIdentification,
        sender,
      })),
    },
    rollsMax: transaction.rollsMax,
    rollsLeft: rollsLeftOf(transaction),
    stageVersion: transaction.transitions.length,
    updatedAt: new Date(transaction.transitions.at(-1)?.atMs ?? transaction.receivedAtMs),
    parked: toStoredParked(transaction.parked),
    decisions: transaction.decisions.map(toStoredDecision),
    search: copyOfTerms(document.search),
    acceptedMessageBytes: document.acceptedMessage.slice(),
    finalReportBytes: document.finalReport?.slice() ?? null,
    verdictBytes: document.verdict?.slice() ?? null,
  };
}

export function fromStored(stored: StoredTransactionEver): TransactionDocument {
  const transaction: Transaction = {
    uetr: stored._id,
    version: stored.version,
    applied: stored.applied,
    lane: stored.lane,
    state: stored.state,
    flow: flowOf(stored),
    message: identity(stored.message),
    receivedAtMs: stored.receivedAt.getTime(),
    scheme: stored.scheme,
    amountTenThousandths: stored.amountTenThousandths,
    currency: stored.currency,
    bank: stored.bank,
    businessDate: stored.businessDate,
    closesWith: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    wantsOutcomeReport: stored.wantsOutcomeReport ?? false,
    outcome: fromStoredOutcome(stored.outcome ?? null),
    queueKey: stored.queueKey,
    finalReport: identity(stored.finalReport),
    finalOutcome: stored.finalOutcome,
    pendingAtMs: stored.pendingAt?.getTime() ?? null,
    transitions: stored.transitions.map(fromStoredTransition),
    told: stored.told.map(fromStoredTold),
    items: stored.items.map(fromStoredItem),
    remarks: {
      count: stored.remarks.count,
      last: stored.remarks.last.map(({ at, offset, kind, messageIdentification, sender }) => ({
        offset,
        atMs: at.getTime(),
        kind,
        messageIdentification,
        sender,
      })),
    },
    rollsMax: stored.rollsMax ?? 0,
    parked: fromStoredParked(stored.parked ?? null),
    decisions: (stored.decisions ?? []).map(fromStoredDecision),
  };
  return {
    transaction,
    search: copyOfTerms(stored.search ?? noSearchTerms),
    acceptedMessage: new Uint8Array(stored.acceptedMessageBytes),
    finalReport: stored.finalReportBytes === null ? null : new Uint8Array(stored.finalReportBytes),
    verdict: stored.verdictBytes === null ? null : new Uint8Array(stored.verdictBytes),
  };
}

/** The fields that `toRow` reads, for a projected query. */
export const rowFields = {
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

export function toRow(stored: Pick<StoredTransactionEver, keyof typeof rowFields>): OpenRow {
  const { state } = stored;
  assert(state !== "ORPHAN", "an orphan is not open");
  return {
    uetr: stored._id,
    state,
    flow: stored.flow ?? firstFlow,
    scheme: stored.scheme,
    deadlineMs: stored.deadline?.getTime() ?? null,
    isOutcomeAwaited: isAwaited(state, stored.outcome?.acknowledgedAt),
    receivedOffset: stored.receivedOffset ?? 0n,
    bank: stored.bank,
    businessDate: stored.businessDate,
    closesWith: stored.closesWith,
    queueKey: stored.queueKey,
    rollsLeft: stored.rollsLeft ?? 0,
  };
}

/** A roll is a further entry into HELD. */
function rollsLeftOf({ rollsMax, transitions }: Transaction): number {
  const held = transitions.filter(({ state }) => state === "HELD").length;
  return Math.max(0, rollsMax - Math.max(0, held - 1));
}

/** All debits were on-us before there were flows. */
const firstFlow: Flow = "on-us";

export function flowOf({ flow, state }: Pick<StoredTransactionEver, "flow" | "state">): Flow | null {
  if (flow !== undefined) return flow;
  return state === "ORPHAN" ? null : firstFlow;
}

/** `acknowledgedAt` of the outcome told; undefined: none was told. */
function isAwaited(state: State | OrphanState, acknowledgedAt: Date | number | null | undefined): boolean {
  return state !== "ORPHAN" && acknowledgedAt === null;
}

/** Reconciliation items of `day` in one transaction, for people. */
export function itemsOf(
  stored: Pick<StoredTransactionEver, "_id" | "bank" | "items">,
  day: string,
): readonly { readonly uetr: string; readonly bank: string | null; readonly item: Item }[] {
  return stored.items
    .filter((item) => item.day === day)
    .map((item) => ({ uetr: stored._id, bank: stored.bank, item: fromStoredItem(item) }));
}

/** `ZA_EFT:2026-11-20` in its two parts. */
export function dayParts(day: string): { readonly scheme: string; readonly businessDate: string } {
  const colon = day.indexOf(":");
  return { scheme: day.slice(0, colon), businessDate: day.slice(colon + 1) };
}

export function copyOfTerms(terms: SearchTerms): SearchTerms {
  return { ...terms, reasons: [...terms.reasons] };
}
