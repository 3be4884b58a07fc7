// Shows whether the store still has what this process wrote.
//
// A store that was restored to an older point answers every call, and the position that it has may be the one that this
// process wrote last. The documents behind that position are missing then. So the newest transaction that was written
// is a witness: a store that has it in an older version, or not at all, has gone back.

import type { TransactionDocument } from "@sluice/store";

export interface StoreWitness {
  /** Names the transaction that is the witness now. A read that takes a while is judged by the witness at its start. */
  call(): CalledWitness;
  /** Records a write that the store has acknowledged. */
  wrote(document: TransactionDocument): void;
}

export interface CalledWitness {
  /** What to read from the store for `isMissing`; empty while nothing was written. */
  readonly uetrs: readonly string[];
  /** Looks for the witness in what the store answered to a read of `uetrs`. */
  isMissing(found: ReadonlyMap<string, TransactionDocument>): boolean;
}

/** Creates the witness of one partition under one lease. */
export function createStoreWitness(): StoreWitness {
  let newest: { readonly uetr: string; readonly version: number } | null = null;
  return {
    call() {
      const witness = newest;
      return {
        uetrs: witness === null ? [] : [witness.uetr],
        isMissing: (found) => witness !== null && (found.get(witness.uetr)?.transaction.version ?? 0) < witness.version,
      };
    },
    wrote({ transaction: { uetr, version } }) {
      newest = { uetr, version };
    },
  };
}
