// The collection `addresses` on MongoDB: what services have learnt of receivers. Tiny, and advice: the last writer wins.

import type { Collection } from "mongodb";
import { fromStoredAddress, toStoredAddress } from "./address-document.ts";
import type { StoredAddress } from "./address-document.ts";
import { addressesMax, assertBulk } from "./bounds.ts";
import { duplicatesOf, guarded } from "./mongodb-faults.ts";
import type { AddressStore } from "./port.ts";

export function addressesIn(collection: Collection<StoredAddress>): AddressStore {
  return {
    async write(standings) {
      assertBulk(standings.length);
      if (standings.length === 0) return;
      const byId = new Map(standings.map(toStoredAddress).map((stored) => [stored._id, stored]));
      const sorted = [...byId.values()].sort((a, b) => (a._id < b._id ? -1 : 1));
      await guarded("addresses.write", "write", async () => {
        const updates = sorted.map(({ _id, ...fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields } } }));
        const { matchedCount } = await collection.bulkWrite(updates, { ordered: false });
        // Some are new. Of those that are there, and of one that another made in between, the insert changes nothing.
        if (matchedCount < sorted.length) await duplicatesOf(() => collection.insertMany(sorted, { ordered: false }));
      });
    },

    async all(service) {
      const filter = service === null ? {} : { service };
      const found = await guarded("addresses.all", "read", () =>
        collection.find(filter, { sort: { _id: 1 }, limit: addressesMax }).toArray(),
      );
      return found.map(fromStoredAddress);
    },
  };
}
