// Reconciliation items: what is unresolved when its time is over, and what a refusal shows before that.
//
// 1. One item of the close, or of a credit's deadline: an open early item (row 3) is taken over, otherwise one is made.
// 2. An item made in a terminal state stands beside it: the connector has not taken the outcome. There is at most one; the acknowledgement
//    settles it, nothing else changes it.
// 3. Row 7 or 8 is open (`null`) until the first answer of the stopped delivery; what is set stays.
// 4. While records of the transaction are put aside, what the close makes is row 4: what they say is not known. An early item stays row 3.
// 5. A withdrawal's is row 0, WITHDRAWN; an early item becomes that one and keeps its evidence.

import { dayKey } from "./fact.ts";
import type { DayKey, DeliveryEvidence, Place } from "./fact.ts";
import type { SentLetter } from "./ids.ts";
import { flowOf, sentIn } from "./state-messages.ts";
import type { Item, ItemCause, State, Transaction } from "./transaction.ts";
import { isTerminal, lateAnswersKept } from "./transaction.ts";

function isOpen(item: Item): boolean {
  return item.settledAtMs === null;
}

export function isBeside(item: Item): boolean {
  return isTerminal(item.state);
}

/** Open, and not one that only stands beside a terminal state. */
function isOfTheState(item: Item): boolean {
  return isOpen(item) && !isBeside(item);
}

/** The day that items of the transaction belong to. */
function dayOf(transaction: Transaction): DayKey {
  if (flowOf(transaction) !== "credit") return transaction.closesWith;
  return dayKey(transaction.scheme, transaction.businessDate ?? "");
}

export interface MadeAtClose {
  readonly row: number | null;
  readonly cause: ItemCause | null;
  readonly atMs: number;
}

/** The item of the close that meets the transaction in `state`. */
export function makeAtClose(transaction: Transaction, state: State, { row, cause, atMs }: MadeAtClose): Transaction {
  const day = dayOf(transaction);
  if (transaction.items.some(isOfTheState)) {
    return { ...transaction, items: transaction.items.map((item) => (isOfTheState(item) ? { ...item, day } : item)) };
  }
  const told = transaction.parked === null ? { row, cause } : { row: 4, cause: null };
  return { ...transaction, items: [...transaction.items, newItem({ day, ...told, state, madeAtMs: atMs })] };
}

/** The item of a withdrawal that meets the transaction in `state`. */
export function makeWithdrawn(transaction: Transaction, state: State, atMs: number): Transaction {
  const withdrawn = { day: dayOf(transaction), row: 0, cause: "WITHDRAWN" } as const;
  if (transaction.items.some(isOfTheState)) {
    return { ...transaction, items: transaction.items.map((item) => (isOfTheState(item) ? { ...item, ...withdrawn } : item)) };
  }
  return { ...transaction, items: [...transaction.items, newItem({ ...withdrawn, state, madeAtMs: atMs })] };
}

type NewItem = Pick<Item, "day" | "row" | "cause" | "state" | "madeAtMs"> & Partial<Pick<Item, "evidence">>;

function newItem(item: NewItem): Item {
  return { evidence: null, ...item, settledAtMs: null, lateAnswers: [], resolution: null };
}

/** A not-recoverable answer: the item is shown from this moment, the state stays; a further one renews the evidence. */
export function showRefusal(transaction: Transaction, state: State, place: Place, evidence: DeliveryEvidence): Transaction {
  const isSame = isTerminal(state) ? isOpenBeside : isOfTheState;
  if (transaction.items.some(isSame)) {
    return { ...transaction, items: transaction.items.map((item) => (isSame(item) ? { ...item, row: 3, evidence } : item)) };
  }
  const cause = isTerminal(state) ? "OUTCOME_UNDELIVERED" : null;
  const item = newItem({ day: dayOf(transaction), row: 3, cause, state, madeAtMs: place.appendedAtMs, evidence });
  return { ...transaction, items: [...transaction.items, item] };
}

function isOpenBeside(item: Item): boolean {
  return isOpen(item) && isBeside(item);
}

