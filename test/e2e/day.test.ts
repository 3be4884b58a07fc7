// Plays a business day of real processes on real servers, and kills each service once. The day is examined from
// outside: by the banks, by the checker over the whole history, and by a plain consumer of the event topic. All is
// secured as by `demo --secured`: TLS everywhere, each service is a user of Kafka and of the store with few rights, and
// personal data is sealed. Operators sign in at a provider and decide by the console's pages.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "@sluice/checker";
import { projectRoot } from "@sluice/environment/run-program";
import { collectHistory, loadDocuments, type ServiceName, serviceNames } from "@sluice/environment";
import { createNarrator, type DemoDay, type DemoEnvironment, openDemoEnvironment, planDemoDay, playDay } from "@sluice/demo";
import { type DecodedRecord, headers, partitionCountDefault, type Serde, topics } from "@sluice/contracts";
import { machineRandom, machineTime, sleep } from "@sluice/kernel";
import { createDataKeys, createSealingSerde } from "@sluice/secrecy";
import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findCanaries, heap, readAtRest, readOpened, segments } from "./secrecy/at-rest.fixture.ts";
import { fillPersonal, listCanaries } from "./secrecy/canaries.ts";
import { environmentWithoutServers } from "./servers.fixture.ts";

const debits = 120;
/** The times of the day, with room for five kills, each followed by a restart and a rebalance. */
const pace = { opensInMs: 30_000, windowMs: 50_000, reconcilesAfterMs: 5_000 };
const opened = new AsyncDisposableStack();
const killed: ServiceName[] = [];
let day: DemoDay;
let stage: DemoEnvironment;
let problems: readonly string[];

beforeAll(async () => {
  const planned = planDemoDay(machineRandom, debits, machineTime.nowMs());
  const transactions = planned.transactions.map((one) => ({ ...one, message: fillPersonal(one.message, machineRandom) }));
  day = { ...planned, transactions };
  const { signal } = new AbortController();
  const narrator = createNarrator(machineTime, () => {});
  opened.defer(() => narrator.stop());
  const ports = { time: machineTime, random: machineRandom, narrator, day, pace, directory: null, isSecured: true, signal };
  stage = opened.use(await openDemoEnvironment({ ...ports, environment: environmentWithoutServers() }));
  const killing = killEachOnce();
  const played = await playDay({ ...stage, time: machineTime, day, narrator, signal, kill: null, isDisturbed: true });
  await killing;
  problems = [...played.problems, ...stage.services.lost()];
}, 400_000);
afterAll(() => opened.disposeAsync());

/** Kills ingress and validator while debits come in, and the other services while debits go out. */
async function killEachOnce(): Promise<void> {
  await killWhen("ingress", "outboundDirectDebit", 0.2);
  await killWhen("validator", "outboundDirectDebit", 0.6);
  await killWhen("scheduler", "inboundDirectDebit", 0.05);
  await killWhen("dispatcher", "inboundDirectDebit", 0.1);
  await killWhen("event-publisher", "inboundDirectDebit", 0.2);
  await killWhen("console", "inboundDirectDebit", 0.3);
}

async function killWhen(service: ServiceName, operation: string, share: number): Promise<void> {
  const wanted = share * debits;
  const seen = (): number => stage.recorded.requests.filter(({ entry }) => entry.operation === operation).length;
  await vi.waitUntil(() => seen() >= wanted, { timeout: 120_000, interval: 10 });
  await stage.services.kill(service);
  killed.push(service);
  await sleep(machineTime, 1_000);
  await stage.services.restart(service);
}

describe("a day of real processes in which each service is killed once", () => {
  test("I1, I3, I5, I10: every debit and credit ended as planned, and its bank received every event", () => {
    expect(killed.toSorted()).toEqual(serviceNames.toSorted());
    expect(problems).toEqual([]);
  });

  test("I1, I3, I4, I5, I6, I8, I10: the checker finds nothing in the whole history", async () => {
    const uetrs = day.transactions.map(({ uetr }) => uetr);
    const documents = await loadDocuments(stage.store.transactions, uetrs);
    const history = await collectHistory({ ...stage, requests: stage.recorded.requests, documents });
    const { violations, counts } = checkHistory(history);
    expect(violations).toEqual([]);
    expect(counts["transactionsFollowed"]).toBe(uetrs.length);
  });

  test("I6: read from offset 0 by a plain consumer, the event topic has stage versions 1…n without a gap and the states of the table", async () => {
    const events = await eventsFromTheStart(stage.connections, stage.serde);
    const once = new Map(events.map((event) => [event.id, event]));
    const byUetr = Map.groupBy(once.values(), ({ uetr }) => uetr);
    for (const debit of day.transactions) {
      const path = (byUetr.get(debit.uetr) ?? []).toSorted((a, b) => a.stageVersion - b.stageVersion);
      expect(path.map(({ stageVersion }) => stageVersion)).toEqual(path.map((_, index) => index + 1));
      expect(paths).toContain(path.map(({ state }) => state).join(" "));
      expect(path.at(-1)?.state).toBe(debit.end.state);
    }
    expect(byUetr.size).toBe(day.transactions.length);
  });
});

