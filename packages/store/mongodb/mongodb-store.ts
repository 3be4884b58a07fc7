// The store on MongoDB, or on a server that speaks its protocol: collections, indexes, and the options that the port's
// promises need.
//
// #1 Every write waits for the majority, and every read sees only what the majority has.
// #2 int64 is bigint on both sides, so no offset and no amount passes through a double.
// #3 It only uses insertOne, insertMany, find, updateOne, deleteMany and collection.bulkWrite with plain $set and $inc,
//    for people's totals aggregate with $match, $group and $limit, and for a build that nobody uses drop. There is no
//    transaction, no upsert and no pipeline that writes, so that compatible servers work as well.
// #4 mongo-java-server only uses an index that is unique and has exactly the filter's keys: hence {_id, version}.

import type { SecureContext } from "node:tls";
import type { Logger, Time } from "@sluice/kernel";
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from "mongodb";
import type { StoredEndpointHealth } from "../documents/endpoint-health-document.ts";
import { createMongoEndpointHealth } from "./endpoint-health.ts";
import type { StoredBankState } from "../documents/bank-state-document.ts";
import { createMongoBankStates } from "./bank-states.ts";
import type { StoredDay } from "../documents/day-document.ts";
import { createMongoDays } from "./days.ts";
import type { StoredLedger } from "../documents/ledger-document.ts";
import { createMongoLedgers } from "./ledgers.ts";
import type { StoredPartition } from "../documents/partition-document.ts";
import { createMongoPartitions } from "./partitions.ts";
import { runGuarded } from "./mongodb-faults.ts";
import { preparedIndexes, transactionIndexes } from "./indexes.ts";
import { createMongoClients, currentCollection, type CurrentClient } from "./mongodb-clients.ts";
import type { StoredParkedMessage } from "../documents/parked-message-document.ts";
import { createMongoParkedMessages } from "./parked-messages.ts";
import type { Store } from "../port.ts";
import { trackBuilds } from "../builds/track-builds.ts";
import { keepBuilds, routeTransactions } from "../builds/route-transactions.ts";
import type { MongoTransaction } from "../documents/transaction-document.ts";
import { createMongoTransactions } from "./transactions.ts";

export interface MongoStoreOptions {
  readonly url: string;
  readonly database: string;
  readonly logger: Logger;
  /** Milliseconds after which the server gives up a read; default: it works until it has the answer. */
  readonly readMaxMs?: number;
}

/** How the store is reached now. */
interface MongoAccess {
  readonly url: string;
  /** Null: as the address says. */
  readonly login: { readonly username: string; readonly password: string } | null;
  /** Null: as the address says. */
  readonly tls: SecureContext | null;
}

export interface RenewableStoreOptions extends Omit<MongoStoreOptions, "url"> {
  readonly access: () => MongoAccess;
  readonly time: Time;
}

export const mongoClientOptions = {
  appName: "sluice",
  useBigInt64: true,
  promoteBuffers: true,
  ignoreUndefined: false,
  writeConcern: { w: "majority" },
  readConcern: { level: "majority" },
  readPreference: "primary",
  maxPoolSize: 32,
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 15_000,
  waitQueueTimeoutMS: 10_000,
} as const satisfies MongoClientOptions;

/** The first call connects. A server that is down makes calls reject, not this function. */
export function createMongoStore({ url, database, logger, readMaxMs }: MongoStoreOptions): Store {
  const client = openMongoClient({ url, login: null, tls: null }, logger);
  return mongoStoreOn({ current: () => client, close: () => client.close() }, database, readMaxMs);
}

/** A store whose address, password and certificates may be replaced while it runs. */
export interface RenewableStore extends Store {
  /** Calls from now on use what `access` says now. Calls under way end as they began. */
  renew(): void;
}

/** Throws the driver's error if the address is none. */
export function createRenewableMongoStore({ access, database, logger, time, readMaxMs }: RenewableStoreOptions): RenewableStore {
  const clients = createMongoClients(() => openMongoClient(access(), logger), time);
  return { ...mongoStoreOn(clients, database, readMaxMs), renew: () => clients.renew() };
}

