// Endpoint health of the memory store.

import { endpointHealthCodec, keepNewest, type StoredEndpointHealth } from "../documents/endpoint-health-document.ts";
import { endpointsMax, assertBulk } from "../bounds.ts";
import { compareText, type MemoryCall } from "./memory-call.ts";
import type { EndpointHealthStore } from "../port.ts";

export function createMemoryEndpointHealth(call: MemoryCall, kept: Map<string, StoredEndpointHealth>): EndpointHealthStore {
  return {
    async write(health) {
      assertBulk(health.length);
      const sorted = health.map(endpointHealthCodec.encode).sort((a, b) => compareText(a._id, b._id));
      const ids = sorted.map((stored) => stored._id);
      return call("endpointHealth.write", ids, sorted, (documentsMax) => {
        for (const stored of sorted.slice(0, documentsMax)) kept.set(stored._id, { ...stored, checks: kept.get(stored._id)?.checks });
      });
    },
    addCheck(health, check) {
      const first = endpointHealthCodec.encode({ ...health, checks: [check] });
      return call("endpointHealth.addCheck", [first._id], [first], () => {
        const stored = kept.get(first._id);
        const earlier = stored === undefined ? [] : endpointHealthCodec.decode(stored).checks;
        const { checks } = endpointHealthCodec.encode({ ...health, checks: keepNewest(earlier, check) });
        kept.set(first._id, { ...(stored ?? first), checks });
      });
    },
    all: (service) =>
      call("endpointHealth.all", [service ?? ""], null, () =>
        [...kept.values()]
          .filter((stored) => service === null || stored.service === service)
          .sort((a, b) => compareText(a._id, b._id))
          .slice(0, endpointsMax)
          .map(endpointHealthCodec.decode),
      ),
  };
}