test("operators signed in at the provider, and decided by the console's pages with that sign-in alone [D10.110]", async () => {
  const lines = (await readFile(join(stage.directory, "console.log"), "utf8"))
    .split("\n")
    .filter((line) => line.includes('"console.answered"'));
  const answered = lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
  const signedIn = answered.filter(({ operation, status }) => operation === "signIn" && status === 200);
  expect(new Set(signedIn.map(({ caller }) => caller))).toEqual(new Set(["thandi", "sipho"]));
  const made = answered.filter(({ operation }) => ["openGate", "resolveItem", "confirmResolution"].includes(String(operation)));
  expect(new Set(made.map(({ operation }) => operation)).size).toBe(3);
  const others = made.filter(({ tokenId }) => !String(tokenId).startsWith("sign-in-"));
  expect(others).toEqual([]);
});

test("no name, no account number and no free text that a message had stands in clear in log, store, files, logs or metrics [D10.110]", async () => {
  const canaries = listSentCanaries();
  expect(canaries.length).toBeGreaterThan(60);
  await deadLetterSealedRecord();
  const stored = await readAtRest(stage);
  const places = new Set(stored.map(({ where }) => where.replace(/of \d+/, "of a service")));
  const looked = [topics.journal, topics.dispatch, topics.events, topics.deadLetters, topics.transactions, topics.items];
  expect([...places]).toEqual(
    expect.arrayContaining([...looked, "transactions", "scheduler.log", "metrics of a service", segments, heap, "mongo.log"]),
  );
  expect(findCanaries(stored, canaries).slice(0, 10)).toEqual([]);
  // The files and the dump are those of this day.
  const uetr = day.transactions[0]?.uetr ?? "";
  for (const where of [segments, heap]) {
    expect([where, stored.some((one) => one.where === where && Buffer.from(one.bytes).includes(uetr))]).toEqual([where, true]);
  }
  // They are there, sealed: with the keys they are read.
  const opened = await readOpened(stage, stage.serde);
  expect(canaries.filter((canary) => opened.get(topics.journal)?.includes(canary) !== true)).toEqual([]);
  for (const where of [topics.dispatch, topics.events, topics.deadLetters, "transactions"]) {
    expect([where, canaries.some((canary) => opened.get(where)?.includes(canary))]).toEqual([where, true]);
  }
});

test("what is sealed can be read by nobody once its keys are destroyed, and the rest stays [D10.110]", async () => {
  const { sealing } = stage;
  if (sealing === null) throw new Error("the day is not sealed");
  const { keyService, clear } = sealing;
  const scopes = (await keyService.list()).map(({ scope }) => scope);
  for (const scope of scopes) await keyService.destroy(scope);
  const keys = createDataKeys({ service: keyService, time: machineTime });
  const opened = await readOpened(stage, createSealingSerde({ serde: clear, keys }));
  const parts = [...opened].map(([where, text]) => ({ where, bytes: Buffer.from(text) }));
  expect(findCanaries(parts, listSentCanaries())).toEqual([]);
  for (const { uetr } of day.transactions) expect(opened.get(topics.journal)).toContain(uetr);
});

test("after that a rebuild finds the store equal without what is gone, and the console answers what is left [D10.113]", async () => {
  const rebuilt = await rebuild();
  const lines = rebuilt.out.split("\n").flatMap((line): Record<string, unknown>[] => (line === "" ? [] : [JSON.parse(line)]));
  const partitions = lines.filter(({ event }) => event === "partition");
  expect([rebuilt.code, partitions.flatMap(({ differences }) => differences)]).toEqual([0, []]);
  expect(partitions.reduce((sum, { documents }) => sum + Number(documents), 0)).toBe(day.transactions.length);
  // It had the keys in its memory.
  await stage.services.kill("console");
  await stage.services.restart("console");
  const canaries = listSentCanaries();
  for (const { uetr, end } of day.transactions) {
    const shown = await askConsole(`/transactions/${uetr}`);
    expect([shown.status, canaries.filter((canary) => shown.text.includes(canary))]).toEqual([200, []]);
    expect(shown.text).toContain(end.state);
    const [, offset = ""] = /"dispatchOffset":"(\d+)/.exec(shown.text) ?? [];
    const sent = await askConsole(`/transactions/${uetr}/request?of=dispatch&offset=${offset}`);
    expect([uetr, sent.status, sent.text]).toEqual([uetr, 404, expect.stringContaining("cannot be read")]);
  }
});

