// The store as a need of a service. It has an entry of its own, so that a process without a store does not load the
// driver.

import type { StoreSetting } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { indexedCollectionsOf, type StoreProgram } from "@sluice/store/rights";
import { openStore, storeVariables } from "./connections/store-connection.ts";
import type { Need } from "./needs.ts";

export { openStore, storeVariables };

/** A store that only looks at what others have created. */
export const store: Need<Store, StoreSetting> = {
  variables: storeVariables,
  async open({ environment, ...opening }) {
    const reached = await openStore(environment, opening);
    await reached.ping();
    return reached;
  },
};

/**
 * Milliseconds of one read: a second less than a socket may say nothing, after which the server would go on for nobody.
 * It is longer than people wait for the beginning of an answer. What counts a large day goes on behind that beginning,
 * and counts that are kept are made behind no answer at all.
 */
const queryMaxMs = 14_000;

/** A store that people ask: its server gives up a read that takes longer than they wait. */
export const queriedStore: Need<Store, StoreSetting> = {
  variables: storeVariables,
  async open({ environment, ...opening }) {
    const reached = await openStore(environment, opening, queryMaxMs);
    await reached.ping();
    return reached;
  },
};

/** A store whose collections and indexes are there before the service starts: provisioning creates them. */
export function preparedStore(service: StoreProgram): Need<Store, StoreSetting> {
  return {
    variables: storeVariables,
    async open({ environment, ...opening }) {
      const prepared = await openStore(environment, opening);
      await requireIndexes(prepared, service);
      return prepared;
    },
  };
}

/** Rejects with the retryable Fault `process.indexes-missing` that names them, because provisioning may still run. */
export async function requireIndexes(store: Pick<Store, "missingIndexes">, service: StoreProgram): Promise<void> {
  const missing = await store.missingIndexes(indexedCollectionsOf(service));
  if (missing.length === 0) return;
  const text = `the store has no index ${missing.join(", ")} yet, which ./sluice provision creates`;
  throw new Fault("process.indexes-missing", text, { isRetryable: true });
}
