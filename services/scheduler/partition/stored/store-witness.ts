// Shows whether the store still has what this process wrote.
//
// A store that was restored to an older point answers every call, and the position that it has may be the one that this
// process wrote last. The documents behind that position are missing then. So the newest transaction that was written
// is a witness: a store that has it in an older version, or not at all, has gone back.

import type { TransactionDocument, TransactionStore } from "@sluice/store";

export interface StoreWitness {
  /** Records a write that the store has acknowledged. */
  wrote(document: TransactionDocument): void;
  /** What a read that begins now must find; a later write changes nothing for that read. */
  expected(): ExpectedWitness;
  /** Reads the witness from the store; false while nothing was written. */
  isMissing(store: Pick<TransactionStore, "versions">): Promise<boolean>;
}

interface ExpectedWitness {
  /** What to read from the store; empty while nothing was written. */
  readonly uetrs: readonly string[];
  readonly isMissing: (found: ReadonlyMap<string, TransactionDocument>) => boolean;
}

/** Creates the witness of one partition under one lease. */
export function createStoreWitness(): StoreWitness {
  let newest: { readonly uetr: string; readonly version: number } | null = null;
  return {
    wrote({ transaction: { uetr, version } }) {
      newest = { uetr, version };
    },
    expected() {
      const expected = newest;
      if (expected === null) return { uetrs: [], isMissing: () => false };
      const { uetr, version } = expected;
      return { uetrs: [uetr], isMissing: (found) => (found.get(uetr)?.transaction.version ?? 0) < version };
    },
    async isMissing(store) {
      const expected = newest;
      if (expected === null) return false;
      return ((await store.versions([expected.uetr])).get(expected.uetr)?.version ?? 0) < expected.version;
    },
  };
}
