// The driver keeps a password and certificates as long as a client lives. So a client is replaced when they change.
//
// #1 Calls after `renew` use the new client. The old one is closed when every call that was under way on it must have
//    ended.
// #2 A new client that cannot be made changes nothing; the error is thrown to the caller of `renew`.
// #3 Where reads have a bound, the server has it with each of them: it does not go on with a search whose answer nobody
//    waits for.

import type { Time } from "@sluice/kernel";
import type { Collection, Document, MongoClient } from "mongodb";

export interface CurrentClient {
  current(): MongoClient;
  close(): Promise<void>;
}

interface MongoClients extends CurrentClient {
  renew(): void;
}

/** Longer than a call may wait for a connection and then for an answer. */
const oldClientMs = 60_000;

export function createMongoClients(open: () => MongoClient, time: Time): MongoClients {
  let client = open();
  const ending = new Map<MongoClient, Disposable>();
  return {
    current: () => client,
    renew() {
      const old = client;
      client = open();
      const end = time.after(oldClientMs, () => {
        ending.delete(old);
        void old.close().catch(() => {});
      });
      ending.set(old, end);
    },
    async close() {
      for (const end of ending.values()) end[Symbol.dispose]();
      await Promise.all([client, ...ending.keys()].map((one) => one.close()));
    },
  };
}

export interface CollectionPlace {
  readonly database: string;
  readonly name: string;
  /** Milliseconds of a find or an aggregation; undefined: no bound. */
  readonly readMaxMs: number | undefined;
}

/** A collection that is always the current client's. */
export function currentCollection<T extends Document>(
  clients: CurrentClient,
  { database, name, readMaxMs }: CollectionPlace,
): Collection<T> {
  const open = (client: MongoClient) => ({ client, collection: client.db(database).collection<T>(name) });
  let opened = open(clients.current());

  function current(): Collection<T> {
    const client = clients.current();
    if (opened.client !== client) opened = open(client);
    return opened.collection;
  }

  return new Proxy(opened.collection, {
    get(_, member) {
      const collection = current();
      const found: unknown = Reflect.get(collection, member, collection);
      if (typeof found !== "function") return found;
      // #3
      const isBounded = readMaxMs !== undefined && (member === "find" || member === "aggregate");
      return (...given: unknown[]): unknown =>
        Reflect.apply(found, collection, isBounded ? [given[0], { ...asOptions(given[1]), maxTimeMS: readMaxMs }] : given);
    },
  });
}

function asOptions(given: unknown): object {
  return typeof given === "object" && given !== null ? given : {};
}
