// The MongoDB adapter on a real server: `MONGO_URL` is its address (`./sluice test` sets it).

import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { conformanceParked, conformanceUetr } from "../conformance/conformance-partitions.ts";
import { describeStore } from "../conformance/conformance.ts";
import { conformanceDocument } from "../conformance/conformance-transactions.ts";
import { createMongoStore, mongoClientOptions, mongoStoreOn } from "./mongodb-store.ts";
import type { Store } from "../port.ts";

const url = process.env["MONGO_URL"];
if (url === undefined) throw new Error("MONGO_URL is not set: these tests need a MongoDB-compatible server. ./sluice test starts one.");
const address = url;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const databases: string[] = [];
const stores: Store[] = [];

function newDatabase(): string {
  const name = `store_test_${randomBytes(6).toString("hex")}`;
  databases.push(name);
  return name;
}

async function openStore(): Promise<Store> {
  const store = createMongoStore({ url: address, database: newDatabase(), logger: silent });
  stores.push(store);
  await store.prepare();
  return store;
}

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  const client = new MongoClient(address);
  for (const name of databases) await client.db(name).dropDatabase();
  await client.close();
});

describeStore(openStore);

async function openWatched(readMaxMs?: number): Promise<{
  readonly store: Store;
  readonly client: MongoClient;
  readonly database: string;
  readonly commands: CommandStartedEvent[];
}> {
  const client = new MongoClient(address, { ...mongoClientOptions, monitorCommands: true });
  const commands: CommandStartedEvent[] = [];
  client.on("commandStarted", (event) => commands.push(event));
  const database = newDatabase();
  const store = mongoStoreOn({ current: () => client, close: () => client.close() }, database, readMaxMs);
  stores.push(store);
  await store.prepare();
  commands.length = 0;
  return { store, client, database, commands };
}

test("every write waits for the majority, every read reads what the majority has, and bulks are sorted by id", async () => {
  const { store, commands } = await openWatched();
  await store.transactions.write(
    [3, 1, 2].map((n) => ({ document: conformanceDocument({ uetr: conformanceUetr(n) }), expectedVersion: 0 })),
  );
  await store.transactions.write(
    [3, 1, 2].map((n) => ({ document: conformanceDocument({ uetr: conformanceUetr(n), version: 2 }), expectedVersion: 1 })),
  );
  await store.transactions.load([conformanceUetr(1)]);
  await store.deliveries.insert([conformanceParked({ id: "b" }), conformanceParked({ id: "a" })]);
  await store.deliveries.update(conformanceParked({ id: "b" }), conformanceParked().version);
  await store.deliveries.remove([conformanceParked({ id: "b" })]);
  const held = await store.partitions.takeOver("scheduler", 1);
  await store.partitions.write("scheduler", 1, held, 5n, {});
  const writes = commands.filter(({ commandName }) => ["insert", "update", "delete"].includes(commandName));
  expect(writes.map(({ commandName }) => commandName)).toEqual(["insert", "update", "insert", "update", "delete", "insert", "update"]);
  for (const { command } of writes) expect(command["writeConcern"]).toEqual({ w: "majority" });
  for (const { command } of commands.filter(({ commandName }) => commandName === "find"))
    expect(command["readConcern"]).toEqual({ level: "majority" });
  expect(writes[0]!.command["documents"].map((one: { _id: string }) => one._id)).toEqual([1, 2, 3].map(conformanceUetr));
  expect(writes[1]!.command["updates"].map((one: { q: { _id: string } }) => one.q._id)).toEqual([1, 2, 3].map(conformanceUetr));
  expect(
    writes.every(
      ({ command }) =>
        !JSON.stringify(command, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)).includes('upsert":true'),
    ),
  ).toBe(true);
});

test("a bound of reads goes to the server with each of them, and a store without one gives none", async () => {
  const day = "ZA_EFT:2026-11-20";
  for (const readMaxMs of [undefined, 7_000]) {
    const { store, commands } = await openWatched(readMaxMs);
    const { transactions, builds, deliveries } = store;
    await transactions.write([{ document: conformanceDocument(), expectedVersion: 0 }]);
    await transactions.load([conformanceUetr(1)]);
    await transactions.search({}, null, 10);
    await transactions.newest({}, { aboutMs: 0 }, 10);
    await transactions.totals({});
    await transactions.items(day, null, 10);
    await builds.documents(3, 0, null, 10);
    await deliveries.totals();
    await deliveries.listByReceiver(null, null, 10);
    await store.days.open();
    await store.banks.all();
    await store.ledgers.listByDay(day);
    const reads = commands.filter(({ commandName }) => commandName === "find" || commandName === "aggregate");
    expect(reads.length).toBeGreaterThan(10);
    expect(reads.map(({ command }) => command["maxTimeMS"])).toEqual(reads.map(() => readMaxMs));
  }
});

