// Tests the console on a real port, with the broker and the store of real servers (`./sluice test` starts them). The
// test does the scheduler's work.

import { extendRules } from "@sluice/domain";
import { randomUUID } from "node:crypto";
import { controlPrefix, createFixedSerde, partitionCountDefault, outgoingRecord, partitionFor, topics } from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { type ClientConnection, createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import { createKafkaMessaging, provisionTopics, buildTopicSpecs } from "@sluice/messaging";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore, noSearchTerms } from "@sluice/store";
import { sampleBank, sampleConfiguration, sampleOperator, sampleToken, seededRandom } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { eventBodyText, buildConsoleDebit, readJsonObject, buildStateEvent } from "./console.fixture.ts";
import { applyDayFacts, buildItem, twoWindowPlan, buildStoredTransaction } from "./queries/stored-data.fixture.ts";
import { startConsole } from "./service.ts";

const { KAFKA_BROKERS: brokers, MONGO_URL: mongoUrl } = process.env;
if (brokers === undefined || mongoUrl === undefined)
  throw new Error("KAFKA_BROKERS or MONGO_URL is not set. ./sluice test starts servers.");

const opened = new AsyncDisposableStack();
const connection = { brokers: brokers.split(","), clientId: "console-test" };
const logger = silentLogger;
const time = machineTime;
const messaging = createKafkaMessaging({ connection, time, logger });
opened.defer(() => messaging.close());
const store = createMongoStore({ url: mongoUrl, database: `console_test_${randomUUID()}`, logger });
opened.defer(() => store.close());
const partitionForKey = (key: string): number => partitionFor(key, partitionCountDefault);
// In another partition than the decision below, which nobody applies there.
const uetrs = Array.from({ length: 100 }, () => randomUUID());
const uetr = uetrs.find((one) => partitionForKey(one) !== partitionForKey("bank:second")) ?? "";
const partition = partitionForKey(uetr);
let url = "";
let controlUrl = "";

beforeAll(async () => {
  await provisionTopics({
    connection,
    specs: buildTopicSpecs({ partitionCount: partitionCountDefault, replication: 1, minInsync: 1 }),
    logger,
  });
  await store.prepare();
  const configuration = sampleConfiguration({
    banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "632005" })],
    operators: [sampleOperator(), sampleOperator({ id: "second-person", roles: ["read", "approve"] })],
    secondPerson: { actions: ["withdraw"], proposalLifetimeMs: 3_600_000 },
  });
  const metrics = createMetrics({ withProcess: false });
  const ports = { time, random: seededRandom("console"), logger, metrics, messaging, store, serde: createFixedSerde(), configuration };
  const desk = await startConsole({ ...ports, partitionCount: partitionCountDefault });
  opened.defer(() => desk.stop());
  const fetch = (request: Request, on: ClientConnection): Promise<Response> => desk.fetch(request, on);
  const listening = await listen({ fetch, host: "127.0.0.1", port: 0, limits: listenLimitsDefault, logger });
  opened.defer(() => listening.close(0));
  url = `http://127.0.0.1:${listening.port}`;
  const fetchControl = (request: Request, on: ClientConnection): Promise<Response> => desk.fetchControl(request, on);
  const control = await listen({ fetch: fetchControl, host: "127.0.0.1", port: 0, limits: listenLimitsDefault, logger });
  opened.defer(() => control.close(0));
  controlUrl = `http://127.0.0.1:${control.port}`;
  await vi.waitUntil(() => desk.readiness().isReady);
});
afterAll(() => opened.disposeAsync());

