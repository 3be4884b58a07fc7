import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { expect, test } from "vitest";
import { isAlive } from "./process-identity.ts";
import { type Servers, startServers } from "./start-servers.ts";

/** The machine's environment without the servers of this test run. */
const environment = { ...process.env, KAFKA_BROKERS: "", SCHEMA_REGISTRY_URL: "", MONGO_URL: "" };

/** Enough for starts on a machine under load, and for the first one, which writes an archive of classes at its end. */
const timeout = 180_000;

const alive = async (pid: number) => isAlive({ pid, host: hostname(), startedAt: null });

async function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address.includes("://") ? address : `tcp://${address}`);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

const listAddresses = (servers: Servers) => [servers.kafkaBrokers, servers.schemaRegistryUrl, servers.mongoUrl];

test("all three servers start on the loopback address and answer, and after stop nothing is left", { timeout }, async () => {
  const servers = await startServers({ storage: "memory", purpose: "int", environment });
  const addresses = listAddresses(servers);
  expect(addresses.every((address) => address.includes("127.0.0.1:"))).toBe(true);
  expect(await Promise.all(addresses.map(isListening))).toEqual([true, true, true]);
  await servers.stop();
  expect(await Promise.all(addresses.map(isListening))).toEqual([false, false, false]);
  expect(await Promise.all(servers.started.map(({ pid }) => alive(pid)))).toEqual([false, false, false]);
  expect(existsSync(servers.directory)).toBe(false);
});

test("addresses in the environment are used unchanged, and nothing is started for them", async () => {
  const given = { ...process.env, KAFKA_BROKERS: "a:1,b:2", SCHEMA_REGISTRY_URL: "http://r/apis", MONGO_URL: "mongodb://m" };
  const servers = await startServers({ storage: "memory", environment: given });
  expect(listAddresses(servers)).toEqual(["a:1,b:2", "http://r/apis", "mongodb://m"]);
  expect(servers.started).toEqual([]);
  await servers.stop();
});

test("with file storage data and ports survive a restart", { timeout }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "sluice servers-"));
  const first = await startServers({ directory, storage: "file", environment });
  await withMongo(first.mongoUrl, async (client) => client.db("t").collection("c").insertOne({ n: 7 }));
  await first.stop();
  const second = await startServers({ directory, storage: "file", environment });
  expect(listAddresses(second)).toEqual(listAddresses(first));
  expect(await withMongo(second.mongoUrl, async (client) => client.db("t").collection("c").findOne({ n: 7 }))).toMatchObject({ n: 7 });
  await second.stop();
  await rm(directory, { recursive: true });
});

test("servers of a run that was killed are ended by the next run", { timeout }, async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("start-servers.fixture.ts", import.meta.url))], {
    env: { ...process.env, MONGO_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const left = JSON.parse(line) as Pick<Servers, "started" | "directory">;
  child.kill("SIGKILL");
  await once(child, "close");
  const pids = left.started.map(({ pid }) => pid);
  expect(await Promise.all(pids.map(alive))).toEqual([true]);
  const given = { ...process.env, KAFKA_BROKERS: "a:1", SCHEMA_REGISTRY_URL: "http://r", MONGO_URL: "mongodb://m" };
  const next = await startServers({ storage: "memory", environment: given });
  expect(await Promise.all(pids.map(alive))).toEqual([false]);
  expect(existsSync(left.directory)).toBe(false);
  await next.stop();
});

async function withMongo<T>(url: string, action: (client: MongoClient) => Promise<T>): Promise<T> {
  await using client = new MongoClient(url);
  return await action(client);
}