/** The outcome is not acknowledged though its time is over: row 5, once. The same transaction where an item says so already. */
export function showUndelivered(transaction: Transaction, state: State, atMs: number): Transaction {
  if (transaction.items.some(isBeside)) return transaction;
  const item = newItem({ day: dayOf(transaction), row: 5, cause: "OUTCOME_UNDELIVERED", state, madeAtMs: atMs });
  return { ...transaction, items: [...transaction.items, item] };
}

/** The outcome was acknowledged: what stood beside the state is settled. */
export function settleBeside(transaction: Transaction, atMs: number): Transaction {
  const items = transaction.items.map((item) => (isOpenBeside(item) ? { ...item, settledAtMs: atMs } : item));
  return { ...transaction, items };
}

/** A refusal was shown whose delivery may have been taken. */
export function isShownDoubtful(transaction: Transaction): boolean {
  return transaction.items.some((item) => isOfTheState(item) && item.evidence?.mayHaveBeenTaken === true);
}

/** A not-recoverable answer to the message with this letter is shown: that delivery lies parked until a change arrives. */
export function isRefusalShown(transaction: Transaction, letter: SentLetter): boolean {
  const flow = flowOf(transaction);
  return transaction.items.some((item) => isOpen(item) && item.row === 3 && sentIn(flow, item.state) === letter);
}

/** The item of the close has no answer of the stopped delivery yet. */
export function isRowAwaited(transaction: Transaction): boolean {
  return transaction.items.some((item) => isOfTheState(item) && item.evidence === null);
}

/** The first answer of the stopped delivery sets what the item left open. */
export function setRow(transaction: Transaction, evidence: DeliveryEvidence, isRefused: boolean): Transaction {
  const items = transaction.items.map((item) => {
    if (!isOfTheState(item) || item.evidence !== null) return item;
    return { ...item, row: item.row ?? rowOfStopped(evidence, isRefused), cause: item.cause ?? causeOfStopped(evidence), evidence };
  });
  return { ...transaction, items };
}

function rowOfStopped(evidence: DeliveryEvidence, isRefused: boolean): number {
  if (isRefused) return 3;
  return evidence.anyAnswer ? 8 : 7;
}

function causeOfStopped(evidence: DeliveryEvidence): ItemCause | null {
  if (evidence.isBankPaused) return "BANK_PAUSED";
  return evidence.isBreakerOpen ? "BREAKER_OPEN" : null;
}

/** As `outcomeAnswer` writes it. */
const outcomePrefix = /^outcome \d+ /u;

/** How an answer to an outcome is noted on an item: which one it was counts for a redrive. */
export function outcomeAnswer(number: number, answer: string): string {
  return `outcome ${number} ${answer}`;
}

/** The newest answer to this outcome that is noted on an item was a not-recoverable one. */
export function wasOutcomeRefused({ items }: Transaction, number: number): boolean {
  const ofOutcome = ({ text }: Item["lateAnswers"][number]): boolean => text.startsWith(outcomeAnswer(number, ""));
  return items.some(({ lateAnswers }) => lateAnswers.findLast(ofOutcome)?.text.startsWith(outcomeAnswer(number, "refused")) === true);
}

export function noteLateAnswer(transaction: Transaction, place: Place, text: string): Transaction {
  const answer = { offset: place.offset, atMs: place.appendedAtMs, text };
  const items = transaction.items.map((item) =>
    isOfTheState(item) ? { ...item, lateAnswers: bounded([...item.lateAnswers, answer]) } : item,
  );
  return { ...transaction, items };
}

/** Without the oldest; but the newest answer to an outcome stays: by it people know, and a redrive, that the outcome lies refused. */
function bounded(answers: Item["lateAnswers"]): Item["lateAnswers"] {
  if (answers.length <= lateAnswersKept) return answers;
  const newest = new Map(answers.map(({ text }, index) => [outcomePrefix.exec(text)?.[0] ?? index, index]));
  const dropped = answers.findIndex(
    ({ text }, index) => !outcomePrefix.test(text) || newest.get(outcomePrefix.exec(text)?.[0] ?? "") !== index,
  );
  return answers.toSpliced(Math.max(0, dropped), 1);
}
