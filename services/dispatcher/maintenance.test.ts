// A pause with an end: a maintenance ends by itself in the lanes, by agreed time, and nobody has to say so.

import { startAtMs } from "@sluice/delivery/delivery-world";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: messageId(number) }));

/** A bank that takes one message at a time, in maintenance until that many minutes after the start. */
async function maintained(minutes: number): Promise<DispatcherWorld> {
  const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 }), sampleBank({ id: "second" })] });
  await world.start();
  await world.pause(1, "first", startAtMs + minutes * minuteMs);
  await world.time.advance(1_000);
  return world;
}

const atMs = (world: DispatcherWorld): readonly number[] => world.received.map((request) => request.atMs);

describe("a maintenance", { timeout: 30_000 }, () => {
  it("I4: nothing is sent before its end, and all that waited right after it, in order [D9 pause]", async () => {
    const world = await maintained(10);
    await world.dispatch(...all(5), { messageIdentification: messageId(9), bank: "second" });
    await world.until(() => world.endedIds().size === 1, 1_000);
    await world.until(() => world.endedIds().size === 6, 11 * minuteMs);
    const toFirst = world.received.filter(({ bank }) => bank === "first");
    expect(toFirst.map(({ id }) => id)).toEqual(numbers(5).map((number) => messageId(number)));
    expect(toFirst.every((request) => request.atMs >= startAtMs + 10 * minuteMs)).toBe(true);
    expect(toFirst[0]?.atMs).toBeLessThan(startAtMs + 10 * minuteMs + 1_000);
    await world.dispatch({ messageIdentification: messageId(6) });
    await world.until(() => world.endedIds().size === 7, 1_000);
  });

  it("what a bank's answers made wait for long is due at its end", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => ({ status: 404 }));
    await world.dispatch(...all(2));
    await world.until(() => world.received.length === 2);
    await world.pause(1, "first", startAtMs + 2 * minuteMs);
    await world.time.advance(minuteMs);
    world.answers(() => 202);
    await world.until(() => world.endedIds().size === 2, minuteMs + 1_000);
    expect(world.ended().map(({ attempts }) => attempts)).toEqual([2, 2]);
  });

  it("a second pause puts its end off, brings it forward or takes it away; a resume ends it early", async () => {
    for (const [untilMs, expectedMs] of [
      [startAtMs + 20 * minuteMs, startAtMs + 20 * minuteMs],
      [startAtMs + 5 * minuteMs, startAtMs + 5 * minuteMs],
      [null, startAtMs + 30 * minuteMs],
    ] as const) {
      const world = await maintained(10);
      await world.dispatch(...all(1));
      await world.pause(2, "first", untilMs);
      await world.time.advance(startAtMs + 30 * minuteMs - world.time.nowMs());
      if (untilMs === null) await world.resume(2);
      await world.until(() => world.endedIds().size === 1, minuteMs);
      const [firstAtMs = 0] = atMs(world);
      expect([firstAtMs >= expectedMs, firstAtMs < expectedMs + 1_000]).toEqual([true, true]);
    }
    const early = await maintained(10);
    await early.dispatch(...all(1));
    await early.time.advance(minuteMs);
    await early.resume();
    await early.until(() => early.endedIds().size === 1, 1_000);
  });

  it.each(["stop", "kill"] as const)("%s: the next owner knows its end, whether it is ahead or behind", async (end) => {
    for (const startsAfterMs of [minuteMs, 20 * minuteMs]) {
      const world = dispatcherWorld();
      const process = await world.start();
      await world.pause(1, "first", startAtMs + 10 * minuteMs);
      await world.dispatch(...all(3));
      await world.time.advance(5_000);
      if (end === "kill") process.kill();
      else await process.stop();
      await world.time.advance(startsAfterMs);
      await world.start();
      await world.until(() => world.endedIds().size === 3, 11 * minuteMs);
      expect(Math.min(...atMs(world))).toBeGreaterThanOrEqual(startAtMs + Math.max(10 * minuteMs, startsAfterMs));
    }
  });

  it("a marker that is read when its end is behind pauses nothing", async () => {
    const world = dispatcherWorld();
    await world.pause(1, "first", startAtMs + minuteMs);
    await world.time.advance(5 * minuteMs);
    await world.start();
    await world.dispatch(...all(1));
    await world.until(() => world.endedIds().size === 1, 10_000);
    expect(world.ended()).toMatchObject([{ attempts: 1, bankPaused: false }]);
  });

  it("I10: a stop says whether the bank was paused by the stop's own append time, however late it is read", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    await world.pause(1, "first", startAtMs + 5 * minuteMs);
    await world.dispatch(...all(2));
    await world.time.advance(1_000);
    await process.stop();
    await world.stop(stopOf(1));
    await world.time.advance(5 * minuteMs);
    await world.stop(stopOf(2));
    world.answers(() => 503);
    await world.start();
    await world.until(() => world.endedIds().size === 2, 30_000);
    const said = new Map(world.ended().map(({ messageIdentification, bankPaused }) => [messageIdentification, bankPaused]));
    expect([said.get(messageId(1)), said.get(messageId(2))]).toEqual([true, false]);
  });
});
