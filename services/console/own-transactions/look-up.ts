// Looks a transaction up so that "not known" is certain: once at once, and if it is not found, again after its
// partition is up to date.
//
// #1 A transaction that is found first is answered at once. One that is not there, and one of another caller, take the
//    same way and the same time.
// #2 While a record under the UETR lies in the dead letters and nothing else is known of it, nothing is said: "not
//    known" would prove that nothing was received.

import type { Store } from "@sluice/store";
import type { TransactionAnswer, TransactionQuestion } from "../http/bank-answer.ts";
import type { KnownAsOf } from "./known-as-of.ts";
import { loadOwnTransaction, type OwnTransaction } from "./own-transaction.ts";

export interface LookUpPorts {
  readonly store: Pick<Store, "transactions">;
  readonly knownAsOf: KnownAsOf;
}

export type LookUpResult = { readonly kind: "own"; readonly own: OwnTransaction } | Exclude<TransactionAnswer, { readonly kind: "found" }>;

const unread: LookUpResult = {
  kind: "unavailable",
  detail: "Something was received under this UETR and could not be read. Ask again; Sluice's operators look at it.",
};

/** Rejects with the store's Fault. */
export async function lookUp(
  { uetr, caller }: Pick<TransactionQuestion, "uetr"> & { readonly caller: Pick<TransactionQuestion["caller"], "id"> },
  { store, knownAsOf }: LookUpPorts,
): Promise<LookUpResult> {
  const first = await loadOwnTransaction(store, uetr, caller.id);
  if (first === "unread") return unread;
  if (first !== null) return { kind: "own", own: first };
  const asOfMs = await knownAsOf.timeFor(uetr);
  if (asOfMs === null) return { kind: "unavailable", detail: "It is not known now whether there is such a transaction. Ask again." };
  const second = await loadOwnTransaction(store, uetr, caller.id);
  if (second === "unread") return unread;
  return second === null ? { kind: "not-known", asOfMs } : { kind: "own", own: second };
}
