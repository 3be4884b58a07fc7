// A pause with an end: a maintenance ends by itself in every partition, by the broker clock, without a record.

import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, buildStop, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: dispatchMessageId(number) }));

/** Starts with a bank that takes one message at a time, in maintenance until some minutes after the start. */
async function startInMaintenance(minutes: number): Promise<DispatcherEnvironment> {
  const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 }), sampleBank({ id: "second" })] });
  await environment.start();
  await environment.pause(1, "first", deliveryStartMs + minutes * minuteMs);
  await environment.time.advance(1_000);
  return environment;
}

const atMs = (environment: DispatcherEnvironment): readonly number[] => environment.received.map((request) => request.atMs);

describe("a maintenance", { timeout: 30_000 }, () => {
  it("I4: nothing is sent before its end, and everything that waited right after it, in order [D9 pause]", async () => {
    const environment = await startInMaintenance(10);
    await environment.dispatch(...all(5), { messageIdentification: dispatchMessageId(9), bank: "second" });
    await environment.until(() => environment.endedIds().size === 1, 1_000);
    await environment.until(() => environment.endedIds().size === 6, 11 * minuteMs);
    const toFirst = environment.received.filter(({ receiverId }) => receiverId === "first");
    expect(toFirst.map(({ id }) => id)).toEqual(numbers(5).map((number) => dispatchMessageId(number)));
    expect(toFirst.every((request) => request.atMs >= deliveryStartMs + 10 * minuteMs)).toBe(true);
    expect(toFirst[0]?.atMs).toBeLessThan(deliveryStartMs + 10 * minuteMs + 1_000);
    await environment.dispatch({ messageIdentification: dispatchMessageId(6) });
    await environment.until(() => environment.endedIds().size === 7, 1_000);
  });

  it("messages with long waits are due at its end", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => ({ status: 404 }));
    await environment.dispatch(...all(2));
    await environment.until(() => environment.received.length === 2);
    await environment.pause(1, "first", deliveryStartMs + 2 * minuteMs);
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 2, minuteMs + 1_000);
    expect(environment.ended().map(({ attempts }) => attempts)).toEqual([2, 2]);
  });

  it("a second pause delays its end, brings it forward or removes it; a resume ends it early", async () => {
    for (const [untilMs, expectedMs] of [
      [deliveryStartMs + 20 * minuteMs, deliveryStartMs + 20 * minuteMs],
      [deliveryStartMs + 5 * minuteMs, deliveryStartMs + 5 * minuteMs],
      [null, deliveryStartMs + 30 * minuteMs],
    ] as const) {
      const environment = await startInMaintenance(10);
      await environment.dispatch(...all(1));
      await environment.pause(2, "first", untilMs);
      await environment.time.advance(deliveryStartMs + 30 * minuteMs - environment.time.nowMs());
      if (untilMs === null) await environment.resume(2);
      await environment.until(() => environment.endedIds().size === 1, minuteMs);
      const [firstAtMs = 0] = atMs(environment);
      expect([firstAtMs >= expectedMs, firstAtMs < expectedMs + 1_000]).toEqual([true, true]);
    }
    const early = await startInMaintenance(10);
    await early.dispatch(...all(1));
    await early.time.advance(minuteMs);
    await early.resume();
    await early.until(() => early.endedIds().size === 1, 1_000);
  });

  it.each(["stop", "kill"] as const)("%s: the next owner knows its end, whether in the future or the past", async (end) => {
    for (const startsAfterMs of [minuteMs, 20 * minuteMs]) {
      const environment = createDispatcherEnvironment();
      const process = await environment.start();
      await environment.pause(1, "first", deliveryStartMs + 10 * minuteMs);
      await environment.dispatch(...all(3));
      await environment.time.advance(5_000);
      if (end === "kill") process.kill();
      else await process.stop();
      await environment.time.advance(startsAfterMs);
      await environment.start();
      await environment.until(() => environment.endedIds().size === 3, 11 * minuteMs);
      expect(Math.min(...atMs(environment))).toBeGreaterThanOrEqual(deliveryStartMs + Math.max(10 * minuteMs, startsAfterMs));
    }
  });

  it("a marker that is read after its end pauses nothing", async () => {
    const environment = createDispatcherEnvironment();
    await environment.pause(1, "first", deliveryStartMs + minuteMs);
    await environment.time.advance(5 * minuteMs);
    await environment.start();
    await environment.dispatch(...all(1));
    await environment.until(() => environment.endedIds().size === 1, 10_000);
    expect(environment.ended()).toMatchObject([{ attempts: 1, isReceiverPaused: false }]);
  });

  it("I10: a stop says whether the bank was paused at the append time of the stop, however late it is read", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    await environment.pause(1, "first", deliveryStartMs + 5 * minuteMs);
    await environment.dispatch(...all(2));
    await environment.time.advance(1_000);
    await process.stop();
    await environment.stop(buildStop(1));
    await environment.time.advance(5 * minuteMs);
    await environment.stop(buildStop(2));
    environment.answers(() => 503);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 2, 30_000);
    const said = new Map(
      environment.ended().map(({ messageIdentification, isReceiverPaused }) => [messageIdentification, isReceiverPaused]),
    );
    expect([said.get(dispatchMessageId(1)), said.get(dispatchMessageId(2))]).toEqual([true, false]);
  });
});
