// The store on MongoDB, or what speaks its protocol: collections, indexes, and the options that the port's promises need.
//
// 1. Every write waits for the majority and every read sees only what the majority has.
// 2. int64 is bigint on both sides, so no offset and no amount passes through a double.
// 3. Only insertOne, insertMany, find, updateOne, deleteMany and collection.bulkWrite with plain $set and $inc are used, and for people's
//    totals aggregate with $match, $group and $limit: no transaction, no upsert, no pipeline that writes, so that compatible servers serve as well.
// 4. mongo-java-server searches by an index only if it is unique and has exactly the filter's keys: hence {_id, version}.

import type { Log } from "@sluice/telemetry";
import { MongoClient } from "mongodb";
import type { Db, MongoClientOptions } from "mongodb";
import type { StoredAddress } from "./address-document.ts";
import { addressesIn } from "./addresses-mongodb.ts";
import type { StoredBank } from "./bank-document.ts";
import { banksIn } from "./banks-mongodb.ts";
import type { StoredDay } from "./day-document.ts";
import { daysIn } from "./days-mongodb.ts";
import type { StoredLedger } from "./ledger-document.ts";
import { ledgersIn } from "./ledgers-mongodb.ts";
import type { StoredLane } from "./lane-document.ts";
import { lanesIn } from "./lanes-mongodb.ts";
import { guarded } from "./mongodb-faults.ts";
import type { StoredParked } from "./parked-document.ts";
import { parkedIn } from "./parked-mongodb.ts";
import type { Store } from "./port.ts";
import { learning } from "./learning-lanes.ts";
import { routed } from "./transactions-routed.ts";
import type { BuildTransactions } from "./transactions-routed.ts";
import { transactionsIn } from "./transactions-mongodb.ts";
import type { MongoTransaction } from "./transactions-mongodb.ts";

export interface MongoStoreOptions {
  readonly url: string;
  readonly database: string;
  readonly log: Log;
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

/** Connects with the first call; a server that is down makes calls reject, not this. */
export function createMongoStore({ url, database, log }: MongoStoreOptions): Store {
  const client = new MongoClient(url, mongoClientOptions);
  client.on("topologyDescriptionChanged", ({ newDescription, previousDescription }) => {
    if (newDescription.type !== previousDescription.type) log.info("store.topology", { type: newDescription.type });
  });
  return mongoStoreOn(client, database);
}

/** The same on a client made elsewhere, with `mongoClientOptions`. */
export function mongoStoreOn(client: MongoClient, database: string): Store {
  const db = client.db(database);
  const documents = db.collection<StoredLane>("lanes");
  const inBuild = (build: number): BuildTransactions => transactionsIn(db.collection<MongoTransaction>(nameOf(build)));
  const { transactions, learn } = routed({ of: inBuild, builds: () => lanesIn(documents).list("scheduler") });
  return {
    transactions,
    days: daysIn(db.collection<StoredDay>("days")),
    banks: banksIn(db.collection<StoredBank>("standings")),
    ledgers: ledgersIn(db.collection<StoredLedger>("ledgers")),
    lanes: learning(lanesIn(documents), learn),
    builds: {
      transactions: inBuild,
      documents: (lane, build, afterUetr, limit) => inBuild(build).documents(lane, afterUetr, limit),
      remove: (lane, build) => inBuild(build).remove(lane),
      prepare: (build) => guarded("builds.prepare", "write", () => prepareTransactions(db, build)),
      list: () => guarded("builds.list", "read", () => buildsIn(db)),
    },
    deliveries: parkedIn("deliveries", db.collection<StoredParked>("deliveries")),
    postings: parkedIn("postings", db.collection<StoredParked>("postings")),
    addresses: addressesIn(db.collection<StoredAddress>("addresses")),
    prepare: () => guarded("store.prepare", "write", () => prepare(db)),
    async ping() {
      await guarded("store.ping", "read", () => db.command({ ping: 1 }));
    },
    close: () => client.close(),
  };
}

async function prepare(db: Db): Promise<void> {
  await prepareTransactions(db, 0);
  await db.collection("days").createIndex({ isReconciled: 1, _id: 1 }, { name: "open" });
  await db.collection("ledgers").createIndexes([
    { key: { day: 1, lane: 1 }, name: "of-day" },
    { key: { lane: 1, day: 1 }, name: "of-lane" },
  ]);
  for (const parked of ["deliveries", "postings"]) {
    await db.collection(parked).createIndex({ lane: 1, sequence: 1, _id: 1 }, { name: "of-lane" });
    await db.collection(parked).createIndex({ bank: 1, sequence: 1, _id: 1 }, { name: "of-bank" });
  }
}

async function prepareTransactions(db: Db, build: number): Promise<void> {
  await db.collection(nameOf(build)).createIndexes([
    { key: { _id: 1, version: 1 }, name: "compare-and-set", unique: true },
    // Named as it was made first: a server refuses the same keys under a second name.
    { key: { lane: 1, isOpen: 1, _id: 1 }, name: "unresolved" },
    { key: { "message.messageIdentification": 1, "message.sender": 1 }, name: "identified" },
    { key: { lane: 1, bank: 1, scheme: 1, businessDate: 1, state: 1, queueKey: 1 }, name: "held" },
    { key: { "items.day": 1, _id: 1 }, name: "items" },
    // All that ever stood on a day of a lane: what conservation counts.
    { key: { lane: 1, scheme: 1, "transitions.businessDate": 1, _id: 1 }, name: "accounted" },
    // For people's questions; a reader of one bank's or one date's transactions reads nothing else.
    { key: { scheme: 1, businessDate: 1, bank: 1, state: 1 }, name: "of-date" },
    { key: { bank: 1, state: 1, businessDate: 1 }, name: "of-bank" },
    ...["endToEndIdentification", "transactionIdentification", "instructionIdentification", "debtorAccountEnd", "creditorAccountEnd"].map(
      (term) => ({ key: { [`search.${term}`]: 1 } as const, name: term }),
    ),
    { key: { "finalReport.messageIdentification": 1 }, name: "final-report" },
    { key: { "search.reasons": 1 }, name: "reasons" },
    { key: { amountTenThousandths: 1, currency: 1 }, name: "amount" },
  ]);
}

/** `transactions`, and `transactions_1` and so on for those that were built anew. */
function nameOf(build: number): string {
  return build === 0 ? "transactions" : `transactions_${build}`;
}

async function buildsIn(db: Db): Promise<readonly number[]> {
  const names = await db.listCollections({}, { nameOnly: true }).toArray();
  const numbers = names.flatMap(({ name }) => {
    if (name === nameOf(0)) return [0];
    const number = /^transactions_(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.toSorted((a, b) => a - b);
}
