// The collection `endpointHealth` on MongoDB: endpoint health. It is small and advisory, so the last writer wins.

import type { Collection } from "mongodb";
import { endpointHealthCodec, keepNewest, type StoredEndpointHealth } from "../documents/endpoint-health-document.ts";
import { endpointsMax, assertBulk } from "../bounds.ts";
import { insertIgnoringDuplicates, runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { EndpointHealthStore } from "../port.ts";

export function createMongoEndpointHealth(collection: Collection<StoredEndpointHealth>): EndpointHealthStore {
  return {
    async write(health) {
      assertBulk(health.length);
      if (health.length === 0) return;
      const byId = new Map(health.map(endpointHealthCodec.encode).map((stored) => [stored._id, stored]));
      const sorted = [...byId.values()].sort((a, b) => (a._id < b._id ? -1 : 1));
      await runGuarded("endpointHealth.write", "write", async () => {
        const updates = sorted.map(({ _id, checks: _checks, ...fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields } } }));
        const { matchedCount } = await collection.bulkWrite(updates, { ordered: false });
        // Some documents are new. The insert leaves the existing ones unchanged, also one that another process made in
        // between.
        if (matchedCount < sorted.length) await insertIgnoringDuplicates(() => collection.insertMany(sorted, { ordered: false }));
      });
    },

    async addCheck(health, check) {
      const { _id, ...first } = endpointHealthCodec.encode({ ...health, checks: [check] });
      await runGuarded("endpointHealth.addCheck", "write", async () => {
        if (await tryInsert(() => collection.insertOne({ _id, ...first }))) return;
        const stored = await collection.findOne({ _id });
        const earlier = stored === null ? [] : endpointHealthCodec.decode(stored).checks;
        const { checks } = endpointHealthCodec.encode({ ...health, checks: keepNewest(earlier, check) });
        await collection.updateOne({ _id }, { $set: { checks } });
      });
    },

    async all(service) {
      const filter = service === null ? {} : { service };
      const found = await runGuarded("endpointHealth.all", "read", () =>
        collection.find(filter, { sort: { _id: 1 }, limit: endpointsMax }).toArray(),
      );
      return found.map(endpointHealthCodec.decode);
    },
  };
}
