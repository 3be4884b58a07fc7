// How receivers stand, as operators see it in listBanks and listUndelivered.

import type { BankStanding } from "@sluice/domain";
import type { AddressStanding } from "@sluice/store";
import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { givenConsole, startAtMs, type World } from "./given.ts";
import { actionOf, answerTo, dayAfter, opensFirst, parkedAs, plan, rowsOf, saveDay } from "./given-control.ts";

const address = "http://first.invalid";
const learnt: AddressStanding = {
  service: "dispatcher",
  bank: "first",
  address,
  breaker: null,
  concurrency: 16,
  gateUntilMs: null,
  updatedAtMs: startAtMs,
};
const open = { ...learnt, breaker: { sinceMs: startAtMs - 90_000, reason: "transient" } };
const gated = { ...learnt, gateUntilMs: startAtMs + 120_000, concurrency: 4 };

async function learns(world: World, ...standings: readonly AddressStanding[]): Promise<void> {
  await world.settled(world.store.addresses.write(standings));
}

async function pauses(world: World, over: Partial<BankStanding> = {}): Promise<void> {
  const since = { action: actionOf(), atMs: startAtMs };
  const paused = { version: 1, applied: 0n, isPaused: true, untilMs: null, since, pauses: 1, resumes: 0, told: [], decisions: [] };
  await world.settled(world.store.banks.write({ bank: "first", ...paused, ...over }, 0));
}

async function first(world: World) {
  const row = (await rowsOf(world, "/banks")).find(({ bank }) => bank === "first");
  if (row === undefined) throw new Error("no such bank");
  return row;
}

test("nothing learnt: a receiver is active, with each address that it is sent to, once for each service", async () => {
  const debits = "http://debits.first.invalid/in";
  const urls = {
    baseUrl: "http://first.invalid/a",
    operationUrls: { inboundDirectDebit: debits, inboundDirectDebitResponse: `${debits}/2` },
  };
  const world = await givenConsole({ banks: [sampleBank({ id: "first", ...urls })] });
  const row = await first(world);
  expect(row).toMatchObject({ state: "active", isPaused: false, until: null, why: [] });
  const now = { state: "active", breaker: null, gateUntil: null, secondsToGate: null, concurrency: 16, connections: 16 };
  expect(row["addresses"]).toEqual([
    { service: "dispatcher", address, ...now },
    { service: "dispatcher", address: "http://debits.first.invalid", ...now },
    { service: "event-publisher", address, ...now },
  ]);
});

test("an open breaker is shown with its address, since when, why, and what happens next", async () => {
  const world = await givenConsole();
  await learns(world, open);
  const row = await first(world);
  expect(row).toMatchObject({ state: "breaker-open", isPaused: false });
  expect(row["addresses"]).toMatchObject([
    { state: "breaker-open", breaker: { since: "2026-11-20T05:58:30.000Z", openForSeconds: 90, reason: "transient" } },
    { service: "event-publisher", state: "active", breaker: null },
  ]);
  expect(row["why"]).toEqual([
    "http://first.invalid (dispatcher): breaker open since 2026-11-20T05:58:30.000Z, no answers, or ones that may pass (5xx, 408, 425, 429). One message at a time is tried; the first acknowledgement closes it.",
  ]);
});

test("a gate and a learnt limit are throttling; a gate that is over is none", async () => {
  const world = await givenConsole();
  await learns(world, gated);
  expect(await first(world)).toMatchObject({
    state: "throttled",
    addresses: [{ state: "throttled", gateUntil: "2026-11-20T06:02:00.000Z", concurrency: 4, connections: 16 }, {}],
    why: ["http://first.invalid (dispatcher): it asked to wait until 2026-11-20T06:02:00.000Z (Retry-After)."],
  });
  await world.time.advance(121_000);
  await world.appendToJournal();
  await world.time.advance(1_000);
  const after = { gateUntil: null, secondsToGate: null, concurrency: 4 };
  const why = ["http://first.invalid (dispatcher): it bears 4 of 16 requests at once."];
  expect(await first(world)).toMatchObject({ state: "throttled", addresses: [after, {}], why });
  await learns(world, { ...learnt, gateUntilMs: startAtMs });
  expect(await first(world)).toMatchObject({ state: "active", why: [] });
});

test("what was learnt counts only up to the connections that are configured now", async () => {
  const world = await givenConsole({ banks: [sampleBank({ id: "first", connections: 4 })] });
  await learns(world, learnt);
  expect(await first(world)).toMatchObject({ state: "active", addresses: [{ concurrency: 4, connections: 4 }, {}] });
});

test("deliveries name a next attempt while one of their addresses may be called", async () => {
  const other = "http://debits.first.invalid";
  const world = await givenConsole({ banks: [sampleBank({ id: "first", operationUrls: { inboundDirectDebit: `${other}/in` } })] });
  await world.settled(world.store.deliveries.insert([parkedAs("A", 1n)]));
  const next = async () => (await rowsOf(world, "/undelivered")).map(({ deliveries }) => deliveries);
  await learns(world, open);
  expect(await next()).toMatchObject([{ nextAttempt: "2026-11-20T06:01:00.000Z" }]);
  await learns(world, { ...open, address: other });
  expect(await next()).toMatchObject([{ nextAttempt: null }]);
});