function listSentCanaries(): readonly string[] {
  const sent = stage.recorded.requests.filter(({ entry }) => entry.kind === "sent");
  return listCanaries(sent.map(({ body }) => JSON.parse(new TextDecoder().decode(body))));
}

/** Copies a sealed message to a partition that is not its own: a dead letter, and its transaction stays as it is. */
async function deadLetterSealedRecord(): Promise<void> {
  const { messaging } = stage;
  for (let partition = 0; partition < partitionCountDefault; partition += 1) {
    const place = { topic: topics.journal, partition };
    const [ends] = await messaging.ends([place]);
    for await (const record of messaging.read(place, 0n, ends?.logEnd ?? 0n)) {
      if (record.headers[headers.type] !== "DirectDebitReceived") continue;
      const { key, value, headers: carried } = record;
      const other = { topic: topics.journal, partition: (partition + 1) % partitionCountDefault };
      const producer = await messaging.producer("e2e-astray");
      await producer.send([{ ...other, key, value, headers: carried }]);
      const countLetters = async (): Promise<bigint> => {
        const letters = await messaging.ends([{ topic: topics.deadLetters, partition: other.partition }]);
        return letters[0]?.logEnd ?? 0n;
      };
      await vi.waitUntil(async () => (await countLetters()) > 0n, { timeout: 60_000, interval: 100 });
      return;
    }
  }
  throw new Error("the journal has no debit");
}

/** `./sluice rebuild`, by a person who has the day's connections. */
async function rebuild(): Promise<{ readonly code: number; readonly out: string }> {
  const { keyringFolder = "" } = stage.sealing ?? {};
  const settings = { SLUICE_CONFIG: join(stage.directory, "sluice.yaml"), SLUICE_KEYRING_FOLDER: keyringFolder };
  const env = { ...environmentWithoutServers(), ...stage.connections, ...settings };
  const program = join(projectRoot, "services", "scheduler", "rebuild", "main.ts");
  return await new Promise((resolve) => {
    execFile(process.execPath, [program], { env, timeout: 120_000 }, (failure, out) => {
      resolve({ code: failure === null ? 0 : typeof failure.code === "number" ? failure.code : -1, out });
    });
  });
}

async function askConsole(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const token = stage.operators[0]?.token ?? "";
  const answer = await fetch(`${stage.controlUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, text: await answer.text() };
}

const paths = [
  "RECEIVED ACCEPTED HELD RELEASED DELIVERED COMPLETED",
  "RECEIVED ACCEPTED HELD RELEASED DELIVERED UNPAID",
  "CREDIT_AUTH_RECEIVED CREDIT_AUTH_ACCEPTED CREDIT_AUTH_DELIVERY_PENDING CREDIT_AUTH_DELIVERED CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_RECEIVED CREDIT_AUTH_ACCEPTED CREDIT_AUTH_DELIVERY_PENDING CREDIT_AUTH_DELIVERED CREDIT_AUTH_RECONCILIATION",
  "CREDIT_AUTH_RECEIVED CREDIT_AUTH_REJECTED",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED COMPLETED",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED UNPAID",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED RECONCILIATION",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED RECONCILIATION",
  "RECEIVED REJECTED REJECTION_REPORTED",
];

interface StateEvent {
  readonly id: string;
  readonly uetr: string;
  readonly stageVersion: number;
  readonly state: string;
}

/** Reads the event topic with kafkajs, as an analyst would, and uses nothing of Sluice but its schemas. */
async function eventsFromTheStart(settings: DemoEnvironment["connections"], serde: Serde): Promise<readonly StateEvent[]> {
  const read = (name: string): string => readFileSync(settings[name] ?? "", "utf8");
  const kafka = new Kafka({
    brokers: (settings["KAFKA_BROKERS"] ?? "").split(","),
    ssl: { ca: read("KAFKA_TLS_CA_FILE"), cert: read("KAFKA_TLS_CERTIFICATE_FILE"), key: read("KAFKA_TLS_KEY_FILE"), servername: "" },
    sasl: { mechanism: "scram-sha-512", username: settings["KAFKA_SASL_USERNAME"] ?? "", password: read("KAFKA_SASL_PASSWORD_FILE") },
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topics.events);
  await admin.disconnect();
  const wanted = ends.reduce((sum, { offset, low }) => sum + Number(offset) - Number(low), 0);
  const consumer = kafka.consumer({ groupId: `e2e-${machineTime.nowMs()}` });
  await consumer.connect();
  await consumer.subscribe({ topic: topics.events, fromBeginning: true });
  const values: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          if (message.value !== null) values.push(message.value);
          if (values.length === wanted) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return values.map((value) => {
    const decoded: DecodedRecord = serde.decode(value);
    if (decoded.name !== "TransactionStateEvent") throw new Error(`${decoded.name} in the event topic`);
    return decoded.value as StateEvent;
  });
}
