// Tests of receivers' statuses, as operators see them in listBanks and listUndelivered.

import type { BankState } from "@sluice/domain";
import type { EndpointHealth } from "@sluice/store";
import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openConsoleEnvironment, consoleStartAtMs, type ConsoleEnvironment } from "../console.fixture.ts";
import {
  buildOperatorAction,
  readControlAnswer,
  applyDayFacts,
  firstWindowOpens,
  buildParkedMessage,
  twoWindowPlan,
  readControlRows,
  saveDay,
} from "../queries/stored-data.fixture.ts";

const address = "http://first.invalid";
const learnt: EndpointHealth = {
  service: "dispatcher",
  receiverId: "first",
  origin: address,
  breaker: null,
  concurrency: 16,
  retryAfterUntilMs: null,
  updatedAtMs: consoleStartAtMs,
  check: null,
  changes: [],
  checks: [],
};
const open = { ...learnt, breaker: { sinceMs: consoleStartAtMs - 90_000, reason: "transient" } };
const backingOff = { ...learnt, retryAfterUntilMs: consoleStartAtMs + 120_000, concurrency: 4 };

async function saveHealth(environment: ConsoleEnvironment, ...health: readonly EndpointHealth[]): Promise<void> {
  await environment.settled(environment.store.endpointHealth.write(health));
}

async function savePause(environment: ConsoleEnvironment, over: Partial<BankState> = {}): Promise<void> {
  const since = { action: buildOperatorAction(), atMs: consoleStartAtMs };
  const paused = {
    version: 1,
    applied: 0n,
    isPaused: true,
    untilMs: null,
    since,
    pauses: 1,
    resumes: 0,
    markers: [],
    decisions: [],
    usedActions: [],
  };
  await environment.settled(environment.store.banks.write({ bank: "first", ...paused, ...over }, 0));
}

async function readFirstBank(environment: ConsoleEnvironment) {
  const row = (await readControlRows(environment, "/banks")).find(({ bank }) => bank === "first");
  if (row === undefined) throw new Error("no such bank");
  return row;
}

test("without any endpoint health a receiver is active, with each of its endpoints once for each service", async () => {
  const debits = "http://debits.first.invalid/in";
  const urls = {
    baseUrl: "http://first.invalid/a",
    operationUrls: { inboundDirectDebit: debits, inboundDirectDebitResponse: `${debits}/2` },
  };
  const environment = await openConsoleEnvironment({ banks: [sampleBank({ id: "first", ...urls })] });
  const row = await readFirstBank(environment);
  expect(row).toMatchObject({ state: "active", isPaused: false, until: null, why: [] });
  const now = {
    state: "active",
    breaker: null,
    retryAfterUntil: null,
    secondsToRetry: null,
    concurrency: 16,
    connections: 16,
    check: null,
  };
  expect(row["endpoints"]).toEqual([
    { service: "dispatcher", address, ...now },
    { service: "dispatcher", address: "http://debits.first.invalid", ...now },
    { service: "event-publisher", address, ...now },
  ]);
});

test("an open breaker is shown with its address, since when, why, and what happens next", async () => {
  const environment = await openConsoleEnvironment();
  await saveHealth(environment, open);
  const row = await readFirstBank(environment);
  expect(row).toMatchObject({ state: "breaker-open", isPaused: false });
  expect(row["endpoints"]).toMatchObject([
    { state: "breaker-open", breaker: { since: "2026-11-20T05:58:30.000Z", openForSeconds: 90, reason: "transient" } },
    { service: "event-publisher", state: "active", breaker: null },
  ]);
  expect(row["why"]).toEqual([
    "http://first.invalid (dispatcher): breaker open since 2026-11-20T05:58:30.000Z, no answers, or ones that may pass (5xx, 408, 425, 429). One message at a time is tried; the first acknowledgement closes it.",
  ]);
});

test("a Retry-After and a learnt limit are throttling; a Retry-After that is over is not", async () => {
  const environment = await openConsoleEnvironment();
  await saveHealth(environment, backingOff);
  expect(await readFirstBank(environment)).toMatchObject({
    state: "throttled",
    endpoints: [{ state: "throttled", retryAfterUntil: "2026-11-20T06:02:00.000Z", concurrency: 4, connections: 16 }, {}],
    why: ["http://first.invalid (dispatcher): it asked to wait until 2026-11-20T06:02:00.000Z (Retry-After)."],
  });
  await environment.time.advance(121_000);
  await environment.appendToJournal();
  await environment.time.advance(1_000);
  const after = { retryAfterUntil: null, secondsToRetry: null, concurrency: 4 };
  const why = ["http://first.invalid (dispatcher): it sustains 4 of 16 requests at once."];
  expect(await readFirstBank(environment)).toMatchObject({ state: "throttled", endpoints: [after, {}], why });
  await saveHealth(environment, { ...learnt, retryAfterUntilMs: consoleStartAtMs });
  expect(await readFirstBank(environment)).toMatchObject({ state: "active", why: [] });
});

test("a learnt concurrency counts only up to the connections that are configured now", async () => {
  const environment = await openConsoleEnvironment({ banks: [sampleBank({ id: "first", connections: 4 })] });
  await saveHealth(environment, learnt);
  expect(await readFirstBank(environment)).toMatchObject({ state: "active", endpoints: [{ concurrency: 4, connections: 4 }, {}] });
});

test("deliveries show a next attempt while one of their endpoints may be called", async () => {
  const other = "http://debits.first.invalid";
  const environment = await openConsoleEnvironment({
    banks: [sampleBank({ id: "first", operationUrls: { inboundDirectDebit: `${other}/in` } })],
  });
  await environment.settled(environment.store.deliveries.insert([buildParkedMessage("A", 1n)]));
  const next = async () => (await readControlRows(environment, "/undelivered")).map(({ deliveries }) => deliveries);
  await saveHealth(environment, open);
  expect(await next()).toMatchObject([{ nextAttempt: "2026-11-20T06:01:00.000Z" }]);
  await saveHealth(environment, { ...open, origin: other });
  expect(await next()).toMatchObject([{ nextAttempt: null }]);
});

