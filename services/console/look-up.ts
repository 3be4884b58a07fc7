// A look-up that can say "not known": once as it is, and where nothing is found once more, after the lane has been seen to be up to date.
//
// #1 What is found first is answered at once. What is not, and what is another's, takes the same way and the same time.

import type { Store } from "@sluice/store";
import type { Answer, Question } from "./answer.ts";
import type { KnownAsOf } from "./known-as-of.ts";
import { loadOwn, type OwnTransaction } from "./own-transaction.ts";

export interface LookUpPorts {
  readonly store: Pick<Store, "transactions">;
  readonly knownAsOf: KnownAsOf;
}

export type Found = { readonly kind: "own"; readonly own: OwnTransaction } | Exclude<Answer, { readonly kind: "found" }>;

/** Rejects with the store's Fault. */
export async function lookUp({ uetr, caller }: Question, { store, knownAsOf }: LookUpPorts): Promise<Found> {
  const first = await loadOwn(store, uetr, caller.id);
  if (first !== null) return { kind: "own", own: first };
  const asOfMs = await knownAsOf.of(uetr);
  if (asOfMs === null) return { kind: "unavailable", detail: "It cannot be told now whether there is such a transaction. Ask again." };
  const second = await loadOwn(store, uetr, caller.id);
  return second === null ? { kind: "not-known", asOfMs } : { kind: "own", own: second };
}
