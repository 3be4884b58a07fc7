// The console on a real port, with the log and the store of real servers (`./sluice test` starts them). A scheduler's work is done by hand.

import { randomUUID } from "node:crypto";
import { controlAnswers, controlPrefix, fixedSerde, lanesDefault, outgoingRecord, partitionOf, topics } from "@sluice/contracts";
import { listen, listenLimitsDefault, type Connection } from "@sluice/http";
import { createKafkaMessaging, provisionTopics, topicSpecs } from "@sluice/messaging";
import { machineTime } from "@sluice/runtime";
import { createMongoStore, noSearchTerms } from "@sluice/store";
import { createMetrics, silentLog } from "@sluice/telemetry";
import { sampleBank, sampleConfiguration, sampleOperator, sampleToken, seededRandom } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bodyText, debitIn, jsonOf, stateEvent } from "./given.ts";
import { dayAfter, itemOf, plan, transactionIn } from "./given-control.ts";
import { startConsole } from "./service.ts";

const { KAFKA_BROKERS: brokers, MONGO_URL: mongoUrl } = process.env;
if (brokers === undefined || mongoUrl === undefined)
  throw new Error("KAFKA_BROKERS or MONGO_URL is not set. ./sluice test starts servers.");

const opened = new AsyncDisposableStack();
const connection = { brokers: brokers.split(","), clientId: "console-test" };
const log = silentLog;
const time = machineTime;
const messaging = createKafkaMessaging({ connection, time, log });
opened.defer(() => messaging.close());
const store = createMongoStore({ url: mongoUrl, database: `console_test_${randomUUID()}`, log });
opened.defer(() => store.close());
const laneOf = (key: string): number => partitionOf(key, lanesDefault);
// In another lane than the decision below, which nobody passes there.
const uetrs = Array.from({ length: 100 }, () => randomUUID());
const uetr = uetrs.find((one) => laneOf(one) !== laneOf("bank:second")) ?? "";
const lane = laneOf(uetr);
let url = "";
let controlUrl = "";

beforeAll(async () => {
  await provisionTopics({ connection, specs: topicSpecs({ lanes: lanesDefault, replication: 1, minInsync: 1 }), log });
  await store.prepare();
  const configuration = sampleConfiguration({
    banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "632005" })],
    operators: [sampleOperator()],
  });
  const metrics = createMetrics({ withProcess: false });
  const ports = { time, random: seededRandom("console"), log, metrics, messaging, store, serde: fixedSerde(), configuration };
  const desk = await startConsole({ ...ports, lanes: lanesDefault });
  opened.defer(() => desk.stop());
  const fetch = (request: Request, on: Connection): Promise<Response> => desk.fetch(request, on);
  const listening = await listen({ fetch, host: "127.0.0.1", port: 0, limits: listenLimitsDefault, log });
  opened.defer(() => listening.close(0));
  url = `http://127.0.0.1:${listening.port}`;
  const fetchControl = (request: Request, on: Connection): Promise<Response> => desk.fetchControl(request, on);
  const control = await listen({ fetch: fetchControl, host: "127.0.0.1", port: 0, limits: listenLimitsDefault, log });
  opened.defer(() => control.close(0));
  controlUrl = `http://127.0.0.1:${control.port}`;
  await vi.waitUntil(() => desk.readiness().isReady);
});
afterAll(() => opened.disposeAsync());

