// The collection `bankStates` on MongoDB: what operators decided about each bank, by compare-and-set on `version`.

import { receiversMax } from "@sluice/domain";
import type { Collection } from "mongodb";
import { bankStateCodec, type StoredBankState } from "../documents/bank-state-document.ts";
import { assertBulk } from "../bounds.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { BankStore } from "../port.ts";

export function createMongoBankStates(collection: Collection<StoredBankState>): BankStore {
  return {
    async load(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await runGuarded("banks.load", "read", () => collection.find({ _id: { $in: [...ids] } }).toArray());
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, bankStateCodec.decode(byId.get(id)!)] as const] : [])));
    },

    write(state, expectedVersion) {
      const stored = bankStateCodec.encode(state);
      return runGuarded("banks.write", "write", async () => {
        if (expectedVersion === 0) return tryInsert(() => collection.insertOne(stored));
        const { _id, ...fields } = stored;
        const { matchedCount } = await collection.updateOne({ _id, version: expectedVersion }, { $set: fields });
        return matchedCount === 1;
      });
    },

    async all() {
      const found = await runGuarded("banks.all", "read", () =>
        collection.find({}, { sort: { isPaused: -1, _id: 1 }, limit: receiversMax }).toArray(),
      );
      return found.map(bankStateCodec.decode).toSorted((a, b) => (a.bank < b.bank ? -1 : 1));
    },
  };
}