function ask(path: string, caller = "first"): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${sampleToken(caller)}` } });
}

test("an unknown UETR is 503 until the partition's position reaches its end, then 404 with a time by the broker clock", async () => {
  const held = await store.partitions.takeOver("scheduler", partition);
  const producer = await messaging.producer("console-test");
  const decoded = { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } } as const;
  const [appended] = await producer.send([
    outgoingRecord(createFixedSerde(), topics.journal, uetr, decoded, { partitionCount: partitionCountDefault }),
  ]);
  const early = await ask(`/transactions/${uetr}`);
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
  await store.partitions.write("scheduler", partition, held, appended!.offset + 1n);
  const answer = await ask(`/transactions/${uetr}`);
  const { notKnownAsOf } = await readJsonObject(answer);
  expect(answer.status).toBe(404);
  expect(Temporal.Instant.from(String(notKnownAsOf)).epochMilliseconds).toBeGreaterThanOrEqual(appended!.appendedAtMs);
});

test("an operator's decision is in the journal when it is answered 202, and its result can be asked for by its id", async () => {
  const key = "bank:second";
  const body = JSON.stringify({ reason: "ticket 4711" });
  const headers = { authorization: `Bearer ${sampleToken("operator")}`, "content-type": "application/json", "idempotency-key": "a-1" };
  const answer = await fetch(`${controlUrl}/control/v1/banks/second/pause`, { method: "POST", headers, body });
  const accepted = await readJsonObject(answer);
  expect([answer.status, accepted]).toMatchObject([202, { action: "a-1", key, partition: partitionFor(key, partitionCountDefault) }]);
  const from = BigInt(String(accepted["offset"]));
  const found = [];
  const partition = { topic: topics.journal, partition: partitionFor(key, partitionCountDefault) };
  for await (const record of messaging.read(partition, from, from + 1n))
    found.push(createFixedSerde().decode(record.value ?? new Uint8Array()));
  expect(found).toMatchObject([
    { name: "BankPauseRequested", value: { bank: "second", action: { id: "a-1", operator: "operator", reason: "ticket 4711" } } },
  ]);
  const asked = await fetch(`${controlUrl}/control/v1/actions/a-1?key=${key}`, { headers });
  expect(asked.status).toBe(404);
  expect((await fetch(`${url}/control/v1/banks`, { headers })).status).toBe(404);
});

test("the sender sees state and events from store and topic, and another bank sees nothing", async () => {
  const atMs = time.nowMs();
  const debit = buildConsoleDebit(["RECEIVED", "ACCEPTED"]);
  const transitions = debit.transitions.map((transition) => ({ ...transition, atMs }));
  const document = {
    transaction: { ...debit, uetr, partition, transitions },
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
    rules: extendRules(null, 1),
    traceparent: null,
  };
  await store.transactions.write([{ document, expectedVersion: 0 }]);
  const producer = await messaging.producer("console-test-events");
  await producer.send(
    [1, 2].map((stage) =>
      outgoingRecord(createFixedSerde(), topics.events, uetr, buildStateEvent(stage), { partitionCount: partitionCountDefault }),
    ),
  );
  expect(await readJsonObject(await ask(`/transactions/${uetr.toUpperCase()}`))).toMatchObject({
    uetr,
    state: "ACCEPTED",
    stageVersion: 2,
  });
  const events = await ask(`/transactions/${uetr}/events?from=2`);
  expect(await events.text()).toBe(
    `{"schema":"TransactionEvents","uetr":"${uetr}","events":[${eventBodyText(2)}],"webhookIds":["event-2"],"next":null}`,
  );
  // On a slow machine the second may pass before the end is reached: the answer is 503, and the test asks again.
  await vi.waitFor(async () => expect((await ask(`/transactions/${uetr}`, "second")).status).toBe(404), { timeout: 20_000 });
});

test("every query of an operator is answered from a real broker and store, as documented", async () => {
  const held = buildStoredTransaction("HELD", 1, { uetr: randomUUID() });
  const unresolved = buildStoredTransaction("RECONCILIATION", 2, { uetr: randomUUID(), items: [buildItem()] });
  const rest = {
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
    rules: extendRules(null, 1),
    traceparent: null,
  };
  const writes = [held, unresolved].map((transaction) => ({ document: { transaction, ...rest }, expectedVersion: 0 }));
  expect(await store.transactions.write(writes)).toEqual({ conflicts: [] });
  expect(await store.days.write(applyDayFacts([twoWindowPlan], twoWindowPlan.cutOffAtMs - 86_400_000), 0)).toBe(true);
  const day = "ZA_EFT:2026-11-20";
  const questions = {
    controlStatus: "/status",
    searchTransactions: "/transactions?state=HELD&amount=1250.50",
    exportTransactions: "/transactions/export?state=HELD&format=json",
    showTransaction: `/transactions/${held.uetr}`,
    listWindows: "/windows?from=2026-11-20&to=2026-11-20",
    listHeld: `/held?day=${day}`,
    listUndelivered: "/undelivered",
    listFailing: "/failing",
    listReconciliation: `/reconciliation?day=${day}&open=true`,
    summariseReconciliation: `/reconciliation/summary?day=${day}`,
    exportReconciliation: `/reconciliation/export?day=${day}&format=json`,
    listBanks: "/banks",
    showConservation: `/conservation?day=${day}`,
    listProposals: "/proposals",
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

test("a withdrawal is a proposal in a real topic until a second person has confirmed it [D9 second-person]", async () => {
  const held = buildStoredTransaction("HELD", 3, { uetr: randomUUID() });
  const rest = {
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
    rules: extendRules(null, 1),
    traceparent: null,
  };
  await store.transactions.write([{ document: { transaction: held, ...rest }, expectedVersion: 0 }]);
  const asked = await decide("operator", `/transactions/${held.uetr}/withdrawal`, `w-${held.uetr}`, { reason: "wrong file" });
  const { offset, contentSha256 } = decisionProposedSchema.parse(await asked.json());
  const confirmation = { reason: "it is the wrong file", offset, contentSha256 };
  const path = `/proposals/w-${held.uetr}/confirmation`;
  expect((await decide("second-person", path, "c-0", { ...confirmation, contentSha256: "0".repeat(64) })).status).toBe(409);
  const confirmed = await decide("second-person", path, `c-${held.uetr}`, confirmation);
  expect([confirmed.status, await readJsonObject(confirmed)]).toMatchObject([202, { action: `w-${held.uetr}`, key: held.uetr }]);
  const rejection = { path: `/proposals/w-${held.uetr}/rejection`, id: `r-${held.uetr}` };
  expect((await decide("second-person", rejection.path, rejection.id, confirmation)).status).toBe(409);
});

test("a withdrawal that a second person has rejected in a real topic cannot be confirmed [D9 rejection]", async () => {
  const held = buildStoredTransaction("HELD", 3, { uetr: randomUUID() });
  const rest = {
    acceptedMessage: new Uint8Array(),
    finalReport: null,
    verdict: null,
    search: noSearchTerms,
    rules: extendRules(null, 1),
    traceparent: null,
  };
  await store.transactions.write([{ document: { transaction: held, ...rest }, expectedVersion: 0 }]);
  const id = `w-${held.uetr}`;
  const asked = await decide("operator", `/transactions/${held.uetr}/withdrawal`, id, { reason: "wrong file" });
  const { offset, contentSha256 } = decisionProposedSchema.parse(await asked.json());
  const named = { reason: "it is the right file", offset, contentSha256 };
  const rejected = await decide("second-person", `/proposals/${id}/rejection`, `r-${held.uetr}`, named);
  expect([rejected.status, await readJsonObject(rejected)]).toMatchObject([202, { schema: "ProposalEnded", id, state: "rejected" }]);
  const confirmed = await decide("second-person", `/proposals/${id}/confirmation`, `c-${held.uetr}`, named);
  expect([confirmed.status, await readJsonObject(confirmed)]).toMatchObject([409, { detail: expect.stringContaining("already-rejected") }]);
});

async function decide(operator: string, path: string, id: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${sampleToken(operator)}`, "content-type": "application/json", "idempotency-key": id };
  return await fetch(`${controlUrl}${controlPrefix}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}
