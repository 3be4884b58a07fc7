// A pause over restarts, take-overs and rewinds: what an owner may try follows from the topic and the lane's document alone.

import { groups, topics } from "@sluice/contracts";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: messageId(number) }));

/** A message whose refusal its owner had no time to mark as said; then its bank is paused, and an owner comes. */
async function refusedAndNotSaid({ isRedriven = false, isDayOver = false } = {}): Promise<DispatcherWorld> {
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
  if (isDayOver) await world.dayReconciled();
  await world.start();
  return world;
}

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

  it("one whose day is over meanwhile is said all the same", async () => {
    const world = await refusedAndNotSaid({ isDayOver: true });
    await world.until(() => world.ended().length === 2, 30_000);
    await world.time.advance(1_000);
    expect((await world.parked("deliveries")).map(({ ended }) => ended)).toEqual(["refused"]);
    expect(world.received).toHaveLength(1);
  });

  it("one that is redriven then is said first, and tried when the bank is resumed", async () => {
    const world = await refusedAndNotSaid({ isRedriven: true });
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
    const world = dispatcherWorld({ lanes: 4 });
    await world.start();
    await world.pause();
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
