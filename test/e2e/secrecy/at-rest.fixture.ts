// All that a day leaves: records, documents, logs of processes, metrics, the files of the servers, the store's memory.
//
// #1 A batch of records may be compressed in its file, so each record is read by a consumer too. The files have what no
//    consumer sees: snapshots, indexes, the metadata log, the servers' own logs.
// #2 The store of tests keeps its documents in memory: they are looked for in a dump of its heap.

import { execFile } from "node:child_process";
import { readdir, readFile, realpath, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { DemoEnvironment } from "@sluice/demo";
import { serviceNames } from "@sluice/environment";
import { findJava, readRecord } from "@sluice/local-servers";
import type { Messaging } from "@sluice/messaging";
import { partitionCountDefault, partitionedTopics, type Serde } from "@sluice/contracts";
import { MongoClient } from "mongodb";

export interface Stored {
  readonly where: string;
  readonly bytes: Uint8Array;
}

export const segments = "segments of Kafka";
export const heap = "heap of the store";

/** Everything of a day that stands at rest or is shown to operators of machines. */
export async function readAtRest(stage: DemoEnvironment): Promise<readonly Stored[]> {
  const logs = serviceNames.map((name) => `${name}.log`);
  const written = await Promise.all(logs.map(async (name) => ({ where: name, bytes: await readFile(join(stage.directory, name)) })));
  const documents = await readDocuments(stage);
  return [
    ...(await readRecords(stage.messaging, partitionCountDefault)),
    ...documents.map(({ where, document }) => ({ where, bytes: Buffer.from(listTexts(document).join("\n")) })),
    ...documents.flatMap(({ where, document }) => listBytes(document).map((bytes) => ({ where, bytes }))),
    ...(await readMetrics(written)),
    ...(await readFiles(stage.directory)),
    await dumpStore(stage.directory),
  ];
}

interface FoundRecord extends Stored {
  readonly value: Uint8Array | null;
}

async function readRecords(messaging: Pick<Messaging, "ends" | "read">, partitionCount: number): Promise<readonly FoundRecord[]> {
  const stored: FoundRecord[] = [];
  for (const topic of partitionedTopics) {
    for (let partition = 0; partition < partitionCount; partition += 1) {
      const place = { topic, partition };
      const [end] = await messaging.ends([place]);
      if (end === undefined || end.logEnd === end.logStart) continue;
      for await (const { key, value, headers } of messaging.read(place, end.logStart, end.logEnd)) {
        const parts = [key, value, ...Object.entries(headers).flat()].map((part) => Buffer.from(part ?? ""));
        stored.push({ where: topic, value, bytes: Buffer.concat(parts) });
      }
    }
  }
  return stored;
}

/** What every topic says to who has the keys, by topic. */
export async function readOpenedRecords(
  messaging: Pick<Messaging, "ends" | "read">,
  serde: Serde,
  partitionCount: number,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string[]>();
  for (const { where, value } of await readRecords(messaging, partitionCount)) {
    texts.set(where, [...(texts.get(where) ?? []), ...(await openTexts(value, serde))]);
  }
  return joinAll(texts);
}

/** What every topic and every collection says to who has the keys, by their names. */
export async function readOpened(stage: DemoEnvironment, serde: Serde): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string[]>();
  for (const { where, document } of await readDocuments(stage)) {
    texts.set(where, [...(texts.get(where) ?? []), ...(await openTexts(document, serde))]);
  }
  return new Map([...(await readOpenedRecords(stage.messaging, serde, partitionCountDefault)), ...joinAll(texts)]);
}

function joinAll(texts: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> {
  return new Map([...texts].map(([where, all]) => [where, all.join("\n")]));
}

/** The texts of a value, also of each record in it that can be opened. */
async function openTexts(value: unknown, serde: Serde): Promise<readonly string[]> {
  const texts = [...listTexts(value)];
  for (const bytes of listBytes(value)) {
    const decoded = await openRecord(bytes, serde);
    texts.push(...(decoded === null ? [Buffer.from(bytes).toString()] : await openTexts(decoded, serde)));
  }
  return texts;
}

/** Null: they are no record. */
async function openRecord(bytes: Uint8Array, serde: Serde): Promise<object | null> {
  const recordBytesMin = 5;
  if (bytes.length < recordBytesMin || bytes[0] !== 0) return null;
  await serde.learn(bytes);
  return serde.decode(bytes).value;
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...listTexts(one)]);
}

function listBytes(value: unknown): readonly Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap((one) => listBytes(one)) : [];
}

interface FoundDocument {
  readonly where: string;
  readonly document: object;
}

async function readDocuments({ connections }: DemoEnvironment): Promise<readonly FoundDocument[]> {
  const setting = (name: string): string => connections[name] ?? "";
  const ca = await readFile(setting("MONGO_TLS_CA_FILE"));
  const auth = { username: setting("MONGO_USERNAME"), password: await readFile(setting("MONGO_PASSWORD_FILE"), "utf8") };
  await using client = new MongoClient(setting("MONGO_URL"), { tls: true, ca, auth });
  const stored: FoundDocument[] = [];
  for (const collection of await client.db(setting("SLUICE_DATABASE")).collections()) {
    for await (const document of collection.find({}, { promoteBuffers: true })) {
      stored.push({ where: collection.collectionName, document });
    }
  }
  return stored;
}

async function readMetrics(logs: readonly Stored[]): Promise<readonly Stored[]> {
  const ports = logs.flatMap(({ bytes }) => /.*"opsPort":(\d+)/s.exec(new TextDecoder().decode(bytes))?.[1] ?? []);
  return await Promise.all(
    ports.map(async (port) => {
      const answer = await fetch(`https://127.0.0.1:${port}/metrics`);
      return { where: `metrics of ${port}`, bytes: new Uint8Array(await answer.arrayBuffer()) };
    }),
  );
}

/** #1 All files of the run: logs of the services and the servers, segments, configuration. */
async function readFiles(directory: string): Promise<readonly Stored[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(
    files.map(async (path) => {
      const name = relative(directory, path);
      // Kafka removes a file at any time.
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      return { where: name.endsWith(".log") && dirname(name) !== "." ? segments : name, bytes };
    }),
  );
}

/** #2 */
async function dumpStore(directory: string): Promise<Stored> {
  const store = readRecord(directory)?.processes.find(({ name }) => name === "mongo");
  if (store === undefined) throw new Error("this run started no store");
  const { java } = await findJava(process.env);
  const path = join(directory, "store.hprof");
  try {
    await promisify(execFile)(join(dirname(await realpath(java)), "jcmd"), [String(store.pid), "GC.heap_dump", path]);
    return { where: heap, bytes: await readFile(path) };
  } finally {
    await rm(path, { force: true });
  }
}

export function findCanaries(stored: readonly Stored[], canaries: readonly string[]): readonly string[] {
  return [...Map.groupBy(stored, ({ where }) => where)].flatMap(([where, parts]) => {
    const all = parts.length === 1 ? Buffer.from(parts[0]?.bytes ?? []) : Buffer.concat(parts.map(({ bytes }) => bytes));
    return canaries.filter((canary) => all.includes(canary)).map((canary) => `${where}: ${canary}`);
  });
}
