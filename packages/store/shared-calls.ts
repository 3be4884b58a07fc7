// The store as the partitions of one process share it: what they write or ask at the same moment goes in one call, and
// each has its own answer (`gatherCalls` of the kernel).
//
// #1 A write of a partition is in no way bound to that of another: one that the store refuses changes nothing for the
//    others. Where the whole call is not answered, each repeats its own write, which a writer of one may too.
// #2 Transactions, ledgers, days and banks are read by batches and witnesses of each partition. What comes while
//    a call is under way goes with the next one, so many partitions make few calls, and a lonely batch waits for
//    nothing. Where a call fails, each partition makes its own: a document that cannot be read or written is its
//    partition's trouble alone.
// #3 No call has a transaction twice: a bulk tells only by the id of its write which of two was written.

import type { DayKey } from "@sluice/domain";
import { gatherCalls, type Time } from "@sluice/kernel";
import { bulkMax } from "./bounds.ts";
import type {
  DayStore,
  DocumentVersion,
  LedgerRead,
  LedgerStore,
  LedgerWrite,
  PartitionLedger,
  PartitionStore,
  PartitionWrite,
  TransactionStore,
  TransactionWrite,
} from "./port.ts";

/** #2: a call that takes longer holds up no other partition. */
const behindMaxMs = 10;

/** Positions that partitions write at the same moment are written in one call. */
export function sharePositionWrites(partitions: PartitionStore, time: Time): PartitionStore {
  const write = gatherCalls<PartitionWrite, boolean>({ time, itemsMax: bulkMax, call: (writes) => partitions.writeMany(writes) });
  return {
    ...partitions,
    write: (service, partition, held, position, state, unproven = null) => write({ service, partition, held, position, state, unproven }),
  };
}

/** The same for ledgers, which are also read together (#2). */
export function shareLedgerCalls(ledgers: LedgerStore, time: Time): LedgerStore {
  const write = gatherCalls<LedgerWrite, boolean>({ time, itemsMax: bulkMax, call: (writes) => ledgers.writeMany(writes) });
  const read = gatherCalls<LedgerRead, ReadonlyMap<DayKey, PartitionLedger>>({
    time,
    itemsMax: bulkMax,
    behindMaxMs,
    isRepeatedAlone: true,
    sizeOf: ({ days }) => days.length,
    call: (reads) => ledgers.loadMany(reads),
  });
  return {
    ...ledgers,
    load: (partition, days) => read({ partition, days }),
    write: (ledger, expectedVersion) => write({ ledger, expectedVersion }),
  };
}

/** #2: days, or banks, that partitions read at the same moment. */
export function shareReads<Value, Store extends { load(keys: readonly string[]): Promise<ReadonlyMap<string, Value>> }>(
  store: Store,
  time: Time,
): Store {
  return { ...store, load: gatherReads((keys) => store.load(keys), time) };
}

/** Each caller has what it asked for, and no more. */
function gatherReads<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  time: Time,
): (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>> {
  return gatherCalls<readonly string[], ReadonlyMap<string, Value>>({
    time,
    itemsMax: bulkMax,
    behindMaxMs,
    isRepeatedAlone: true,
    sizeOf: (keys) => keys.length,
    async call(reads) {
      const [only] = reads;
      if (reads.length === 1 && only !== undefined) return [await load(only)];
      const found = await load([...new Set(reads.flat())]);
      return reads.map((keys) => new Map(keys.flatMap((key) => (found.has(key) ? [[key, found.get(key)!] as const] : []))));
    },
  });
}

/** Versions that partitions ask for at the same moment are read in one call. Each asks for one document. */
export function shareVersionReads(transactions: TransactionStore, time: Time): TransactionStore {
  const read = gatherCalls<string, DocumentVersion | null>({
    time,
    itemsMax: bulkMax,
    async call(uetrs) {
      const found = await transactions.versions([...new Set(uetrs)]);
      return uetrs.map((uetr) => found.get(uetr) ?? null);
    },
  });
  return {
    ...transactions,
    async versions(uetrs) {
      const own = new Map<string, DocumentVersion>();
      for (const [index, version] of (await Promise.all(uetrs.map(read))).entries()) {
        const uetr = uetrs[index];
        if (uetr !== undefined && version !== null) own.set(uetr, version);
      }
      return own;
    },
  };
}

/** Partitions that are taken over at the same moment ask for the open days in few calls. */
export function shareOpenDays(days: DayStore, time: Time): DayStore {
  const open = gatherCalls<null, Awaited<ReturnType<DayStore["open"]>>>({
    time,
    itemsMax: bulkMax,
    behindMaxMs,
    async call(asked) {
      const found = await days.open();
      return asked.map(() => found);
    },
  });
  return { ...days, open: () => open(null) };
}

/** #2 */
export function shareTransactionCalls(transactions: TransactionStore, time: Time): TransactionStore {
  const write = gatherCalls<readonly TransactionWrite[], WriteAnswer>({
    time,
    itemsMax: bulkMax,
    behindMaxMs,
    isRepeatedAlone: true,
    sizeOf: (writes) => writes.length,
    async call(bulks) {
      const answers = new Map<readonly TransactionWrite[], WriteAnswer>();
      await Promise.all(
        splitApart(bulks).map(async (together) => {
          const conflicts = new Set((await transactions.write(together.flat())).conflicts);
          for (const bulk of together)
            answers.set(bulk, {
              conflicts: listUetrs(bulk)
                .filter((uetr) => conflicts.has(uetr))
                .toSorted(),
            });
        }),
      );
      return bulks.map((bulk) => answers.get(bulk)!);
    },
  });
  return { ...transactions, load: gatherReads((uetrs) => transactions.load(uetrs), time), write };
}

type WriteAnswer = Awaited<ReturnType<TransactionStore["write"]>>;

function listUetrs(bulk: readonly TransactionWrite[]): readonly string[] {
  return bulk.map(({ document }) => document.transaction.uetr);
}

/** #3 */
function splitApart(bulks: readonly (readonly TransactionWrite[])[]): readonly (readonly (readonly TransactionWrite[])[])[] {
  const parts: { readonly uetrs: Set<string>; readonly bulks: (readonly TransactionWrite[])[] }[] = [];
  for (const bulk of bulks) {
    const own = new Set(listUetrs(bulk));
    const part = parts.find(({ uetrs }) => uetrs.isDisjointFrom(own));
    if (part === undefined) parts.push({ uetrs: own, bulks: [bulk] });
    else {
      part.bulks.push(bulk);
      for (const uetr of own) part.uetrs.add(uetr);
    }
  }
  return parts.map((part) => part.bulks);
}
