// The collection `ledgers` on MongoDB: one document per (partition, day), by compare-and-set on `version`, and never by
// one that counts less: a restored store gives a version a second time.
//
// #1 A bulk answers totals only. Where fewer ledgers matched than were sent, each is written alone: one that the bulk
//    wrote has another version by then and counts as lost, so its writer reads it and finds its own `through`.

import type { DayKey } from "@sluice/domain";
import type { Collection, Filter } from "mongodb";
import { assertBulk, pageMax } from "../bounds.ts";
import { ledgerCodec, listLedgerIds, splitLedgers, type StoredLedger } from "../documents/ledger-document.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { LedgerRead, LedgerStore, LedgerWrite, PartitionLedger } from "../port.ts";

function replaceable({ _id, through }: StoredLedger, version: number): Filter<StoredLedger> {
  return { _id, version, through: { $lte: through } };
}

export function createMongoLedgers(collection: Collection<StoredLedger>): LedgerStore {
  function write({ ledger, expectedVersion }: LedgerWrite): Promise<boolean> {
    const stored = ledgerCodec.encode(ledger);
    return runGuarded("ledgers.write", "write", async () => {
      if (expectedVersion === 0) return tryInsert(() => collection.insertOne(stored));
      const { _id, ...fields } = stored;
      const { matchedCount } = await collection.updateOne(replaceable(stored, expectedVersion), { $set: fields });
      return matchedCount === 1;
    });
  }

  /** #1 */
  async function writeKnown(writes: readonly LedgerWrite[]): Promise<readonly boolean[]> {
    if (writes.length <= 1) return await Promise.all(writes.map(write));
    const updates = writes.map(({ ledger, expectedVersion }) => {
      const stored = ledgerCodec.encode(ledger);
      const { _id, ...fields } = stored;
      return { updateOne: { filter: replaceable(stored, expectedVersion), update: { $set: fields } } };
    });
    const { matchedCount } = await runGuarded("ledgers.write", "write", () => collection.bulkWrite(updates, { ordered: false }));
    if (matchedCount === writes.length) return writes.map(() => true);
    return await Promise.all(writes.map(write));
  }

  async function loadMany(reads: readonly LedgerRead[]): Promise<readonly ReadonlyMap<DayKey, PartitionLedger>[]> {
    const ids = [...listLedgerIds(reads)];
    assertBulk(ids.length);
    if (ids.length === 0) return splitLedgers(reads, new Map());
    const found = await runGuarded("ledgers.load", "read", () => collection.find({ _id: { $in: ids } }).toArray());
    return splitLedgers(reads, new Map(found.map((stored) => [stored._id, ledgerCodec.decode(stored)])));
  }

  return {
    load: async (partition, days) => (await loadMany([{ partition, days }]))[0]!,
    loadMany,

    write: (ledger, expectedVersion) => write({ ledger, expectedVersion }),

    async writeMany(writes) {
      assertBulk(writes.length);
      const isNew = ({ expectedVersion }: LedgerWrite): boolean => expectedVersion === 0;
      const known = writes.filter((one) => !isNew(one));
      const [inserted, updated] = await Promise.all([Promise.all(writes.filter(isNew).map(write)), writeKnown(known)]);
      const answers = [inserted.values(), updated.values()] as const;
      return writes.map((one) => answers[isNew(one) ? 0 : 1].next().value ?? false);
    },

    async listByDay(day) {
      const found = await runGuarded("ledgers.listByDay", "read", () => collection.find({ day }, { sort: { partition: 1 } }).toArray());
      return found.map(ledgerCodec.decode);
    },

    async listByPartition(partition) {
      const found = await runGuarded("ledgers.listByPartition", "read", () =>
        collection.find({ partition }, { sort: { day: 1 }, limit: pageMax }).toArray(),
      );
      return found.map(ledgerCodec.decode);
    },
  };
}
