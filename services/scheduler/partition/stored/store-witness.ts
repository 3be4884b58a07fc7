// Shows whether the store still has what this process wrote.
//
// A store that was restored to an older point answers every call, and the position that it has may be the one that this
// process wrote last. The documents behind that position are missing then. So what was written last is a witness, a
// transaction or a ledger: a store that has it in an older version, or not at all, has gone back.

import type { DayKey } from "@sluice/domain";
import type { TransactionDocument, TransactionStore } from "@sluice/store";

export interface StoreWitness {
  /** Records a write that the store has acknowledged. */
  wrote(document: TransactionDocument): void;
  /** The same for a ledger. */
  wroteLedger(day: DayKey, version: number): void;
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

/**
 * Creates the witness of one partition under one lease. `readLedgerVersion` reads the version that the store has of a
 * day's ledger, 0 for none; it is called only where ledgers are written.
 */
export function createStoreWitness(readLedgerVersion: (day: DayKey) => Promise<number> = () => Promise.resolve(0)): StoreWitness {
  let newest: { readonly uetr: string; readonly version: number } | null = null;
  /** A ledger that was written after that transaction. */
  let ledger: { readonly day: DayKey; readonly version: number } | null = null;
  return {
    wrote({ transaction: { uetr, version } }) {
      newest = { uetr, version };
      ledger = null;
    },
    wroteLedger(day, version) {
      ledger = { day, version };
    },
    expected() {
      const expected = newest;
      if (expected === null) return { uetrs: [], isMissing: () => false };
      const { uetr, version } = expected;
      return { uetrs: [uetr], isMissing: (found) => (found.get(uetr)?.transaction.version ?? 0) < version };
    },
    async isMissing(store) {
      if (ledger !== null) return await isLedgerMissing(ledger);
      const expected = newest;
      if (expected === null) return false;
      return ((await store.versions([expected.uetr])).get(expected.uetr)?.version ?? 0) < expected.version;
    },
  };

  async function isLedgerMissing({ day, version }: NonNullable<typeof ledger>): Promise<boolean> {
    return (await readLedgerVersion(day)) < version;
  }
}
