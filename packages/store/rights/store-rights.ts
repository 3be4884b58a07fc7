// What each program may do in the store, and nothing more. `./sluice provision --roles` prints MongoDB roles that are
// made of this table, the page docs/security/store-rights.md shows it, and a service that starts looks at the indexes
// of those collections alone whose indexes it may list. Tests hold the programs to it by the commands on the wire:
// what is done without a right fails one, and a right that nothing uses fails another.
//
// #1 Only provisioning creates indexes, and only a rebuild creates, empties and drops builds.
// #2 A role names collections one by one: MongoDB knows no prefix. So it names builds up to a bound.

export const storePrograms = ["scheduler", "dispatcher", "event-publisher", "console", "rebuild", "provision"] as const;
export type StoreProgram = (typeof storePrograms)[number];

/** Actions of MongoDB's privileges. */
export type StoreAction = "find" | "insert" | "update" | "remove" | "createIndex" | "listIndexes" | "dropCollection" | "listCollections";

export interface StoreUse {
  /** `builds`: the collections of rebuilt transactions; null: the database itself. */
  readonly collection: StoreCollection | null;
  readonly actions: readonly StoreAction[];
}

export const storeCollections = [
  "transactions",
  "builds",
  "days",
  "bankStates",
  "ledgers",
  "partitions",
  "deliveries",
  "postings",
  "endpointHealth",
] as const;
export type StoreCollection = (typeof storeCollections)[number];

/** #2: the builds of so many rebuilds have their place in the roles. */
export const buildsInRolesDefault = 32;

const read = ["find"] as const;
/** By compare-and-set; nothing is taken away. */
const keep = ["find", "insert", "update"] as const;
const park = [...keep, "remove", "listIndexes"] as const;
const index = ["createIndex", "listIndexes"] as const;
const names: StoreUse = { collection: null, actions: ["listCollections"] };

export const storeUses: Readonly<Record<StoreProgram, readonly StoreUse[]>> = {
  scheduler: [
    names,
    { collection: "transactions", actions: [...keep, "listIndexes"] },
    { collection: "builds", actions: keep },
    { collection: "days", actions: [...keep, "listIndexes"] },
    { collection: "bankStates", actions: keep },
    { collection: "ledgers", actions: [...keep, "listIndexes"] },
    { collection: "partitions", actions: keep },
  ],
  dispatcher: [
    names,
    { collection: "deliveries", actions: park },
    { collection: "partitions", actions: keep },
    { collection: "endpointHealth", actions: keep },
  ],
  "event-publisher": [
    names,
    { collection: "postings", actions: park },
    { collection: "partitions", actions: keep },
    { collection: "endpointHealth", actions: keep },
  ],
  console: storeCollections.map((collection) => ({ collection, actions: read })),
  rebuild: [
    names,
    { collection: "transactions", actions: ["find", "remove"] },
    { collection: "builds", actions: [...keep, "remove", "createIndex", "dropCollection"] },
    { collection: "days", actions: keep },
    { collection: "bankStates", actions: keep },
    { collection: "ledgers", actions: keep },
    { collection: "partitions", actions: ["find", "update"] },
  ],
  provision: [
    names,
    { collection: "transactions", actions: index },
    { collection: "days", actions: index },
    { collection: "ledgers", actions: index },
    { collection: "deliveries", actions: index },
    { collection: "postings", actions: index },
  ],
};

/** The collections whose indexes a service looks at before it starts. */
export function indexedCollectionsOf(program: StoreProgram): readonly StoreCollection[] {
  return storeUses[program].flatMap(({ collection, actions }) =>
    collection !== null && actions.includes("listIndexes") ? [collection] : [],
  );
}

/** A role as MongoDB's `createRole` and `updateRole` take it. */
export interface StoreRole {
  readonly role: string;
  readonly privileges: readonly {
    readonly resource: { readonly db: string; readonly collection: string };
    readonly actions: readonly StoreAction[];
  }[];
  readonly roles: readonly [];
}

/** Makes the roles of all programs in a database, for its first builds. */
export function buildStoreRoles(database: string, builds: number): readonly StoreRole[] {
  return storePrograms.map((program) => ({
    role: `sluice-${program}`,
    privileges: storeUses[program].flatMap(({ collection, actions }) =>
      namesOf(collection, builds).map((name) => ({ resource: { db: database, collection: name }, actions })),
    ),
    roles: [],
  }));
}

/** The empty name stands for the database. */
function namesOf(collection: StoreCollection | null, builds: number): readonly string[] {
  if (collection === "builds") return Array.from({ length: builds }, (_, before) => `transactions_${before + 1}`);
  return [collection ?? ""];
}
