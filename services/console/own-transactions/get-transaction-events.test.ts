import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import {
  eventBodyText,
  buildConsoleDebit,
  buildEsmEvent,
  buildKeptBytes,
  openConsoleEnvironment,
  buildStateEvent,
  consoleUetr,
  type ConsoleEnvironment,
} from "../console.fixture.ts";

const path = `/transactions/${consoleUetr}/events`;
const states = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"] as const;
const other = "00000000-0000-4000-8000-000000000001";
const all = [1, 2, 3, 4, 5, 6, 7];

async function readEventsText(environment: ConsoleEnvironment, query = "", caller = "first"): Promise<string> {
  const answer = await environment.ask(`${path}${query}`, caller);
  expect(answer.status).toBe(200);
  return await answer.text();
}

function list(stageVersions: readonly number[], next: number | null): string {
  const webhookIds = JSON.stringify(stageVersions.map((stageVersion) => `event-${stageVersion}`));
  const events = stageVersions.map(eventBodyText).join(",");
  return `{"schema":"TransactionEvents","uetr":"${consoleUetr}","events":[${events}],"webhookIds":${webhookIds},"next":${next}}`;
}

async function openEnvironmentWithEvents(stageVersions: readonly number[] = all): Promise<ConsoleEnvironment> {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states, { bank: "first" }));
  await environment.append(topics.events, other, buildStateEvent(1));
  for (const stageVersion of stageVersions) {
    await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
    await environment.append(topics.events, other, buildStateEvent(stageVersion));
  }
  return environment;
}

test("the events of one's own transaction come in order, exactly as they are posted [D8 events-again]", async () => {
  expect(await readEventsText(await openEnvironmentWithEvents())).toBe(list(all, null));
});

test("events start at the requested stageVersion; beyond the newest one the list is empty", async () => {
  const environment = await openEnvironmentWithEvents();
  expect(await readEventsText(environment, "?from=6")).toBe(list([6, 7], null));
  expect(await readEventsText(environment, "?from=8")).toBe(list([], null));
  for (const wrong of ["0", "-1", "x", "1.5", "", "10000"]) expect((await environment.ask(`${path}?from=${wrong}`)).status).toBe(400);
});

test("an event that a replay produced again is returned once", async () => {
  expect(await readEventsText(await openEnvironmentWithEvents([1, 2, 3, 2, 3, 4, 5, 6, 7]))).toBe(list(all, null));
});

test("I4: an event that is not in the topic yet ends the list, which says where to continue", async () => {
  const environment = await openEnvironmentWithEvents([1, 2, 3]);
  expect(await readEventsText(environment)).toBe(list([1, 2, 3], 4));
  expect(await readEventsText(environment, "?from=4")).toBe(list([], 4));
  await environment.append(topics.events, consoleUetr, buildStateEvent(4));
  expect(await readEventsText(environment, "?from=4")).toBe(list([4], 5));
});

test("an event of class ESM_STATE follows the event of its state", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states.slice(0, 2), { bank: "first" }));
  for (const stageVersion of [1, 2]) {
    await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
    await environment.append(topics.events, consoleUetr, buildEsmEvent(stageVersion, { id: `esm-${stageVersion}` }));
  }
  const { events, webhookIds, next } = JSON.parse(await readEventsText(environment));
  expect(webhookIds).toEqual(["event-1", "esm-1", "event-2", "esm-2"]);
  expect(events).toMatchObject([{ stageVersion: 1 }, { class: "ESM_STATE", of: 1 }, { stageVersion: 2 }, { class: "ESM_STATE", of: 2 }]);
  expect(next).toBeNull();
  const { events: last }: { events: readonly object[] } = JSON.parse(await readEventsText(environment, "?from=2"));
  expect(last).toMatchObject([{ stageVersion: 2 }, { class: "ESM_STATE", of: 2 }]);
});

test("an event of class ESM_STATE that a replay wrote again is not returned for another state", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states.slice(0, 2), { bank: "first" }));
  for (const event of [buildStateEvent(1), buildEsmEvent(1), buildStateEvent(2), buildEsmEvent(1)])
    await environment.append(topics.events, consoleUetr, event);
  const { events }: { events: readonly object[] } = JSON.parse(await readEventsText(environment));
  expect(events).toMatchObject([{ stageVersion: 1 }, { class: "ESM_STATE", of: 1 }, { stageVersion: 2 }]);
});

/** What retention does to the topic: the oldest records of the transaction's partition are removed. */
async function forget(environment: ConsoleEnvironment, before: bigint): Promise<void> {
  environment.messaging.truncate({ topic: topics.events, partition: await findPartition(environment) }, before);
}

interface EventsText {
  readonly events: readonly { readonly stageVersion: number; readonly name: string; readonly payload?: object }[];
  readonly webhookIds: readonly string[];
  readonly next: number | null;
}

const readEvents = async (environment: ConsoleEnvironment, query = ""): Promise<EventsText> =>
  JSON.parse(await readEventsText(environment, query));