test("a pause comes before a breaker; a pause with an end is a maintenance and ends automatically", async () => {
  const environment = await openConsoleEnvironment();
  await saveHealth(environment, open);
  await savePause(environment, { untilMs: consoleStartAtMs + 60_000 });
  const row = await readFirstBank(environment);
  expect(row).toMatchObject({ state: "maintenance", isPaused: true, until: "2026-11-20T06:01:00.000Z" });
  expect(row["why"]).toMatchObject([
    expect.stringContaining("Nothing is sent until 2026-11-20T06:01:00.000Z."),
    expect.stringContaining("breaker"),
  ]);
  await environment.time.advance(61_000);
  await environment.appendToJournal();
  await environment.time.advance(1_000);
  expect(await readFirstBank(environment)).toMatchObject({
    state: "breaker-open",
    isPaused: false,
    until: null,
    since: { operator: "operator" },
  });
});

test("health of an address or a bank that is no longer configured is ignored", async () => {
  const environment = await openConsoleEnvironment();
  await saveHealth(environment, { ...open, origin: "http://old.first.invalid" }, { ...open, receiverId: "gone" });
  const rows = await readControlRows(environment, "/banks");
  expect(rows.map(({ bank, state }) => [bank, state])).toEqual([
    ["clearing", "active"],
    ["first", "active"],
    ["second", "active"],
  ]);
});

test("a bank shows what waits for it over all days, how old that is, and the first close", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan, firstWindowOpens()], consoleStartAtMs));
  const later = { reconciliationDay: null, deadlineMs: consoleStartAtMs + 9_000_000 };
  await environment.settled(
    environment.store.deliveries.insert([
      buildParkedMessage("A", 1n),
      buildParkedMessage("B", 2n, { ended: "refused" }),
      buildParkedMessage("C", 3n, later),
    ]),
  );
  await environment.time.advance(30_000);
  await environment.appendToJournal();
  await environment.time.advance(1_000);
  const none = { waiting: 0, refused: 0, oldestSince: null, oldestAgeSeconds: null };
  const { waiting } = await readFirstBank(environment);
  expect(waiting).toMatchObject({
    deliveries: { waiting: 2, refused: 1, oldestSince: "2026-11-20T06:00:00.000Z" },
    postings: none,
    closes: "2026-11-20T16:00:00.000Z",
  });
  expect(JSON.parse(JSON.stringify(waiting)).deliveries.oldestAgeSeconds).toBeGreaterThanOrEqual(30);
});

test("each message shows whether it waits for its address or for its own back-off, and its attempts", async () => {
  const environment = await openConsoleEnvironment();
  await saveHealth(environment, { ...backingOff, service: "event-publisher" }, open);
  const earlier = {
    count: 3,
    firstAtMs: consoleStartAtMs - 9_000,
    lastAtMs: consoleStartAtMs - 1_000,
    answers: [{ httpStatusCode: null, count: 3 }],
  };
  await environment.settled(
    environment.store.deliveries.insert([buildParkedMessage("A", 1n, { earlier }), buildParkedMessage("B", 2n, { ended: "refused" })]),
  );
  await environment.settled(
    environment.store.postings.insert([buildParkedMessage("E", 1n, { operation: "events", reconciliationDay: null })]),
  );
  const summary = (await readControlRows(environment, "/undelivered")).find(({ day }) => day !== null);
  expect(summary).toMatchObject({ state: "breaker-open", deliveries: { waiting: 1, nextAttempt: null } });
  const body = await readControlAnswer(environment, "/undelivered?bank=first");
  expect(body).toMatchObject({ state: "breaker-open", until: null, endpoints: [{ state: "breaker-open" }, { state: "throttled" }] });
  expect(body["rows"]).toMatchObject([
    {
      status: "breaker-open",
      address,
      nextAttempt: null,
      recentAttempts: [{ class: "transient", address: "http://first.test/events" }],
      earlierAttempts: { count: 3, from: "2026-11-20T05:59:51.000Z", answers: [{ httpStatusCode: null, count: 3 }] },
    },
    { status: "refused", nextAttempt: null, earlierAttempts: null },
    { status: "retry-after", address, nextAttempt: "2026-11-20T06:02:00.000Z" },
  ]);
});

test("if counting what waits takes too long banks are listed without a count, or with the previous one and its time", async () => {
  const environment = await openConsoleEnvironment();
  const { deliveries } = environment.store;
  let answer: () => void = () => undefined;
  let counts = 0;
  const slow = async () => {
    counts += 1;
    await new Promise<void>((done) => (answer = done));
    return [];
  };
  Object.assign(deliveries, { totals: slow });
  expect(await readControlAnswer(environment, "/banks")).toMatchObject({
    countedAt: null,
    rows: [{ waiting: null }, { waiting: null }, { waiting: null }],
  });
  expect(await readFirstBank(environment)).toMatchObject({ state: "active", waiting: null });
  expect(counts).toBe(1);
  answer();
  await environment.time.advance(100);
  const later = await readControlAnswer(environment, "/undelivered");
  expect([later["rows"], String(later["countedAt"]).slice(0, 19), counts]).toEqual([[], "2026-11-20T06:00:00", 2]);
  expect(await readFirstBank(environment)).toMatchObject({ waiting: { deliveries: { waiting: 0 } } });
  await environment.time.advance(700_000);
  expect(await readFirstBank(environment)).toMatchObject({ waiting: null });
});
