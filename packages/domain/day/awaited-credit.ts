// Which credits a declaration of credits final waits for: they keep the gate of their bank closed. The partition that
// answers the declaration and the console, which explains a closed gate, use the same rule.
//
// #1 It waits for unresolved credits of the declaration's scheme (and bank, if it is for one bank) that were received
//    below the declaration's marker in the credit's partition.
// #2 The credit's business date is not after the day's; before its verdict a credit counts whatever its provisional
//    date is.
// #3 A credit in the dead letters that nobody has read counts whatever its bank, scheme and date may be, until a close
//    makes its item. Once it is read it counts like any other, as received where the unread record lay.
// #4 The partition names `unknownBank` for it, and does so until the credit has ended, because what it has answered
//    once it cannot replace by the name of the bank.

import type { CreditsDeclaredMarker } from "../fact.ts";
import { isUnreadOpen } from "../debit-and-credit/items.ts";
import { isUnresolved, type OrphanState, type State, type Transaction, type UnreadMessage } from "../debit-and-credit/transaction.ts";

/** The values that decide whether a declaration waits for a credit. */
export interface CreditAtGate {
  readonly state: State | OrphanState;
  /** Null, as its bank and its date: nobody has read the credit. */
  readonly scheme: string | null;
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** Offset of the record that created the credit, or of the unread one. */
  readonly receivedOffset: bigint;
  /** It lies in the dead letters, and no close has made its item. */
  readonly isUnread: boolean;
  /** The bank that the partition names for it. */
  readonly namedAs: string;
}

/** What is named for a credit that nobody had read when a partition answered; no configured id is like it. */
export const unknownBank = "*";

/** Reads the values from a transaction; null: neither a credit nor an unread message that may be one. */
export function toCreditAtGate(transaction: Transaction): CreditAtGate | null {
  const { state, flow, bank, unreadMessage, transitions } = transaction;
  const { scheme, businessDate } = transaction;
  const unread = unreadMessage === null ? null : findUnreadCredit(unreadMessage);
  const [first] = transitions;
  if (flow === "credit" && first !== undefined) {
    const namedAs = unread === null ? transaction.bank : unknownBank;
    return { state, scheme, bank, businessDate, receivedOffset: unread ?? first.offset, isUnread: false, namedAs };
  }
  return unread === null ? null : unreadCreditAtGate(unread, isUnreadOpen(transaction));
}

/** Offset of an unread message that may be a credit; null: it is a debit. */
export function findUnreadCredit({ kind, offset }: UnreadMessage): bigint | null {
  return kind === "debit" ? null : offset;
}

/** The values of a credit that nobody has read; `isUnread` is false once a close has made its item. */
export function unreadCreditAtGate(receivedOffset: bigint, isUnread: boolean): CreditAtGate {
  return { state: "ORPHAN", scheme: null, bank: null, businessDate: null, receivedOffset, isUnread, namedAs: unknownBank };
}

export type DeclaredCredits = Pick<CreditsDeclaredMarker, "scheme" | "businessDate" | "bank">;

/** `declaredOffset` is the offset of the declaration's marker in the credit's partition. */
export function isCreditAwaited(credit: CreditAtGate, declared: DeclaredCredits, declaredOffset: bigint): boolean {
  if (credit.receivedOffset >= declaredOffset) return false;
  if (credit.isUnread) return true;
  if (!isUnresolved(credit.state) || credit.scheme !== declared.scheme) return false;
  if (declared.bank !== null && declared.bank !== credit.bank) return false;
  return credit.state === "CREDIT_AUTH_RECEIVED" || (credit.businessDate ?? "") <= declared.businessDate;
}