test("documents hold offsets and amounts as 64-bit integers, times as dates, messages as binary, and the rest as plain fields", async () => {
  const { store, client, database } = await openWatched();
  await store.transactions.write([{ document: conformanceDocument(), expectedVersion: 0 }]);
  const raw = await client
    .db(database)
    .collection("transactions")
    .findOne({}, { promoteValues: false, promoteBuffers: false, useBigInt64: false });
  expect(raw).toMatchObject({
    applied: { _bsontype: "Long" },
    amountTenThousandths: { _bsontype: "Long" },
    receivedAt: new Date(1_795_000_000_123),
    acceptedMessageBytes: { _bsontype: "Binary" },
    state: "HELD",
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
  });
  expect(raw!["partition"]).toMatchObject({ _bsontype: "Int32" });
});

test("I16: open transactions that fit into a page are one question, and more of them are read by their parts, in order", async () => {
  const { store, commands } = await openWatched();
  const uetrs = Array.from({ length: 40 }, (_, n) => conformanceUetr(n + 1));
  await store.transactions.write(uetrs.map((uetr) => ({ document: conformanceDocument({ uetr }), expectedVersion: 0 })));
  commands.length = 0;
  const finds = (): number => commands.filter(({ command }) => command["find"] === "transactions").length;
  const open = async (after: string | null, limit: number): Promise<readonly string[]> =>
    (await store.transactions.open(3, after, limit)).map(({ uetr }) => uetr);
  expect(await open(null, 41)).toEqual(uetrs);
  expect(finds()).toBe(1);
  expect(await open(uetrs[29]!, 11)).toEqual(uetrs.slice(30));
  expect(await open(null, 40)).toEqual(uetrs);
  expect(await open(null, 10)).toEqual(uetrs.slice(0, 10));
  expect(await open(uetrs[9]!, 30)).toEqual(uetrs.slice(10));
});

test("a server that cannot be reached rejects with a retryable fault within seconds", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const store = createMongoStore({ url: `mongodb://127.0.0.1:${port}`, database: "absent", logger: silent });
  stores.push(store);
  await expect(store.transactions.load([conformanceUetr(1)])).rejects.toMatchObject({ code: "store.unavailable", isRetryable: true });
});

test("a write whose answer is lost rejects with an unknown outcome; repeating it gives a conflict", async () => {
  const { port } = new URL(address.replace("mongodb://", "http://"));
  const { hostname } = new URL(address.replace("mongodb://", "http://"));
  await using proxy = await listenProxy(hostname, Number(port || 27_017));
  const store = createMongoStore({
    url: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&retryWrites=false`,
    database: newDatabase(),
    logger: silent,
  });
  stores.push(store);
  await store.prepare();
  const write = { document: conformanceDocument(), expectedVersion: 0 };
  proxy.loseAnswers();
  await expect(store.transactions.write([write])).rejects.toMatchObject({ code: "store.unknown-outcome", isRetryable: true });
  proxy.passAnswers();
  expect(await store.transactions.write([write])).toEqual({ conflicts: [conformanceUetr(1)] });
  expect((await store.transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))).toStrictEqual(conformanceDocument());
});

test("a write that the server refuses for good rejects with a fault that is not retryable", async () => {
  const { store, client, database } = await openWatched();
  await store.transactions.write(
    ["first", "second"].map((bank, n) => ({ document: conformanceDocument({ uetr: conformanceUetr(n), bank }), expectedVersion: 0 })),
  );
  await client.db(database).collection("transactions").createIndex({ bank: 1 }, { unique: true });
  const clash = store.transactions.write([
    { document: conformanceDocument({ uetr: conformanceUetr(1), bank: "first", version: 2 }), expectedVersion: 1 },
  ]);
  await expect(clash).rejects.toMatchObject({ code: "store.refused", isRetryable: false });
});

interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** From now on, cuts a connection when the server answers an insert. */
  loseAnswers(): void;
  passAnswers(): void;
}

/** A TCP proxy that can cut connections between the effect and the answer. */
async function listenProxy(host: string, port: number): Promise<CuttingProxy> {
  const { connect } = await import("node:net");
  let isLosing = false;
  const open = new Set<{ destroy(): void }>();
  const server = createServer((near) => {
    const far = connect(port, host);
    let carriesInsert = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (chunk) => {
      carriesInsert ||= chunk.includes("insert\0");
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (isLosing && carriesInsert) near.destroy();
      else near.write(chunk);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswers: () => void (isLosing = true),
    passAnswers: () => void (isLosing = false),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
