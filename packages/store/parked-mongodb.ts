// The collections `deliveries` and `postings` on MongoDB: messages not acknowledged at once.

import type { Collection, Filter } from "mongodb";
import { assertBulk, assertPage } from "./bounds.ts";
import { duplicatesOf, guarded } from "./mongodb-faults.ts";
import { fromStoredParked, toAttemptState, toStoredParked } from "./parked-document.ts";
import type { StoredParked } from "./parked-document.ts";
import type { ParkedStore } from "./port.ts";

const batchDocuments = 1_000;

export function parkedIn(name: "deliveries" | "postings", collection: Collection<StoredParked>): ParkedStore {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      if (messages.length === 0) return;
      const sorted = messages.map(toStoredParked).sort((a, b) => (a._id < b._id ? -1 : 1));
      await guarded(`${name}.insert`, "write", () => duplicatesOf(() => collection.insertMany(sorted, { ordered: false })));
    },

    async update(message) {
      await guarded(`${name}.update`, "write", () => collection.updateOne({ _id: message.id }, { $set: toAttemptState(message) }));
    },

    async remove(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return;
      await guarded(`${name}.remove`, "write", () => collection.deleteMany({ _id: { $in: ids.toSorted() } }));
    },

    async ofLane(lane, after, limit) {
      assertPage(limit);
      const beyond: Filter<StoredParked> =
        after === null ? {} : { $or: [{ sequence: { $gt: after.sequence } }, { sequence: after.sequence, _id: { $gt: after.id } }] };
      const found = await guarded(`${name}.ofLane`, "read", () =>
        collection.find({ lane, ...beyond }, { sort: { sequence: 1, _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(fromStoredParked);
    },

    async load(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await guarded(`${name}.load`, "read", () =>
        collection.find({ _id: { $in: [...ids] } }, { batchSize: batchDocuments }).toArray(),
      );
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, fromStoredParked(byId.get(id)!)] as const] : [])));
    },
  };
}