test("events that the topic no longer has are rendered again from the journal's messages [D8.43]", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states, { bank: "first" }), 0, buildKeptBytes());
  for (const stageVersion of all) await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
  await forget(environment, 3n);
  const { events, webhookIds, next } = await readEvents(environment);
  expect(events.map(({ stageVersion }) => stageVersion)).toEqual(all);
  expect(next).toBeNull();
  expect(events.slice(0, 3).map(({ name }) => name)).toEqual([
    "TRANSACTION_STATE_DIRECT_DEBIT_RECEIVED",
    "TRANSACTION_STATE_DIRECT_DEBIT_ACCEPTED",
    "TRANSACTION_STATE_DIRECT_DEBIT_REPORTED",
  ]);
  expect(events[0]?.payload).toMatchObject({ transactionIdentifiers: { uetr: consoleUetr } });
  expect(webhookIds.slice(3)).toEqual([4, 5, 6, 7].map((stageVersion) => `event-${stageVersion}`));
  expect(new Set(webhookIds).size).toBe(7);
});

test("after years the topic has nothing of a transaction, and all its events are still there [D8.43]", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states, { bank: "first" }), 0, buildKeptBytes());
  for (const stageVersion of all) await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
  await environment.time.advance(20 * 60_000);
  await forget(environment, 7n);
  const whole = await readEvents(environment);
  expect([whole.events.map(({ stageVersion }) => stageVersion), whole.next]).toEqual([all, null]);
  await environment.append(topics.events, other, buildStateEvent(1));
  expect(await readEvents(environment)).toEqual(whole);
  expect((await readEvents(environment, "?from=6")).webhookIds).toEqual(whole.webhookIds.slice(5));
});

test("I4: while nothing was ever removed, an event that is missing is not rendered: it is not there yet", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states, { bank: "first" }), 0, buildKeptBytes());
  await environment.append(topics.events, consoleUetr, buildStateEvent(1));
  await environment.time.advance(20 * 60_000);
  expect(await readEventsText(environment)).toBe(list([1], 2));
});

test("a page is bounded in bytes, and the next one continues", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states, { bank: "first" }));
  const body = new TextEncoder().encode(JSON.stringify("x".repeat(300_000)));
  for (const stageVersion of all) await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion, { body }));
  const pages: number[] = [];
  for (let from: number | null = 1; from !== null && pages.length < 10;) {
    const page: { events: readonly unknown[]; next: number | null } = JSON.parse(await readEventsText(environment, `?from=${from}`));
    pages.push(page.events.length);
    from = page.next;
  }
  expect(pages).toEqual([4, 3]);
});

test("a long topic is searched from the time of each state", async () => {
  const environment = await openConsoleEnvironment();
  await environment.save(buildConsoleDebit(states.slice(0, 2), { bank: "first" }));
  await environment.append(topics.events, consoleUetr, buildStateEvent(1));
  const fillers = Array.from({ length: 3_000 }, (_, count) => count);
  const { messaging, settled, time } = environment;
  const producer = await settled(messaging.producer("filler"));
  const record = messaging.records({ topic: topics.events, partition: await findPartition(environment) })[0]!;
  await settled(producer.send(fillers.map(() => ({ ...record, key: Buffer.from(other) }))));
  await time.advance(60_000);
  await settled(producer.send(fillers.map(() => ({ ...record, key: Buffer.from(other) }))));
  await environment.append(topics.events, consoleUetr, buildStateEvent(2));
  expect(await readEventsText(environment)).toBe(list([1, 2], null));
});

async function findPartition({ messaging }: ConsoleEnvironment): Promise<number> {
  const counts = [0, 1, 2].map((partition) => messaging.records({ topic: topics.events, partition }).length);
  return counts.findIndex((count) => count > 0);
}

test("only postings to the caller are returned: a connector that sent a debit gets none of the bank's", async () => {
  const environment = await openConsoleEnvironment();
  const { message } = buildConsoleDebit(["RECEIVED"]);
  await environment.save(
    buildConsoleDebit(states.slice(0, 2), { flow: "off-us", bank: "first", message: { ...message!, sender: "clearing" } }),
  );
  for (const stageVersion of [1, 2]) await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
  expect(await readEventsText(environment, "", "first")).toBe(list([1, 2], null));
  expect(await readEventsText(environment, "", "clearing")).toBe(list([], null));
});

test("another caller's transaction is answered like one that does not exist", async () => {
  const environment = await openEnvironmentWithEvents();
  await environment.schedulerReaches(0n);
  const answer = await environment.ask(path, "second");
  expect([answer.status, await answer.json()]).toMatchObject([404, { schema: "ErrorDetail", notKnownAsOf: expect.any(String) }]);
});

test("a broker that does not answer is 503 with Retry-After", async () => {
  const environment = await openEnvironmentWithEvents();
  environment.messaging.setBroker(false);
  const answer = await environment.ask(path);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
});
