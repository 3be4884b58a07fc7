// Shows whether the store still has what this process wrote.
//
// A store that was restored to an older point answers every call, and the position that it has may be the one that this
// process wrote last. The documents behind that position are missing then. So the newest transaction that was written
// is a witness: a store that has it in an older version, or not at all, has gone back.

import type { TransactionDocument } from "@sluice/store";

export interface StoreWitness {
  /** What to read from the store for `isMissing`; empty while nothing was written. */
  uetrs(): readonly string[];
  /** Records a write that the store has acknowledged. */
  wrote(document: TransactionDocument): void;
  /** Looks for the witness in what the store answered to a read of `uetrs`. */
  isMissing(found: ReadonlyMap<string, TransactionDocument>): boolean;
}

/** Creates the witness of one partition under one lease. */
export function createStoreWitness(): StoreWitness {
  let newest: { readonly uetr: string; readonly version: number } | null = null;
  return {
    uetrs: () => (newest === null ? [] : [newest.uetr]),
    wrote({ transaction: { uetr, version } }) {
      newest = { uetr, version };
    },
    isMissing: (found) => newest !== null && (found.get(newest.uetr)?.transaction.version ?? 0) < newest.version,
  };
}
