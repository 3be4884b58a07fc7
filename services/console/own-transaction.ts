// Whose a transaction is: who sent it, and the bank that it was or will be sent to. Everybody else is answered as if there were none.

import type { State, Transaction, Transition } from "@sluice/domain";
import type { Store } from "@sluice/store";

export interface OwnTransaction {
  readonly uetr: string;
  readonly state: State;
  /** The newest entry into a state. */
  readonly newest: Transition;
  readonly transaction: Transaction;
}

/** Null: none, or not the caller's. An orphan is nobody's: no message made it. */
export async function loadOwn(store: Pick<Store, "transactions">, uetr: string, caller: string): Promise<OwnTransaction | null> {
  const transaction = (await store.transactions.load([uetr])).get(uetr)?.transaction;
  const newest = transaction?.transitions.at(-1);
  if (transaction === undefined || newest === undefined || transaction.state === "ORPHAN") return null;
  const isOwn = transaction.message?.sender === caller || transaction.bank === caller;
  return isOwn ? { uetr, state: transaction.state, newest, transaction } : null;
}