function openMongoClient({ url, login, tls }: MongoAccess, logger: Logger): MongoClient {
  const client = new MongoClient(url, {
    ...mongoClientOptions,
    ...(login === null ? {} : { auth: login }),
    ...(tls === null ? {} : { tls: true, secureContext: tls }),
  });
  client.on("topologyDescriptionChanged", ({ newDescription, previousDescription }) => {
    if (newDescription.type !== previousDescription.type) logger.info("store.topology", { type: newDescription.type });
  });
  return client;
}

/** Builds the store on clients that were made with `mongoClientOptions`. */
export function mongoStoreOn(clients: CurrentClient, database: string, readMaxMs?: number): Store {
  const db = (): Db => clients.current().db(database);
  const collection = <T extends Document>(name: string): Collection<T> => currentCollection<T>(clients, { database, name, readMaxMs });
  const documents = collection<StoredPartition>("partitions");
  const inBuild = keepBuilds((build) => createMongoTransactions(collection<MongoTransaction>(collectionName(build))));
  const { transactions, learn } = routeTransactions({ inBuild, builds: () => createMongoPartitions(documents).list("scheduler") });
  return {
    transactions,
    days: createMongoDays(collection<StoredDay>("days")),
    banks: createMongoBankStates(collection<StoredBankState>("bankStates")),
    ledgers: createMongoLedgers(collection<StoredLedger>("ledgers")),
    partitions: trackBuilds(createMongoPartitions(documents), learn),
    builds: {
      transactions: inBuild,
      documents: (partition, build, afterUetr, limit) => inBuild(build).documents(partition, afterUetr, limit),
      remove: (partition, build) => inBuild(build).remove(partition),
      prepare: (build) => runGuarded("builds.prepare", "write", () => prepareTransactions(db(), build)),
      drop: (build) => runGuarded("builds.drop", "write", () => dropBuild(db(), build)),
      list: () => runGuarded("builds.list", "read", () => listBuilds(db())),
    },
    deliveries: createMongoParkedMessages("deliveries", collection<StoredParkedMessage>("deliveries")),
    postings: createMongoParkedMessages("postings", collection<StoredParkedMessage>("postings")),
    endpointHealth: createMongoEndpointHealth(collection<StoredEndpointHealth>("endpointHealth")),
    prepare: () => runGuarded("store.prepare", "write", () => prepare(db())),
    missingIndexes: (collections) => runGuarded("store.missing-indexes", "read", () => findMissingIndexes(db(), collections)),
    async ping() {
      await runGuarded("store.ping", "read", () => db().command({ ping: 1 }));
    },
    close: () => clients.close(),
  };
}

async function prepare(db: Db): Promise<void> {
  for (const [name, indexes] of preparedIndexes) await db.collection(name).createIndexes([...indexes]);
}

async function prepareTransactions(db: Db, build: number): Promise<void> {
  await db.collection(collectionName(build)).createIndexes([...transactionIndexes]);
}

async function findMissingIndexes(db: Db, collections?: readonly string[]): Promise<readonly string[]> {
  const present = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  const asked = preparedIndexes.filter(([name]) => collections === undefined || collections.includes(name));
  const missing = await Promise.all(
    asked.map(async ([name, wanted]) => {
      const found = present.has(name) ? new Set((await db.collection(name).indexes()).map((index) => index.name)) : new Set();
      return wanted.filter((index) => !found.has(index.name)).map((index) => `${name}: ${index.name}`);
    }),
  );
  return missing.flat();
}

/** Names the collection of a build: `transactions`, then `transactions_1` and so on for rebuilt ones. */
function collectionName(build: number): string {
  return build === 0 ? "transactions" : `transactions_${build}`;
}

async function dropBuild(db: Db, build: number): Promise<void> {
  if (build > 0 && (await listBuilds(db)).includes(build)) await db.collection(collectionName(build)).drop();
}

async function listBuilds(db: Db): Promise<readonly number[]> {
  const names = await db.listCollections({}, { nameOnly: true }).toArray();
  const numbers = names.flatMap(({ name }) => {
    if (name === collectionName(0)) return [0];
    const number = /^transactions_(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.toSorted((a, b) => a - b);
}
