// Names and account numbers of a day, and where they could stand in clear: in records, documents, logs and metrics.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DemoEnvironment } from "@sluice/demo";
import { serviceNames } from "@sluice/environment";
import { partitionCountDefault, partitionedTopics, type Serde, topics } from "@sluice/contracts";
import { MongoClient } from "mongodb";

export interface Stored {
  readonly where: string;
  readonly bytes: Uint8Array;
}

const charactersMin = 6;
const canariesMax = 80;

/** What the senders of messages wrote about people: a part of it, evenly from the whole day. */
export function listCanaries({ requests }: DemoEnvironment["recorded"]): readonly string[] {
  const sent = requests.filter(({ entry }) => entry.kind === "sent");
  const found = sent.flatMap(({ body }) => listPersonal(JSON.parse(new TextDecoder().decode(body))));
  const all = [...new Set(found)].filter((text) => text.length >= charactersMin);
  const step = Math.ceil(all.length / canariesMax);
  return all.filter((_, index) => index % step === 0);
}

function listPersonal(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value === "string") return isPersonal(path) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => listPersonal(one, [...path, name]));
}

function isPersonal(path: readonly string[]): boolean {
  const name = path.at(-1) ?? "";
  const isOfParty = path.some((part) => part === "debtor" || part === "creditor");
  const isAccount = path.some((part) => part === "debtorAccount" || part === "creditorAccount");
  return (isOfParty && name === "legalName") || (isAccount && path.slice(-2).join(".") === "identification.value");
}

/** Everything of a day that stands at rest or is shown to operators of machines. */
export async function readAtRest(stage: DemoEnvironment): Promise<readonly Stored[]> {
  const logs = serviceNames.map((name) => `${name}.log`);
  const written = await Promise.all(logs.map(async (name) => ({ where: name, bytes: await readFile(join(stage.directory, name)) })));
  return [...(await readRecords(stage)), ...(await readDocuments(stage)), ...written, ...(await readMetrics(written))];
}

async function readRecords({ messaging }: DemoEnvironment): Promise<readonly Stored[]> {
  const stored: Stored[] = [];
  for (const topic of partitionedTopics) {
    for (let partition = 0; partition < partitionCountDefault; partition += 1) {
      const place = { topic, partition };
      const [end] = await messaging.ends([place]);
      if (end === undefined || end.logEnd === 0n) continue;
      for await (const { key, value, headers } of messaging.read(place, end.logStart, end.logEnd)) {
        const parts = [key, value, ...Object.entries(headers).flat()].map((part) => Buffer.from(part ?? ""));
        stored.push({ where: topic, bytes: Buffer.concat(parts) });
      }
    }
  }
  return stored;
}

/** What the journal says to who has the keys. */
export async function readOpened({ messaging }: DemoEnvironment, serde: Serde): Promise<string> {
  const texts: string[] = [];
  for (let partition = 0; partition < partitionCountDefault; partition += 1) {
    const place = { topic: topics.journal, partition };
    const [end] = await messaging.ends([place]);
    if (end === undefined || end.logEnd === 0n) continue;
    for await (const { value } of messaging.read(place, end.logStart, end.logEnd)) {
      if (value === null) continue;
      await serde.learn(value);
      texts.push(JSON.stringify(serde.decode(value), (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)));
    }
  }
  return texts.join("\n");
}

async function readDocuments({ connections }: DemoEnvironment): Promise<readonly Stored[]> {
  const setting = (name: string): string => connections[name] ?? "";
  const ca = await readFile(setting("MONGO_TLS_CA_FILE"));
  const auth = { username: setting("MONGO_USERNAME"), password: await readFile(setting("MONGO_PASSWORD_FILE"), "utf8") };
  await using client = new MongoClient(setting("MONGO_URL"), { tls: true, ca, auth });
  const stored: Stored[] = [];
  for (const collection of await client.db(setting("SLUICE_DATABASE")).collections()) {
    for await (const document of collection.find({}, { raw: true })) {
      stored.push({ where: collection.collectionName, bytes: document as unknown as Uint8Array });
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

export function findCanaries(stored: readonly Stored[], canaries: readonly string[]): readonly string[] {
  return [...Map.groupBy(stored, ({ where }) => where)].flatMap(([where, parts]) => {
    const all = Buffer.concat(parts.map(({ bytes }) => bytes));
    return canaries.filter((canary) => all.includes(canary)).map((canary) => `${where}: ${canary}`);
  });
}
