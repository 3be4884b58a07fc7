// The collection `standings` on MongoDB: what operators set of each bank, compare-and-set on `version`.

import type { Collection } from "mongodb";
import { fromStoredBank, toStoredBank } from "./bank-document.ts";
import type { StoredBank } from "./bank-document.ts";
import { assertBulk, banksMax } from "./bounds.ts";
import { guarded, isInserted } from "./mongodb-faults.ts";
import type { BankStore } from "./port.ts";

export function banksIn(collection: Collection<StoredBank>): BankStore {
  return {
    async load(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await guarded("banks.load", "read", () => collection.find({ _id: { $in: [...ids] } }).toArray());
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, fromStoredBank(byId.get(id)!)] as const] : [])));
    },

    write(standing, expectedVersion) {
      const stored = toStoredBank(standing);
      return guarded("banks.write", "write", async () => {
        if (expectedVersion === 0) return isInserted(() => collection.insertOne(stored));
        const { _id, ...fields } = stored;
        const { matchedCount } = await collection.updateOne({ _id, version: expectedVersion }, { $set: fields });
        return matchedCount === 1;
      });
    },

    async all() {
      const found = await guarded("banks.all", "read", () => collection.find({}, { sort: { _id: 1 }, limit: banksMax }).toArray());
      return found.map(fromStoredBank);
    },
  };
}
