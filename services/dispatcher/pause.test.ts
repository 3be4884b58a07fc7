// What an operator's pause of a bank does to its deliveries, and what its resume does.

import { startAtMs } from "@sluice/delivery/delivery-world";
import { createMetrics } from "@sluice/telemetry";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, outcome, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: messageId(number) }));
const firstIds = (world: DispatcherWorld): string[] => world.received.filter(({ attempt }) => attempt === 1).map(({ id }) => id);

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

  it("metrics say which banks are paused, in the lanes of this process, and why messages were parked", async () => {
    const metrics = createMetrics({ withProcess: false });
    const world = dispatcherWorld({ metrics });
    const process = await world.start();
    await world.pause();
    await world.time.advance(500);
    await world.dispatch(...all(2));
    await world.time.advance(500);
    const text = await metrics.text();
    expect(text).toContain('sluice_delivery_bank_paused{bank="first",lane="0"} 1');
    expect(text).toContain('sluice_delivery_parked_total{bank="first",reason="paused"} 2');
    expect(text).toContain('sluice_delivery_waiting_messages{bank="first",lane="0"} 2');
    await process.stop();
    expect(await metrics.text()).toContain('sluice_delivery_bank_paused{bank="first",lane="0"} 0');
    await world.start();
    await world.time.advance(1_000);
    expect(await metrics.text()).toContain('sluice_delivery_bank_paused{bank="first",lane="0"} 1');
    await world.resume();
    await world.until(() => world.endedIds().size === 2);
    await world.redrive({});
    await world.time.advance(500);
    expect(await metrics.text()).toContain('sluice_delivery_bank_paused{bank="first",lane="0"} 0');
    // The second process read the pause that the first one had seen: it lies in the lane's document, and is no transition.
    expect(await metrics.text()).toContain('sluice_delivery_pause_transitions_total{bank="first",lane="0",to="paused"} 1');
    expect(await metrics.text()).toContain('sluice_delivery_pause_transitions_total{bank="first",lane="0",to="active"} 1');
    expect(await metrics.text()).toContain('sluice_delivery_redrives_total{bank="first",result="not-parked"} 1');
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
