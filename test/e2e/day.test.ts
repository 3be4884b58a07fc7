// Plays a business day of real processes on real servers, and kills each service once. The day is examined from
// outside: by the banks, by the checker over the whole history, and by a plain consumer of the event topic. All is
// secured as by `demo --secured`: TLS everywhere, each service is a user of Kafka and of the store with few rights, and
// personal data is sealed. Operators sign in at a provider and decide by the console's pages.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHistory } from "@sluice/checker";
import { collectHistory, loadDocuments, type ServiceName, serviceNames } from "@sluice/environment";
import { createNarrator, type DemoDay, type DemoEnvironment, openDemoEnvironment, planDemoDay, playDay } from "@sluice/demo";
import { type DecodedRecord, type Serde, topics } from "@sluice/contracts";
import { machineRandom, machineTime, sleep } from "@sluice/kernel";
import { createDataKeys, createSealingSerde } from "@sluice/secrecy";
import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findCanaries, listCanaries, readAtRest, readOpened } from "./canaries.fixture.ts";
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
  day = planDemoDay(machineRandom, debits, machineTime.nowMs());
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

test("no name and no account number that a message had stands in clear in log, store, process logs or metrics [D10.110]", async () => {
  const canaries = listCanaries(stage.recorded);
  expect(canaries.length).toBeGreaterThan(40);
  const stored = await readAtRest(stage);
  const places = new Set(stored.map(({ where }) => where.replace(/of \d+/, "of a service")));
  expect([...places]).toEqual(
    expect.arrayContaining([topics.journal, topics.dispatch, topics.events, "transactions", "scheduler.log", "metrics of a service"]),
  );
  expect(findCanaries(stored, canaries).slice(0, 10)).toEqual([]);
  // They are there, sealed: with the keys they are read.
  const opened = await readOpened(stage, stage.serde);
  expect(canaries.filter((canary) => !opened.includes(canary))).toEqual([]);
});

test("what is sealed can be read by nobody once its keys are destroyed, and the rest stays [D10.110]", async () => {
  const { sealing, recorded } = stage;
  if (sealing === null) throw new Error("the day is not sealed");
  const { keyService, clear } = sealing;
  const scopes = (await keyService.list()).map(({ scope }) => scope);
  for (const scope of scopes) await keyService.destroy(scope);
  const opened = await readOpened(
    stage,
    createSealingSerde({ serde: clear, keys: createDataKeys({ service: keyService, time: machineTime }) }),
  );
  expect(findCanaries([{ where: "the journal", bytes: Buffer.from(opened) }], listCanaries(recorded))).toEqual([]);
  for (const { uetr } of day.transactions) expect(opened).toContain(uetr);
});

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
