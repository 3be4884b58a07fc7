// What an operator's pause of a bank does to its deliveries, and what its resume does.

import { groups, topics } from "@sluice/contracts";
import { startAtMs } from "@sluice/delivery/delivery-world";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, outcome, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: messageId(number) }));
const firstIds = (world: DispatcherWorld): string[] => world.received.filter(({ attempt }) => attempt === 1).map(({ id }) => id);

/** A message whose refusal its owner had no time to mark as said; then its bank is paused, and an owner comes. */
async function refusedAndNotSaid(isRedriven = false): Promise<DispatcherWorld> {
  const world = dispatcherWorld();
  const first = await world.start();
  world.answers(({ attempt }) => (attempt === 1 ? 422 : 202));
  await world.dispatch(...all(1));
  await world.until(() => world.ended().length === 1);
  await world.time.advance(1_000);
  await first.stop();
  const [message] = await world.parked("deliveries");
  await world.during(world.store.deliveries.update({ ...message!, ended: "refusing" }));
  await world.pause();
  if (isRedriven) await world.redrive({});
  await world.start();
  return world;
}

async function paused(world: DispatcherWorld): Promise<DispatcherWorld> {
  await world.start();
  await world.pause();
  await world.time.advance(1_000);
  return world;
}

describe("a paused bank", { timeout: 30_000 }, () => {
  it("is sent nothing new: what comes is parked untried, and leaves in order once it is resumed (I4)", async () => {
    const world = await paused(dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] }));
    await world.dispatch(...all(5));
    await world.time.advance(60 * minuteMs);
    expect(world.received).toEqual([]);
    expect((await world.parked("deliveries")).map(({ id, attempts }) => [id, attempts])).toEqual(numbers(5).map((n) => [messageId(n), 0]));
    await world.dispatch({ messageIdentification: messageId(6) });
    await world.resume();
    await world.until(() => world.endedIds().size === 6, 1_000);
    expect(firstIds(world)).toEqual(numbers(6).map((number) => messageId(number)));
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("is not retried either, however long it lasts; resumed, all its heads are due at once, whatever they waited for", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ id }) => ({ status: id === messageId(1) ? 404 : 503, retryAfter: "900" }));
    await world.dispatch(...all(3));
    await world.until(() => world.received.length === 3);
    await world.pause();
    await world.time.advance(1_000);
    const calls: string[] = [];
    world.hooks.store.observe = ({ operation }) => void calls.push(operation);
    await world.time.advance(60 * minuteMs);
    expect(calls.filter((operation) => operation.startsWith("deliveries"))).toEqual([]);
    world.answers(() => 202);
    expect(world.received).toHaveLength(3);
    await world.resume();
    await world.until(() => world.endedIds().size === 3, 500);
    expect(world.ended().map(({ attempts, outcome }) => [attempts, outcome])).toEqual(numbers(3).map(() => [2, "ACKNOWLEDGED"]));
  });

  it("what is under way ends, with what it brings; one that fails waits for the resume", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 2 })] });
    await world.start();
    world.answers(({ id }) => ({ status: id === messageId(1) ? 202 : 503, afterMs: 3_000 }));
    await world.dispatch(...all(2));
    await world.until(() => world.received.length === 2);
    await world.pause();
    await world.time.advance(20 * minuteMs);
    expect(world.received).toHaveLength(2);
    expect(world.ended()).toMatchObject([{ messageIdentification: messageId(1), outcome: "ACKNOWLEDGED", bankPaused: true }]);
    expect(await world.parked("deliveries")).toMatchObject([{ id: messageId(2), attempts: 1 }]);
    world.answers(() => 202);
    await world.resume();
    await world.until(() => world.endedIds().size === 2, 500);
    expect(world.ended().at(-1)).toMatchObject({ attempts: 2, bankPaused: false });
  });

  it("one that waits for a slot when the pause comes is not tried", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await world.start();
    world.answers(() => ({ status: 202, afterMs: 200 }));
    await world.dispatch(...all(2));
    await world.until(() => world.received.length === 1);
    await world.pause();
    await world.time.advance(minuteMs);
    expect(world.received).toHaveLength(1);
    await world.resume();
    await world.until(() => world.endedIds().size === 2, 1_000);
  });

  it("a retry that waits for a slot when the pause comes is not made", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 2 })] });
    await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? 503 : { status: 202, afterMs: 3_000 }));
    await world.dispatch(...all(2));
    await world.until(() => world.received.length === 3);
    await world.time.advance(1_000);
    await world.pause();
    await world.time.advance(30 * minuteMs);
    expect(world.received).toHaveLength(3);
    await world.resume();
    await world.until(() => world.endedIds().size === 2, 5_000);
  });

  it("I14: other banks and connectors notice nothing", async () => {
    const world = await paused(
      dispatcherWorld({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })], bounds: { bufferedRecordsMax: 16 } }),
    );
    await world.dispatch(...all(200));
    await world.dispatch(...numbers(20).map((n) => ({ messageIdentification: messageId(n + 200), bank: "second" })), outcome(300));
    await world.until(() => world.endedIds().size === 21, 2_000);
    expect(new Set(world.received.map(({ bank }) => bank))).toEqual(new Set(["second", "clearing"]));
    await world.pause(1, "clearing");
    await world.dispatch(outcome(301), { messageIdentification: messageId(400), bank: "second" });
    await world.time.advance(minuteMs);
    expect(world.endedIds().has(messageId(400))).toBe(true);
    expect(world.attemptsOf(messageId(301, "O1"))).toEqual([]);
  });

  it("a backlog far beyond memory leaves in order of the log when the bank is resumed, before anything new (I4, I15)", async () => {
    const world = await paused(
      dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })], bounds: { pageMessagesMax: 8, scanMessagesMax: 5 } }),
    );
    await world.dispatch(...all(60));
    await world.time.advance(minuteMs);
    await world.resume();
    await world.until(() => world.received.length > 3);
    await world.dispatch({ messageIdentification: messageId(61) });
    await world.until(() => world.endedIds().size === 61, 10 * minuteMs);
    expect(firstIds(world)).toEqual(numbers(61).map((number) => messageId(number)));
  });

  it("a stop is answered while it lasts, and the answer says that the bank was paused", async () => {
    const world = await paused(dispatcherWorld());
    await world.dispatch(...all(2));
    await world.stop(stopOf(1));
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, mayHaveBeenTaken: false, bankPaused: true }]);
    await world.resume();
    await world.until(() => world.endedIds().size === 2);
    await world.stop(stopOf(3));
    await world.until(() => world.ended().length === 3);
    expect(world.ended().at(-1)).toMatchObject({ messageIdentification: messageId(3), outcome: "STOPPED", bankPaused: false });
    expect(world.attemptsOf(messageId(1))).toEqual([]);
  });

  it("attempts that end meanwhile do not begin again: the close of the day, a credit's deadline", async () => {
    const world = await paused(dispatcherWorld());
    await world.dayTimes(1, startAtMs + 10 * minuteMs);
    await world.dispatch({ messageIdentification: messageId(1) }, credit(2, startAtMs + 5 * minuteMs));
    await world.time.advance(15 * minuteMs);
    await world.resume();
    await world.time.advance(20 * minuteMs);
    expect(world.received).toEqual([]);
    expect(await world.parked("deliveries")).toHaveLength(2);
    expect(world.logged.filter(({ event }) => event === "bank.drained")).toHaveLength(1);
  });

  it("an own deadline goes on: what has one expires, and nothing is sent", async () => {
    const world = await paused(dispatcherWorld());
    await world.dispatch({ closesWith: null, deadlineMs: startAtMs + 5 * minuteMs });
    await world.time.advance(10 * minuteMs);
    expect(world.received).toEqual([]);
    expect(world.receipts()).toMatchObject([{ outcome: "EXPIRED", attempts: 0 }]);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});

