// Decides whose a transaction is: its sender's, and that of the bank to which it was or will be sent. Every other
// caller is answered as if it did not exist.

import type { State, Transaction, Transition } from "@sluice/domain";
import type { Store, TransactionDocument } from "@sluice/store";

export interface OwnTransaction {
  readonly uetr: string;
  readonly state: State;
  /** The newest entry into a state. */
  readonly newest: Transition;
  readonly transaction: Transaction;
  readonly document: TransactionDocument;
}

/** A message under this UETR may lie in the dead letters, and nobody can tell what it says and whose it is. */
export type UnreadTransaction = "unread";

/** Null: there is none, or it is not the caller's. An orphan belongs to nobody, as no message created it. */
export async function loadOwnTransaction(
  store: Pick<Store, "transactions">,
  uetr: string,
  caller: string,
): Promise<OwnTransaction | UnreadTransaction | null> {
  const document = (await store.transactions.load([uetr])).get(uetr);
  const transaction = document?.transaction;
  const newest = transaction?.transitions.at(-1);
  if (transaction?.state === "ORPHAN" && (transaction.quarantined !== null || transaction.unreadMessage !== null)) return "unread";
  if (document === undefined || transaction === undefined || newest === undefined || transaction.state === "ORPHAN") return null;
  const isOwn = transaction.message?.sender === caller || transaction.bank === caller;
  return isOwn ? { uetr, state: transaction.state, newest, transaction, document } : null;
}
