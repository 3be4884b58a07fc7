// The store as a need of a service. It has an entry of its own, so that a process without a store does not load the
// driver.

import { createMongoStore, type Store } from "@sluice/store";
import type { Need, Opening } from "./needs.ts";

const variables = ["MONGO_URL", "SLUICE_DATABASE"] as const;
type StoreVariable = (typeof variables)[number];

function openStore({ environment, logger, opened }: Opening<StoreVariable>): Store {
  const { MONGO_URL: url, SLUICE_DATABASE: database } = environment;
  return opened.adopt(createMongoStore({ url, database, logger }), (mongo) => mongo.close());
}

/** A store that only looks at what others have created. */
export const store: Need<Store, StoreVariable> = { variables, open: openStore };

/** A store whose collections and indexes are created before the service starts. */
export const preparedStore: Need<Store, StoreVariable> = {
  variables,
  async open(opening) {
    const prepared = openStore(opening);
    await prepared.prepare();
    return prepared;
  },
};
