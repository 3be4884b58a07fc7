// What services have learnt of receivers, in the store in memory.

import { fromStoredAddress, toStoredAddress } from "./address-document.ts";
import type { StoredAddress } from "./address-document.ts";
import { addressesMax, assertBulk } from "./bounds.ts";
import { order } from "./memory-call.ts";
import type { Call } from "./memory-call.ts";
import type { AddressStore } from "./port.ts";

export function addressesIn(call: Call, kept: Map<string, StoredAddress>): AddressStore {
  return {
    async write(standings) {
      assertBulk(standings.length);
      const sorted = standings.map(toStoredAddress).sort((a, b) => order(a._id, b._id));
      const ids = sorted.map((stored) => stored._id);
      return call("addresses.write", ids, sorted, (documentsMax) => {
        for (const stored of sorted.slice(0, documentsMax)) kept.set(stored._id, stored);
      });
    },
    all: (service) =>
      call("addresses.all", [service ?? ""], null, () =>
        [...kept.values()]
          .filter((stored) => service === null || stored.service === service)
          .sort((a, b) => order(a._id, b._id))
          .slice(0, addressesMax)
          .map(fromStoredAddress),
      ),
  };
}
