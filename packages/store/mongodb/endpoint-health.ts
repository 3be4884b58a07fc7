// The collection `endpointHealth` on MongoDB: endpoint health. It is small and advisory, so the last writer wins. Only
// checks are added to what is there: several processes may check one endpoint at once, and none loses another's.

import type { Collection } from "mongodb";
import { endpointHealthCodec, type StoredEndpointHealth } from "../documents/endpoint-health-document.ts";
import { assertBulk, checksKept, endpointsMax } from "../bounds.ts";
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
      const first = endpointHealthCodec.encode({ ...health, checks: [check] });
      await runGuarded("endpointHealth.addCheck", "write", async () => {
        if (await tryInsert(() => collection.insertOne(first))) return;
        const added = { $each: [...(first.checks ?? [])], $slice: -checksKept };
        await collection.updateOne({ _id: first._id }, { $push: { checks: added } });
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
