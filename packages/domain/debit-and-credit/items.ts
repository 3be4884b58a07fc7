// Reconciliation items: what is unresolved when its time is over, and what a refusal shows before that.
//
// #1 There is one item of a close, or of a credit's deadline: an open early item (row 3) is taken over, otherwise one
//    is made.
// #2 An item made in a terminal state is detached: the connector has not accepted the outcome report. There is at most
//    one; only the acknowledgement of the outcome report settles it, and nothing else changes it.
// #3 Row 7 or 8 stays open (`null`) until the first answer of the stopped delivery; once set it never changes.
// #4 While the transaction is quarantined, the close makes an item of row 4, because nobody knows what the dead letters
//    say. An early item keeps row 3. So does the close of an orphan whose dead letters hold a message.
// #5 The item of a withdrawal has row 0 and WITHDRAWN; an early item becomes that item and keeps its evidence.

import { dayKey, type DayKey, type DeliveryEvidence, type RecordPosition } from "../fact.ts";
import type { SentKind } from "../ids.ts";
import { requireFlow, kindSentIn } from "./tables/state-messages.ts";
import type { ReconciliationReason } from "./reconciliation-reasons.ts";
import {
  isTerminal,
  type Item,
  lateAnswersKept,
  type OrphanTransaction,
  type ReceivedTransaction,
  type Transaction,
} from "./transaction.ts";

function isOpen(item: Item): boolean {
  return item.settledAtMs === null;
}

export function isDetached(item: Item): boolean {
  return isTerminal(item.state);
}

/** An open item that is not detached. */
function isAttached(item: Item): boolean {
  return isOpen(item) && !isDetached(item);
}

/** The day to which items of the transaction belong. */
function itemDay(transaction: ReceivedTransaction): DayKey {
  return transaction.flow === "credit" ? dayKey(transaction.scheme, transaction.businessDate) : transaction.reconciliationDay;
}

export interface CloseItem {
  readonly row: number | null;
  readonly cause: ReconciliationReason | null;
  readonly atMs: number;
}

/** Makes the item of the close, or takes an early item over. */
export function makeCloseItem(transaction: ReceivedTransaction, { row, cause, atMs }: CloseItem): ReceivedTransaction {
  const { state } = transaction;
  const day = itemDay(transaction);
  if (transaction.items.some(isAttached)) {
    return { ...transaction, items: transaction.items.map((item) => (isAttached(item) ? { ...item, day } : item)) };
  }
  const shown = transaction.quarantined === null ? { row, cause } : { row: 4, cause: null };
  return { ...transaction, items: [...transaction.items, newItem({ day, ...shown, state, madeAtMs: atMs })] };
}

/** Shows that a debit or credit was received and nobody has read it. Returns the same orphan if an item is open. */
export function makeUnreadItem(orphan: OrphanTransaction, atMs: number): OrphanTransaction {
  const { unreadMessage, reconciliationDay: day, items } = orphan;
  if (unreadMessage === null || day === null || items.some(isOpen)) return orphan;
  const state = unreadMessage.kind === "credit" ? "CREDIT_AUTH_RECEIVED" : "RECEIVED";
  return { ...orphan, items: [...items, newItem({ day, row: 4, cause: null, state, madeAtMs: atMs })] };
}

/** True while an unread message of an orphan waits for the close that makes its item. */
export function isUnreadOpen({ state, unreadMessage, items }: Pick<Transaction, "state" | "unreadMessage" | "items">): boolean {
  return state === "ORPHAN" && unreadMessage !== null && !items.some(isOpen);
}

/** Makes the item of a withdrawal, or turns an early item into it. */
export function makeWithdrawalItem(transaction: ReceivedTransaction, atMs: number): ReceivedTransaction {
  const { state } = transaction;
  const withdrawn = { day: itemDay(transaction), row: 0, cause: "WITHDRAWN" } as const;
  if (transaction.items.some(isAttached)) {
    return { ...transaction, items: transaction.items.map((item) => (isAttached(item) ? { ...item, ...withdrawn } : item)) };
  }
  return { ...transaction, items: [...transaction.items, newItem({ ...withdrawn, state, madeAtMs: atMs })] };
}

type NewItem = Pick<Item, "day" | "row" | "cause" | "state" | "madeAtMs"> & Partial<Pick<Item, "evidence">>;

function newItem(item: NewItem): Item {
  return { evidence: null, ...item, settledAtMs: null, lateAnswers: [], resolution: null, note: null };
}

/** Shows an item as soon as a not-recoverable answer comes. The state stays; a further refusal renews the evidence. */
export function showRefusalItem(transaction: ReceivedTransaction, place: RecordPosition, evidence: DeliveryEvidence): ReceivedTransaction {
  const { state } = transaction;
  const isSame = isTerminal(state) ? isOpenDetached : isAttached;
  if (transaction.items.some(isSame)) {
    return { ...transaction, items: transaction.items.map((item) => (isSame(item) ? { ...item, row: 3, evidence } : item)) };
  }
  const cause = isTerminal(state) ? "OUTCOME_UNDELIVERED" : null;
  const item = newItem({ day: itemDay(transaction), row: 3, cause, state, madeAtMs: place.appendedAtMs, evidence });
  return { ...transaction, items: [...transaction.items, item] };
}