test("a pause comes before a breaker; one with an end is a maintenance, and over by itself", async () => {
  const world = await givenConsole();
  await learns(world, open);
  await pauses(world, { untilMs: startAtMs + 60_000 });
  const row = await first(world);
  expect(row).toMatchObject({ state: "maintenance", isPaused: true, until: "2026-11-20T06:01:00.000Z" });
  expect(row["why"]).toMatchObject([
    expect.stringContaining("Nothing is sent until 2026-11-20T06:01:00.000Z."),
    expect.stringContaining("breaker"),
  ]);
  await world.time.advance(61_000);
  await world.appendToJournal();
  await world.time.advance(1_000);
  expect(await first(world)).toMatchObject({ state: "breaker-open", isPaused: false, until: null, since: { operator: "operator" } });
});

test("what was learnt of an address, or of a bank, that is not configured any more says nothing", async () => {
  const world = await givenConsole();
  await learns(world, { ...open, address: "http://old.first.invalid" }, { ...open, bank: "gone" });
  const rows = await rowsOf(world, "/banks");
  expect(rows.map(({ bank, state }) => [bank, state])).toEqual([
    ["clearing", "active"],
    ["first", "active"],
    ["second", "active"],
  ]);
});

test("a bank says what waits for it over all days, how old that is, and the first close", async () => {
  const world = await givenConsole();
  await saveDay(world, dayAfter([plan, opensFirst()], startAtMs));
  const later = { closesWith: null, deadlineMs: startAtMs + 9_000_000 };
  await world.settled(
    world.store.deliveries.insert([parkedAs("A", 1n), parkedAs("B", 2n, { ended: "refused" }), parkedAs("C", 3n, later)]),
  );
  await world.time.advance(30_000);
  await world.appendToJournal();
  await world.time.advance(1_000);
  const none = { waiting: 0, refused: 0, oldestSince: null, oldestAgeSeconds: null };
  const { waiting } = await first(world);
  expect(waiting).toMatchObject({
    deliveries: { waiting: 2, refused: 1, oldestSince: "2026-11-20T06:00:00.000Z" },
    postings: none,
    closes: "2026-11-20T16:00:00.000Z",
  });
  expect(JSON.parse(JSON.stringify(waiting)).deliveries.oldestAgeSeconds).toBeGreaterThanOrEqual(30);
});

test("each message says whether it waits for its address or for its own back-off, and shows its attempts", async () => {
  const world = await givenConsole();
  await learns(world, { ...gated, service: "event-publisher" }, open);
  const earlier = { count: 3, firstAtMs: startAtMs - 9_000, lastAtMs: startAtMs - 1_000, answers: [{ httpStatusCode: null, count: 3 }] };
  await world.settled(world.store.deliveries.insert([parkedAs("A", 1n, { earlier }), parkedAs("B", 2n, { ended: "refused" })]));
  await world.settled(world.store.postings.insert([parkedAs("E", 1n, { operation: "events", closesWith: null })]));
  const summary = (await rowsOf(world, "/undelivered")).find(({ day }) => day !== null);
  expect(summary).toMatchObject({ state: "breaker-open", deliveries: { waiting: 1, nextAttempt: null } });
  const body = await answerTo(world, "/undelivered?bank=first");
  expect(body).toMatchObject({ state: "breaker-open", until: null, addresses: [{ state: "breaker-open" }, { state: "throttled" }] });
  expect(body["rows"]).toMatchObject([
    {
      standing: "breaker-open",
      address,
      nextAttempt: null,
      recentAttempts: [{ class: "transient", address: "http://first.test/events" }],
      earlierAttempts: { count: 3, from: "2026-11-20T05:59:51.000Z", answers: [{ httpStatusCode: null, count: 3 }] },
    },
    { standing: "refused", nextAttempt: null, earlierAttempts: null },
    { standing: "gated", address, nextAttempt: "2026-11-20T06:02:00.000Z" },
  ]);
});

test("where counting what waits takes too long, banks are listed without it, or with the count before, which says its time", async () => {
  const world = await givenConsole();
  const { deliveries } = world.store;
  let answer: () => void = () => undefined;
  let counts = 0;
  const slow = async () => {
    counts += 1;
    await new Promise<void>((done) => (answer = done));
    return [];
  };
  Object.assign(deliveries, { totals: slow });
  expect(await answerTo(world, "/banks")).toMatchObject({
    countedAt: null,
    rows: [{ waiting: null }, { waiting: null }, { waiting: null }],
  });
  expect(await first(world)).toMatchObject({ state: "active", waiting: null });
  expect(counts).toBe(1);
  answer();
  await world.time.advance(100);
  const later = await answerTo(world, "/undelivered");
  expect([later["rows"], String(later["countedAt"]).slice(0, 19), counts]).toEqual([[], "2026-11-20T06:00:00", 2]);
  expect(await first(world)).toMatchObject({ waiting: { deliveries: { waiting: 0 } } });
  await world.time.advance(700_000);
  expect(await first(world)).toMatchObject({ waiting: null });
});
