// The local store with users, rights and TLS, asked by MongoDB's own driver, and by a client that knows only the old
// kinds of messages.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "@sluice/local-servers";
import { securedMongo, storeUsersFile } from "@sluice/local-servers/secured-mongo";
import { type StorePrivilege, type StoreUser, writeStoreUsers } from "@sluice/local-servers/store-users";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { BSON, MongoClient, type MongoClientOptions, MongoServerError } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";

const database = "guarded";
const unauthorized = 13;
const authenticationFailed = 18;
const [ours, others] = ["Ours", "Others"].map((name) => createCertificateAuthority(name, machineTime.nowMs()));
const opened = new AsyncDisposableStack();

const on = (collection: string, ...actions: readonly string[]): StorePrivilege => ({ resource: { db: database, collection }, actions });
const userWith = (user: string, privileges: StoreUser["privileges"]): StoreUser => ({ user, password: `secret-of-${user}`, privileges });
const root = userWith("root", null);

async function start(users: readonly StoreUser[], isTls: boolean) {
  const folder = await mkdtemp(join(tmpdir(), "sluice-store-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const { certificatePem, keyPem } = ours!.issue({ name: "store", hosts: ["127.0.0.1"] });
  const [certificateFile, keyFile] = [join(folder, "store.pem"), join(folder, "store-key.pem")];
  await writeFile(certificateFile, certificatePem);
  await writeFile(keyFile, keyPem);
  const tls = isTls ? { certificateFile, keyFile, authorityPem: ours!.pem } : null;
  const environment = { ...process.env, KAFKA_BROKERS: "a:1", SCHEMA_REGISTRY_URL: "http://r", MONGO_URL: "" };
  const directory = join(folder, "servers");
  const servers = await startServers({ storage: "memory", directory, environment, secured: [securedMongo({ users, tls })] });
  opened.defer(() => servers.stop());
  return { url: servers.mongoUrl, usersFile: storeUsersFile(directory) };
}

type Started = Awaited<ReturnType<typeof start>>;
let plain: Started;
let overTls: Started;
beforeAll(async () => {
  [plain, overTls] = await Promise.all([start([root], false), start([root], true)]);
}, 180_000);
afterAll(() => opened.disposeAsync());

function openClient(url: string, user: string | null, options: MongoClientOptions = {}): MongoClient {
  const auth = user === null ? {} : { auth: { username: user, password: `secret-of-${user}` } };
  return opened.use(new MongoClient(url, { ...auth, serverSelectionTimeoutMS: 5_000, ...options }));
}

/** 0: it was done. */
async function codeOf(asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    () => 0,
    (error: unknown) => (error instanceof MongoServerError ? error.code : error),
  );
}

const findOne = (client: MongoClient): Promise<unknown> => client.db(database).collection("c").findOne({});

test("a login by SCRAM-SHA-256 is taken, and any other is refused", async () => {
  expect(await codeOf(findOne(openClient(plain.url, "root")))).toBe(0);
  expect(await codeOf(findOne(openClient(plain.url, null)))).toBe(unauthorized);
  expect(await codeOf(findOne(openClient(plain.url, "nobody")))).toBe(authenticationFailed);
  const wrong = { auth: { username: "root", password: "secret-of-nobody" } };
  expect(await codeOf(findOne(openClient(plain.url, null, wrong)))).toBe(authenticationFailed);
  expect(await codeOf(findOne(openClient(plain.url, "root", { authMechanism: "SCRAM-SHA-1" })))).toBe(authenticationFailed);
  expect(await codeOf(findOne(openClient(plain.url, "root", { authSource: "other" })))).toBe(authenticationFailed);
});

test("over TLS a client that trusts the authority logs in; another one, and one without TLS, gets no answer", async () => {
  const brief = { serverSelectionTimeoutMS: 1_000 };
  expect(await codeOf(findOne(openClient(overTls.url, "root", { tls: true, ca: ours!.pem })))).toBe(0);
  for (const options of [{ tls: true, ca: others!.pem }, {}]) {
    expect(await codeOf(findOne(openClient(overTls.url, "root", { ...options, ...brief })))).toMatchObject({
      name: "MongoServerSelectionError",
    });
  }
});

/** What each action lets one do; nothing that is not named here is done by anybody but root. */
const commands: readonly (readonly [string, BSON.Document, readonly string[]])[] = [
  ["find", { find: "c" }, ["find"]],
  ["count", { count: "c" }, ["find"]],
  ["distinct", { distinct: "c", key: "n" }, ["find"]],
  ["aggregate", { aggregate: "c", pipeline: [{ $match: {} }], cursor: {} }, ["find"]],
  ["insert", { insert: "c", documents: [{ n: 1 }] }, ["insert"]],
  ["update", { update: "c", updates: [{ q: { n: 0 }, u: { $set: { n: 1 } } }] }, ["update"]],
  ["upsert", { update: "c", updates: [{ q: { n: 2 }, u: { $set: { n: 2 } }, upsert: true }] }, ["update", "insert"]],
  ["delete", { delete: "c", deletes: [{ q: { n: 3 }, limit: 1 }] }, ["remove"]],
  ["findAndModify, updating", { findAndModify: "c", query: { n: 0 }, update: { $set: { n: 0 } } }, ["find", "update"]],
  ["findAndModify, removing", { findAndModify: "c", query: { n: 3 }, remove: true }, ["find", "remove"]],
  [
    "findAndModify, upserting",
    { findAndModify: "c", query: { n: 4 }, update: { $set: { n: 4 } }, upsert: true },
    ["find", "update", "insert"],
  ],
  ["createIndexes", { createIndexes: "c", indexes: [{ key: { n: 1 }, name: "n" }] }, ["createIndex"]],
  ["listIndexes", { listIndexes: "c" }, ["listIndexes"]],
  ["listCollections", { listCollections: 1 }, ["listCollections"]],
  ["drop", { drop: "c" }, ["dropCollection"]],
];
const actions = [...new Set(commands.flatMap(([, , needed]) => needed))];

test.each(commands)("%s needs each of its actions and no other", async (_, command, needed) => {
  const may = async (allowed: readonly string[]): Promise<unknown> => {
    const privileges = [on("c", ...allowed), on("", ...allowed.filter((action) => action === "listCollections"))];
    await writeStoreUsers(plain.usersFile, [root, userWith("one", privileges)]);
    await openClient(plain.url, "root").db(database).collection("c").insertOne({ n: 9 });
    return await codeOf(openClient(plain.url, "one").db(database).command(command));
  };
  expect(await may(needed)).toBe(0);
  for (const action of needed) expect([action, await may(actions.filter((one) => one !== action))]).toEqual([action, unauthorized]);
});

test.each<readonly [string, BSON.Document, string]>([
  ["another collection", { find: "other" }, database],
  ["another database", { find: "c" }, "other"],
  ["a stage that reads another collection", { aggregate: "c", pipeline: [{ $lookup: { from: "other" } }], cursor: {} }, database],
  ["a stage that writes another collection", { aggregate: "c", pipeline: [{ $out: "other" }], cursor: {} }, database],
  ["an index that names another collection", { createIndexes: "c", indexes: [{ key: { n: 1 }, name: "n", ns: "guarded.o" }] }, database],
  ["dropping the database", { dropDatabase: 1 }, database],
  ["renaming", { renameCollection: "guarded.c", to: "guarded.d" }, "admin"],
  ["listing databases", { listDatabases: 1 }, "admin"],
  ["the server's status", { serverStatus: 1 }, "admin"],
  ["a command that nobody knows", { unheardOf: "c" }, database],
])("who may do everything with one collection is refused %s", async (_, command, at) => {
  await writeStoreUsers(plain.usersFile, [root, userWith("one", [on("c", ...actions)])]);
  expect(await codeOf(openClient(plain.url, "one").db(at).command(command))).toBe(unauthorized);
});

test("rights change at once, also for who is logged in, and a user that is gone may do nothing", async () => {
  await writeStoreUsers(plain.usersFile, [root, userWith("one", [on("c", "find")])]);
  const client = openClient(plain.url, "one");
  expect(await codeOf(findOne(client))).toBe(0);
  await writeStoreUsers(plain.usersFile, [root, userWith("one", [on("c", "insert")])]);
  expect(await codeOf(findOne(client))).toBe(unauthorized);
  await writeStoreUsers(plain.usersFile, [root]);
  expect(await codeOf(findOne(client))).toBe(unauthorized);
  await writeFile(plain.usersFile, "{");
  expect(await codeOf(findOne(openClient(overTls.url, "root", { tls: true, ca: ours!.pem })))).toBe(0);
  expect(await codeOf(findOne(client))).toBe(unauthorized);
  await writeStoreUsers(plain.usersFile, [root]);
});

test("the rest of a cursor is handed to the user that opened it, on the collection that it was opened on", async () => {
  const users = [root, userWith("one", [on("c", "find")]), userWith("two", [on("c", "find"), on("d", "find")])];
  await writeStoreUsers(plain.usersFile, users);
  const clients = ["root", "one", "two"].map((user) => openClient(plain.url, user).db(database));
  const [asRoot, asOne, asTwo] = clients;
  await asRoot!.collection("c").insertMany(Array.from({ length: 5 }, (_, n) => ({ n })));
  const begun = await asOne!.command({ find: "c", batchSize: 1 }, { promoteLongs: false });
  const getMore: unknown = begun["cursor"].id;
  expect(await codeOf(asTwo!.command({ getMore, collection: "c", batchSize: 1 }))).toBe(unauthorized);
  expect(await codeOf(asOne!.command({ getMore, collection: "d", batchSize: 1 }))).toBe(unauthorized);
  expect(await codeOf(asTwo!.command({ killCursors: "c", cursors: [getMore] }))).toBe(unauthorized);
  expect(await codeOf(asOne!.command({ getMore, collection: "c", batchSize: 1 }))).toBe(0);
  expect(await codeOf(asOne!.command({ killCursors: "c", cursors: [getMore] }))).toBe(0);
});

/** Sends an OP_QUERY, the message of drivers before 2017, and returns the answer's document. Null: it was cut off. */
async function query(url: string, name: string, document: BSON.Document): Promise<BSON.Document | null> {
  const { hostname, port } = new URL(url.replace(/^mongodb:/, "http:"));
  const body = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(`${name}\0`),
    Buffer.alloc(4),
    Buffer.from([1, 0, 0, 0]),
    BSON.serialize(document),
  ]);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(2004, 12);
  const socket = connect(Number(port), hostname);
  opened.defer(() => void socket.destroy());
  socket.write(Buffer.concat([header, body]));
  const [answer] = (await Promise.race([once(socket, "data"), once(socket, "close").then(() => [null])])) as [Buffer | null];
  return answer === null ? null : BSON.deserialize(answer.subarray(36));
}

test("a connection that asks by an old kind of message is cut off, but for the first greeting", async () => {
  expect(await query(plain.url, "admin.$cmd", { isMaster: 1 })).toMatchObject({ ok: 1 });
  for (const [name, document] of [
    ["guarded.$cmd", { find: "c" }],
    ["guarded.$cmd", { count: "c" }],
    ["admin.$cmd", { serverStatus: 1 }],
    ["admin.$cmd.sys.inprog", {}],
    ["guarded.c", {}],
  ] as const) {
    expect([name, document, await query(plain.url, name, document)]).toEqual([name, document, null]);
  }
});
