// The store as the partitions of one process share it: what they write or ask at the same moment goes in one call, and
// each has its own answer (`gatherCalls` of the kernel).
//
// #1 A write of a partition is in no way bound to that of another: one that the store refuses changes nothing for the
//    others. Where the whole call is not answered, each repeats its own write, which a writer of one may too.

import { gatherCalls, type Time } from "@sluice/kernel";
import { bulkMax } from "./bounds.ts";
import type { LedgerStore, LedgerWrite, PartitionStore, PartitionWrite, TransactionStore } from "./port.ts";

/** Positions that partitions write at the same moment are written in one call. */
export function sharePositionWrites(partitions: PartitionStore, time: Time): PartitionStore {
  const write = gatherCalls<PartitionWrite, boolean>({ time, itemsMax: bulkMax, call: (writes) => partitions.writeMany(writes) });
  return {
    ...partitions,
    write: (service, partition, held, position, state, unproven = null) => write({ service, partition, held, position, state, unproven }),
  };
}

/** The same for ledgers. */
export function shareLedgerWrites(ledgers: LedgerStore, time: Time): LedgerStore {
  const write = gatherCalls<LedgerWrite, boolean>({ time, itemsMax: bulkMax, call: (writes) => ledgers.writeMany(writes) });
  return { ...ledgers, write: (ledger, expectedVersion) => write({ ledger, expectedVersion }) };
}

/** Versions that partitions ask for at the same moment are read in one call. Each asks for one document. */
export function shareVersionReads(transactions: TransactionStore, time: Time): TransactionStore {
  const read = gatherCalls<string, Awaited<ReturnType<TransactionStore["versions"]>>>({
    time,
    itemsMax: bulkMax,
    async call(uetrs) {
      const found = await transactions.versions([...new Set(uetrs)]);
      return uetrs.map(() => found);
    },
  });
  return {
    ...transactions,
    async versions(uetrs) {
      const found = await Promise.all(uetrs.map(read));
      return new Map(found.flatMap((versions) => [...versions]));
    },
  };
}
