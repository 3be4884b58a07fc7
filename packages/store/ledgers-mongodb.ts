// The collection `ledgers` on MongoDB: one document per (lane, day), compare-and-set on `version`.

import type { Collection } from "mongodb";
import { assertBulk, pageMax } from "./bounds.ts";
import { fromStoredLedger, ledgerId, toStoredLedger } from "./ledger-document.ts";
import type { StoredLedger } from "./ledger-document.ts";
import { guarded, isInserted } from "./mongodb-faults.ts";
import type { LedgerStore } from "./port.ts";

export function ledgersIn(collection: Collection<StoredLedger>): LedgerStore {
  return {
    async load(lane, days) {
      assertBulk(days.length);
      if (days.length === 0) return new Map();
      const ids = days.map((day) => ledgerId(lane, day));
      const found = await guarded("ledgers.load", "read", () => collection.find({ _id: { $in: ids } }).toArray());
      return new Map(found.map((stored) => [stored.day, fromStoredLedger(stored)]));
    },

    write(ledger, expectedVersion) {
      const stored = toStoredLedger(ledger);
      return guarded("ledgers.write", "write", async () => {
        if (expectedVersion === 0) return isInserted(() => collection.insertOne(stored));
        const { _id, ...fields } = stored;
        const { matchedCount } = await collection.updateOne({ _id, version: expectedVersion }, { $set: fields });
        return matchedCount === 1;
      });
    },

    async ofDay(day) {
      const found = await guarded("ledgers.ofDay", "read", () => collection.find({ day }, { sort: { lane: 1 } }).toArray());
      return found.map(fromStoredLedger);
    },

    async ofLane(lane) {
      const found = await guarded("ledgers.ofLane", "read", () =>
        collection.find({ lane }, { sort: { day: 1 }, limit: pageMax }).toArray(),
      );
      return found.map(fromStoredLedger);
    },
  };
}