describe("a pause over restarts", { timeout: 30_000 }, () => {
  it.each(["stop", "kill"] as const)("%s: the next owner knows of it, and its resume, before it tries anything", async (end) => {
    const world = dispatcherWorld();
    let process = await world.start();
    world.answers(() => 503);
    await world.dispatch(...all(3));
    await world.until(() => world.received.length >= 3);
    await world.pause();
    await world.time.advance(5_000);
    const attempts = world.received.length;
    world.answers(() => 202);
    if (end === "kill") process.kill();
    else await process.stop();
    process = await world.start();
    await world.time.advance(30 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    if (end === "kill") process.kill();
    else await process.stop();
    await world.resume();
    await world.start();
    await world.until(() => world.endedIds().size === 3, 30_000);
  });

  it("one that came while no process ran holds from the first attempt on, whatever lies before it", async () => {
    const banks = [sampleBank({ id: "first" }), sampleBank({ id: "second" })];
    const world = dispatcherWorld({ banks, bounds: { bufferedRecordsMax: 4 } });
    const first = await world.start();
    world.answers(({ bank }) => (bank === "second" ? 202 : 503));
    await world.dispatch(...all(3));
    await world.until(() => world.received.length >= 3);
    await first.stop();
    const attempts = world.received.length;
    await world.time.advance(5 * minuteMs);
    await world.dispatch(...numbers(300).map((number) => ({ messageIdentification: messageId(number + 10), bank: "second" })));
    await world.pause();
    await world.start();
    await world.time.advance(30 * minuteMs);
    expect(world.received.filter(({ bank }) => bank === "first")).toHaveLength(attempts);
  });

  it("what waited 15 minutes when the bank was paused is due once it is resumed, also for an owner that comes after that", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => ({ status: 503, retryAfter: "900" }));
    await world.dispatch(...all(1));
    await world.until(() => world.received.length === 1);
    await world.pause();
    await world.time.advance(1_000);
    await first.stop();
    await world.resume();
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.endedIds().size === 1, 15_000);
    expect(world.received).toHaveLength(2);
  });

  it("so is what memory has no room for", async () => {
    const world = dispatcherWorld({ bounds: { pageMessagesMax: 4 } });
    await world.start();
    world.answers(() => ({ status: 503, retryAfter: "900" }));
    await world.dispatch(...all(12));
    await world.until(() => world.received.length === 12);
    await world.pause();
    await world.time.advance(minuteMs);
    world.answers(() => 202);
    await world.resume();
    await world.until(() => world.endedIds().size === 12, 20_000);
    expect(world.received).toHaveLength(24);
  });

  it("a refusal that was written down and not said is said while the bank is paused", async () => {
    const world = await refusedAndNotSaid();
    await world.until(() => world.ended().length === 2, 30_000);
    expect(world.ended().map(({ outcome, bankPaused }) => [outcome, bankPaused])).toEqual([
      ["REFUSED", false],
      ["REFUSED", true],
    ]);
    expect(world.received).toHaveLength(1);
  });

  it("one that is redriven then is said first, and tried when the bank is resumed", async () => {
    const world = await refusedAndNotSaid(true);
    await world.until(() => world.ended().length === 2, 30_000);
    await world.time.advance(1_000);
    const calls: string[] = [];
    world.hooks.store.observe = ({ operation }) => void calls.push(operation);
    await world.time.advance(30 * minuteMs);
    expect(calls.filter((operation) => operation.startsWith("deliveries"))).toEqual([]);
    expect(world.received).toHaveLength(1);
    await world.resume();
    await world.until(() => world.ended().length === 3, 1_000);
    expect(world.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "REFUSED", "ACKNOWLEDGED"]);
  });

  it("markers that are read again change nothing: the newest number counts", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    for (const number of [1, 2]) {
      await world.pause(number);
      await world.resume(number);
    }
    await world.pause(3);
    await world.time.advance(1_000);
    await first.stop();
    const put = await world.during(world.store.lanes.takeOver("dispatcher", 0));
    await world.during(world.store.lanes.write("dispatcher", 0, put.epoch, 1n));
    await world.start();
    await world.dispatch(...all(1));
    await world.time.advance(minuteMs);
    expect(world.received).toEqual([]);
    await world.resume(3);
    await world.until(() => world.endedIds().size === 1);
  });

  it("a lane that goes over to another process stays paused, and the stop there says so", async () => {
    const world = await paused(dispatcherWorld({ lanes: 4 }));
    await world.dispatch(...all(8));
    await world.time.advance(1_000);
    await world.start();
    world.log.rebalance(groups.dispatcher);
    await world.time.advance(30_000);
    await world.dispatch(...numbers(8).map((number) => ({ messageIdentification: messageId(number, "D") })));
    await world.time.advance(minuteMs);
    expect(world.received).toEqual([]);
    for (const number of numbers(8)) await world.stop(stopOf(number));
    await world.until(() => world.ended().length === 8);
    expect(new Set(world.ended().map(({ bankPaused }) => bankPaused))).toEqual(new Set([true]));
    await world.resume();
    await world.until(() => world.ended().length === 16);
    expect(new Set(world.records(topics.journal, "DeliveryEnded").map(({ outcome }) => outcome))).toEqual(
      new Set(["STOPPED", "ACKNOWLEDGED"]),
    );
  });
});