function isOpenDetached(item: Item): boolean {
  return isOpen(item) && isDetached(item);
}

/**
 * Shows once, as row 5, that the outcome report was not acknowledged in time. Returns the same transaction if a
 * detached item exists.
 */
export function showUndeliveredItem(transaction: ReceivedTransaction, atMs: number): ReceivedTransaction {
  if (isOutcomeShown(transaction)) return transaction;
  const { state } = transaction;
  const item = newItem({ day: itemDay(transaction), row: 5, cause: "OUTCOME_UNDELIVERED", state, madeAtMs: atMs });
  return { ...transaction, items: [...transaction.items, item] };
}

/** True if an item shows, or has shown, that the outcome report was not acknowledged. */
export function isOutcomeShown({ items }: Pick<Transaction, "items">): boolean {
  return items.some(isDetached);
}

/** Settles the detached item: the outcome report was acknowledged. */
export function settleDetachedItem(transaction: Transaction, atMs: number): Transaction {
  const items = transaction.items.map((item) => (isOpenDetached(item) ? { ...item, settledAtMs: atMs } : item));
  return { ...transaction, items };
}

/** True if an item shows a refusal although the receiver may have accepted an attempt. */
export function isShownRefusalDoubtful(transaction: Transaction): boolean {
  return transaction.items.some((item) => isAttached(item) && item.evidence?.mayHaveBeenTaken === true);
}

/** True if an item shows a not-recoverable answer to this message: its delivery is parked until a change arrives. */
export function isRefusalShown(transaction: Transaction, sent: SentKind): boolean {
  const flow = requireFlow(transaction);
  return transaction.items.some((item) => isOpen(item) && item.row === 3 && kindSentIn(flow, item.state) === sent);
}

/** True while the item of the close still waits for the answer of the stopped delivery. */
export function isRowAwaited(transaction: Transaction): boolean {
  return transaction.items.some((item) => isAttached(item) && item.evidence === null);
}

/** Fills in the row and the cause that the item left open, from the first answer of the stopped delivery. */
export function setRow(transaction: Transaction, evidence: DeliveryEvidence, isRefused: boolean): Transaction {
  const items = transaction.items.map((item) => {
    if (!isAttached(item) || item.evidence !== null) return item;
    return { ...item, row: item.row ?? rowAfterStop(evidence, isRefused), cause: item.cause ?? causeAfterStop(evidence), evidence };
  });
  return { ...transaction, items };
}

function rowAfterStop(evidence: DeliveryEvidence, isRefused: boolean): number {
  if (isRefused) return 3;
  return evidence.anyAnswer ? 8 : 7;
}

function causeAfterStop(evidence: DeliveryEvidence): ReconciliationReason | null {
  if (evidence.isReceiverPaused) return "BANK_PAUSED";
  return evidence.isBreakerOpen ? "BREAKER_OPEN" : null;
}

/** The prefix that `formatOutcomeAnswer` writes. */
const outcomePrefix = /^outcome \d+ /u;

/**
 * The text of an answer to an outcome report on an item. It names the report, because a redrive needs to know which one
 * was refused.
 */
export function formatOutcomeAnswer(number: number, answer: string): string {
  return `outcome ${number} ${answer}`;
}

/** True if the newest recorded answer to this outcome report was not recoverable. */
export function wasOutcomeRefused({ items }: Transaction, number: number): boolean {
  const ofOutcome = ({ text }: Item["lateAnswers"][number]): boolean => text.startsWith(formatOutcomeAnswer(number, ""));
  return items.some(({ lateAnswers }) => lateAnswers.findLast(ofOutcome)?.text.startsWith(formatOutcomeAnswer(number, "refused")) === true);
}

export function recordLateAnswer(transaction: Transaction, place: RecordPosition, text: string): Transaction {
  const answer = { offset: place.offset, atMs: place.appendedAtMs, text };
  const items = transaction.items.map((item) =>
    isAttached(item) ? { ...item, lateAnswers: dropOldest([...item.lateAnswers, answer]) } : item,
  );
  return { ...transaction, items };
}

/**
 * Drops the oldest answer beyond the bound, but never the newest answer to an outcome report: by it operators, and a
 * redrive, know that the report was refused.
 */
function dropOldest(answers: Item["lateAnswers"]): Item["lateAnswers"] {
  if (answers.length <= lateAnswersKept) return answers;
  const newest = new Map(answers.map(({ text }, index) => [outcomePrefix.exec(text)?.[0] ?? index, index]));
  const dropped = answers.findIndex(
    ({ text }, index) => !outcomePrefix.test(text) || newest.get(outcomePrefix.exec(text)?.[0] ?? "") !== index,
  );
  return answers.toSpliced(Math.max(0, dropped), 1);
}