function ask(path: string, caller = "first"): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${sampleToken(caller)}` } });
}

test("not known is 503 until the lane's position reaches the log's end, then 404 with a time by the broker's clock", async () => {
  const { epoch } = await store.lanes.takeOver("scheduler", lane);
  const producer = await messaging.producer("console-test");
  const decoded = { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } } as const;
  const [appended] = await producer.send([outgoingRecord(fixedSerde(), topics.journal, uetr, decoded, { lanes: lanesDefault })]);
  const early = await ask(`/transactions/${uetr}`);
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
  await store.lanes.write("scheduler", lane, epoch, appended!.offset + 1n);
  const answer = await ask(`/transactions/${uetr}`);
  const { notKnownAsOf } = await jsonOf(answer);
  expect(answer.status).toBe(404);
  expect(Temporal.Instant.from(String(notKnownAsOf)).epochMilliseconds).toBeGreaterThanOrEqual(appended!.appendedAtMs);
});

test("a decision of an operator is in the journal when it is answered 202, and what became of it is asked under its id", async () => {
  const key = "bank:second";
  const body = JSON.stringify({ reason: "ticket 4711" });
  const headers = { authorization: `Bearer ${sampleToken("operator")}`, "content-type": "application/json", "idempotency-key": "a-1" };
  const answer = await fetch(`${controlUrl}/control/v1/banks/second/pause`, { method: "POST", headers, body });
  const accepted = await jsonOf(answer);
  expect([answer.status, accepted]).toMatchObject([202, { action: "a-1", key, partition: partitionOf(key, lanesDefault) }]);
  const from = BigInt(String(accepted["offset"]));
  const found = [];
  const partition = { topic: topics.journal, partition: partitionOf(key, lanesDefault) };
  for await (const record of messaging.read(partition, from, from + 1n)) found.push(fixedSerde().decode(record.value ?? new Uint8Array()));
  expect(found).toMatchObject([
    { name: "BankPauseRequested", value: { bank: "second", action: { id: "a-1", operator: "operator", reason: "ticket 4711" } } },
  ]);
  const asked = await fetch(`${controlUrl}/control/v1/actions/a-1?key=${key}`, { headers });
  expect(asked.status).toBe(404);
  expect((await fetch(`${url}/control/v1/banks`, { headers })).status).toBe(404);
});

test("the sender is told state and events as they lie in store and log, and another bank that there is nothing", async () => {
  const atMs = time.nowMs();
  const debit = debitIn(["RECEIVED", "ACCEPTED"]);
  const transitions = debit.transitions.map((transition) => ({ ...transition, atMs }));
  const document = {
    transaction: { ...debit, uetr, lane, transitions },
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
  };
  await store.transactions.write([{ document, expectedVersion: 0 }]);
  const producer = await messaging.producer("console-test-events");
  await producer.send([1, 2].map((stage) => outgoingRecord(fixedSerde(), topics.events, uetr, stateEvent(stage), { lanes: lanesDefault })));
  expect(await jsonOf(await ask(`/transactions/${uetr.toUpperCase()}`))).toMatchObject({ uetr, state: "ACCEPTED", stageVersion: 2 });
  const events = await ask(`/transactions/${uetr}/events?from=2`);
  expect(await events.text()).toBe(
    `{"schema":"TransactionEvents","uetr":"${uetr}","events":[${bodyText(2)}],"webhookIds":["event-2"],"next":null}`,
  );
  // On a slow machine its second may pass before it has seen the log's end: 503, ask again.
  await vi.waitFor(async () => expect((await ask(`/transactions/${uetr}`, "second")).status).toBe(404), { timeout: 20_000 });
});

test("every question of an operator is answered from a real log and store, as it is documented", async () => {
  const held = transactionIn("HELD", 1, { uetr: randomUUID() });
  const unresolved = transactionIn("RECONCILIATION", 2, { uetr: randomUUID(), items: [itemOf()] });
  const rest = { acceptedMessage: new Uint8Array(), finalReport: null, verdict: null, search: noSearchTerms };
  const writes = [held, unresolved].map((transaction) => ({ document: { transaction, ...rest }, expectedVersion: 0 }));
  expect(await store.transactions.write(writes)).toEqual({ conflicts: [] });
  expect(await store.days.write(dayAfter([plan], plan.cutOffAtMs - 86_400_000), 0)).toBe(true);
  const day = "ZA_EFT:2026-11-20";
  const questions = {
    controlStatus: "/status",
    searchTransactions: "/transactions?state=HELD&amount=1250.50",
    showTransaction: `/transactions/${held.uetr}`,
    listWindows: "/windows?from=2026-11-20&to=2026-11-20",
    listHeld: `/held?day=${day}`,
    listUndelivered: "/undelivered",
    listReconciliation: `/reconciliation?day=${day}&open=true`,
    summariseReconciliation: `/reconciliation/summary?day=${day}`,
    exportReconciliation: `/reconciliation/export?day=${day}&format=json`,
    listBanks: "/banks",
    showConservation: `/conservation?day=${day}`,
    listDeadLetters: "/dead-letters?service=scheduler&since=2026-01-01T00:00:00Z",
  } as const satisfies Partial<Record<keyof typeof controlAnswers, string>>;
  const bodies = new Map<string, unknown>();
  for (const [name, path] of Object.entries(questions)) {
    const schema = controlAnswers[name as keyof typeof questions];
    const headers = { authorization: `Bearer ${sampleToken("operator")}` };
    const answer = await fetch(`${controlUrl}${controlPrefix}${path}`, { headers });
    const body: unknown = await answer.json();
    expect([name, answer.status, schema.safeParse(body).error?.issues]).toEqual([name, 200, undefined]);
    bodies.set(name, body);
  }
  expect(bodies.get("searchTransactions")).toMatchObject({ rows: [{ uetr: held.uetr, amount: "1250.50" }], next: null });
  expect(bodies.get("listHeld")).toMatchObject({ rows: [{ bank: "first", count: 1, sum: "1250.50" }] });
  expect(bodies.get("summariseReconciliation")).toMatchObject({ rows: [{ row: 9, count: 1, sum: "1250.50" }] });
  expect(bodies.get("listReconciliation")).toMatchObject({ rows: [{ uetr: unresolved.uetr, row: 9, isOpen: true }] });
});
