// The collection `ledgers` on MongoDB: one document per (partition, day), by compare-and-set on `version`.

import type { Collection } from "mongodb";
import { assertBulk, pageMax } from "../bounds.ts";
import { ledgerCodec, ledgerId, type StoredLedger } from "../documents/ledger-document.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { LedgerStore } from "../port.ts";

export function createMongoLedgers(collection: Collection<StoredLedger>): LedgerStore {
  return {
    async load(partition, days) {
      assertBulk(days.length);
      if (days.length === 0) return new Map();
      const ids = days.map((day) => ledgerId(partition, day));
      const found = await runGuarded("ledgers.load", "read", () => collection.find({ _id: { $in: ids } }).toArray());
      return new Map(found.map((stored) => [stored.day, ledgerCodec.decode(stored)]));
    },

    write(ledger, expectedVersion) {
      const stored = ledgerCodec.encode(ledger);
      return runGuarded("ledgers.write", "write", async () => {
        if (expectedVersion === 0) return tryInsert(() => collection.insertOne(stored));
        const { _id, ...fields } = stored;
        const { matchedCount } = await collection.updateOne({ _id, version: expectedVersion }, { $set: fields });
        return matchedCount === 1;
      });
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
