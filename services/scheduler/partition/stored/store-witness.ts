// Shows whether the store still has what this process wrote.
//
// #1 A store that was restored to an older point answers every call, and the position that it has may be the one that
//    this process wrote last. The documents behind that position are missing then. So each write is a witness: a store
//    that has it in an older version, or not at all, has gone back.
// #2 A position may land in the restored store, where what was written before it is missing, and so may the ledgers
//    that are written with it. So each position carries every witness since the newest position that was found proven
//    (`UnprovenPosition`). Of one document the newest version speaks for the earlier ones: it replaced them.
// #3 A batch that reads the store looks for every transaction that was written since the last such read: what came
//    behind a restore would hide what is missing.
// #4 A position is proven once a read that began after its acknowledgement has found all of its witnesses.

import type {
  BankStore,
  DayStore,
  LedgerStore,
  TransactionDocument,
  TransactionStore,
  UnprovenPosition,
  WrittenDocument,
} from "@sluice/store";

/** Reads the versions that the store has of documents of one kind, by id; what it lacks is absent. */
export type ReadVersions = (kind: WrittenDocument["kind"], ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;

export interface StoreWitness {
  /** Records a write that the store has acknowledged. */
  wrote(document: WrittenDocument): void;
  /** #3: what a read of transactions that begins now must find; a later write changes nothing for that read. */
  expected(): ExpectedWitness;
  /** Reads the witnesses from the store; false while nothing was written. Rejects as the store does. */
  isMissing(): Promise<boolean>;
  /** #2: what a position that is written now carries. */
  unproven(): UnprovenPosition;
  /** Records a position that the store has acknowledged, with what it carried. */
  wrotePosition(position: bigint, carried: UnprovenPosition): void;
  /** True once a position carries so much that it is proven before the next is written. */
  isFull(): boolean;
}

interface ExpectedWitness {
  /** What to read from the store; empty while no transaction was written. */
  readonly uetrs: readonly string[];
  readonly isMissing: (found: ReadonlyMap<string, TransactionDocument>) => boolean;
}

/** Witnesses that one position carries. Looks at the store prove it more often than that (`lookIntervalMs`). */
export const witnessesMax = 32;

/** Creates the witness of one partition under one lease, which begins at a proven position. */
export function createStoreWitness(readVersions: ReadVersions, startAt = 0n): StoreWitness {
  let newest: readonly WrittenDocument[] = [];
  /** What the position that is written next carries beside those. */
  let unwritten: readonly WrittenDocument[] = [];
  /** #3: the oldest first; the newest transaction stays. */
  let expected: readonly WrittenDocument[] = [];
  let proven = startAt;
  /** The position that was written last, and its witnesses. */
  let written = { position: startAt, witnesses: [] as readonly WrittenDocument[] };
  return {
    wrote(document) {
      newest = [document];
      unwritten = join(unwritten, newest);
      if (document.kind === "transaction") expected = [...expected, document].slice(-witnessesMax);
    },
    expected() {
      const wanted = expected;
      return {
        uetrs: wanted.map(({ id }) => id),
        isMissing(found) {
          if (wanted.some(({ id, version }) => (found.get(id)?.transaction.version ?? 0) < version)) return true;
          expected = expected.filter((one, at) => at === expected.length - 1 || !wanted.includes(one));
          return false;
        },
      };
    },
    async isMissing() {
      const { position, witnesses } = written;
      if (await isAnyMissing(join(witnesses, unwritten, newest), readVersions)) return true;
      // #4
      if (position > proven) proven = position;
      written = { ...written, witnesses: written.witnesses.filter((one) => !witnesses.includes(one)) };
      return false;
    },
    unproven: () => ({ from: proven, written: join(written.witnesses, unwritten) }),
    wrotePosition(position, carried) {
      written = { position, witnesses: carried.written };
      unwritten = unwritten.filter((one) => !carried.written.includes(one));
    },
    isFull: () => written.witnesses.length >= witnessesMax,
  };
}

/**
 * #2: the position to which one with these witnesses goes back, because the store lacks one of them; null where it has
 * them all. Rejects as the store does.
 */
export async function findProven(unproven: UnprovenPosition | null, readVersions: ReadVersions): Promise<bigint | null> {
  return unproven !== null && (await isAnyMissing(unproven.written, readVersions)) ? unproven.from : null;
}

/** Reads the versions of documents of one partition. */
export function createVersionReader(store: WitnessStore, partition: number): ReadVersions {
  return async (kind, ids) => {
    if (kind === "transaction") return mapVersions(await store.transactions.versions(ids));
    if (kind === "ledger") return mapVersions(await store.ledgers.load(partition, ids));
    return mapVersions(await (kind === "day" ? store.days : store.banks).load(ids));
  };
}

interface WitnessStore {
  readonly transactions: Pick<TransactionStore, "versions">;
  readonly ledgers: Pick<LedgerStore, "load">;
  readonly days: Pick<DayStore, "load">;
  readonly banks: Pick<BankStore, "load">;
}

export function mapVersions(found: ReadonlyMap<string, { readonly version: number }>): ReadonlyMap<string, number> {
  return new Map([...found].map(([id, { version }]) => [id, version]));
}

/** Tells whether the store lacks any of these, or has it in an older version. Rejects as the store does. */
async function isAnyMissing(witnesses: readonly WrittenDocument[], readVersions: ReadVersions): Promise<boolean> {
  const kinds = [...new Set(witnesses.map(({ kind }) => kind))];
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const expected = witnesses.filter((one) => one.kind === kind);
      const versions = await readVersions(kind, [...new Set(expected.map(({ id }) => id))]);
      return expected.some(({ id, version }) => (versions.get(id) ?? 0) < version);
    }),
  );
  return found.includes(true);
}

/** Lists these in the order of their last writes, each document in its last version. */
function join(...lists: readonly (readonly WrittenDocument[])[]): readonly WrittenDocument[] {
  const newest = new Map<string, WrittenDocument>();
  for (const document of lists.flat()) {
    const key = `${document.kind} ${document.id}`;
    newest.delete(key);
    newest.set(key, document);
  }
  return [...newest.values()];
}
