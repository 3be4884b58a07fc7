// The collection `days` on MongoDB: one document per (scheme, date), by compare-and-set on `version`.

import type { Collection } from "mongodb";
import { assertBulk, openDaysMax } from "../bounds.ts";
import { dayCodec, type StoredDay } from "../documents/day-document.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { DayStore } from "../port.ts";

export function createMongoDays(collection: Collection<StoredDay>): DayStore {
  return {
    async load(keys) {
      assertBulk(keys.length);
      if (keys.length === 0) return new Map();
      const found = await runGuarded("days.load", "read", () => collection.find({ _id: { $in: [...keys] } }).toArray());
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(keys.flatMap((key) => (byId.has(key) ? [[key, dayCodec.decode(byId.get(key)!)] as const] : [])));
    },

    write(day, expectedVersion) {
      const stored = dayCodec.encode(day);
      return runGuarded("days.write", "write", async () => {
        if (expectedVersion === 0) return tryInsert(() => collection.insertOne(stored));
        const { _id, ...fields } = stored;
        const { matchedCount } = await collection.updateOne({ _id, version: expectedVersion }, { $set: fields });
        return matchedCount === 1;
      });
    },

    async open() {
      const found = await runGuarded("days.open", "read", () =>
        collection.find({ isReconciled: false }, { sort: { _id: 1 }, limit: openDaysMax }).toArray(),
      );
      return found.map(dayCodec.decode);
    },
  };
}
