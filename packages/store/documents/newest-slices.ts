// The slices of time in which the last received transactions are read, the newest first.
//
// #1 Some servers sort everything that a filter matches before they return a page of it. A slice is sorted alone, and
//    the next one, which is eight times as long, is read only while the page is not full.
// #2 The last slice has no begin, so that no transaction is left out.
// #3 A term that few transactions have is answered by its own index, at once.

import type { NewestCursor, NewestStart, TransactionQuery } from "../port.ts";

/** All bounds of a slice hold. */
export type SliceBound = { readonly olderThan: NewestCursor } | { readonly sinceMs: number } | { readonly untilMs: number };

const firstSliceMs = 10_000;
const factor = 8;
/** The longest slice with a begin has 30 days. */
const slicesMax = 7;

const rareTerms = [
  "uetr",
  "identification",
  "identificationStart",
  "accountEnds",
  "amountTenThousandths",
  "observation",
  "itemDay",
  "itemRow",
  "itemCause",
  "isItemOpen",
  "isItemProposed",
  "itemMadeToMs",
  "decided",
] as const satisfies readonly (keyof TransactionQuery)[];

export function sliceNewest(query: TransactionQuery, after: NewestCursor | NewestStart): readonly (readonly SliceBound[])[] {
  const begin: readonly SliceBound[] = "aboutMs" in after ? [] : [{ olderThan: after }];
  const isRare = rareTerms.some((term) => query[term] !== undefined) || query.isQuarantined === true || query.state === "ORPHAN";
  if (isRare) return [begin];
  const slices: (readonly SliceBound[])[] = [];
  let until = begin;
  let sinceMs = "aboutMs" in after ? after.aboutMs : after.receivedAtMs;
  for (let nth = 0; nth < slicesMax; nth += 1) {
    sinceMs -= firstSliceMs * factor ** nth;
    slices.push([...until, { sinceMs }]);
    until = [{ untilMs: sinceMs }];
  }
  return [...slices, until];
}
