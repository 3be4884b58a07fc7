// The store as a need of a service. It has an entry of its own, so that a process without a store does not load the
// driver.

import type { StoreSetting } from "@sluice/config";
import type { Store } from "@sluice/store";
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

/** A store whose collections and indexes are there before the service starts. */
export const preparedStore: Need<Store, StoreSetting> = {
  variables: storeVariables,
  async open({ environment, ...opening }) {
    const prepared = await openStore(environment, opening);
    await createMissingIndexes(prepared);
    return prepared;
  },
};

/** A service that finds everything, because `provision` has created it, needs no right to create indexes. */
export async function createMissingIndexes(store: Pick<Store, "missingIndexes" | "prepare">): Promise<void> {
  if ((await store.missingIndexes()).length > 0) await store.prepare();
}
