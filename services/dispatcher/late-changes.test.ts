// What changes between the moment that a message is chosen and the moment that its attempt begins, or while one is under way.

import { sampleBank } from "@sluice/testkit";
import { createMetrics } from "@sluice/telemetry";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;

describe("between choice and attempt", { timeout: 30_000 }, () => {
  it("I8: a message whose attempts end while the group is not heard of is not tried when it is heard of again", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1, concurrency: "fixed" })] });
    const process = await world.start();
    await world.time.advance(2_000);
    const stopsAtMs = world.time.nowMs() + 6_500;
    world.answers(() => 503);
    await world.dispatch(credit(1, stopsAtMs));
    await world.until(() => world.received.length === 1);
    world.answers(() => "silent");
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.until(() => world.attemptsOf(messageId(2)).length === 1);
    // Its turn has come, and it waits for the connection that the other one holds.
    await world.time.advance(1_500);
    process.client.cut(6_000);
    await world.until(() => world.time.nowMs() > stopsAtMs + minuteMs);
    expect(world.attemptsOf(messageId(1, "C")).filter(({ atMs }) => atMs >= stopsAtMs)).toEqual([]);
  });

  it("I4: a message follows the attempt under way of the one before it, also where the day of that one has closed meanwhile", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt, id }) => (id === messageId(1) ? (attempt === 1 ? 503 : { status: 202, afterMs: 3_000 }) : 202));
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 2);
    await world.dayReconciled();
    await world.time.advance(100);
    await world.dispatch(credit(1, world.time.nowMs() + 10 * minuteMs));
    await world.until(() => world.endedIds().size === 2, 20_000);
    const [before] = world.attemptsOf(messageId(1)).slice(1);
    const [after] = world.attemptsOf(messageId(1, "C"));
    expect(after?.atMs).toBeGreaterThanOrEqual(before?.endedAtMs ?? Number.POSITIVE_INFINITY);
  });
});

describe("a probe that waits for a connection", { timeout: 30_000 }, () => {
  it("I12: is not made where the receiver asks to wait meanwhile", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 4, answerTimeoutMs: 30_000 })] });
    await world.start();
    const hanging = [1, 2, 3].map((number) => messageId(number));
    let failures = 0;
    world.answers(({ id }) => {
      if (hanging.includes(id)) return { status: 503, retryAfter: "60", afterMs: 15_000 };
      failures += 1;
      return failures < 10 ? 500 : 429;
    });
    await world.dispatch(...Array.from({ length: 8 }, (_, index) => ({ messageIdentification: messageId(10 + index) })));
    await world.until(() => failures === 8);
    await world.dispatch(...hanging.map((messageIdentification) => ({ messageIdentification })));
    await world.until(() => world.logged.some(({ event }) => event === "breaker.opened"));
    expect(hanging.every((id) => world.attemptsOf(id).length === 1)).toBe(true);
    await world.until(() => world.logged.some(({ event }) => event === "bank.gated"));
    const gatedAtMs = world.time.nowMs();
    const before = world.received.length;
    await world.time.advance(59_000);
    expect(world.received.length).toBe(before);
    await world.until(() => world.received.length > before, 5_000);
    expect(world.time.nowMs() - gatedAtMs).toBeGreaterThanOrEqual(60_000);
  });
});

describe("metrics of a lane that is given up", () => {
  it("say nothing of what waits there", async () => {
    const metrics = createMetrics({ withProcess: false });
    const world = dispatcherWorld({ metrics });
    const process = await world.start();
    world.answers(() => 503);
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 1);
    await world.time.advance(100);
    expect(await metrics.text()).toContain('sluice_delivery_waiting_messages{bank="first",lane="0"} 1');
    await process.stop();
    expect(await metrics.text()).toContain('sluice_delivery_waiting_messages{bank="first",lane="0"} 0');
  });
});

describe("a store that hangs while the process stops", () => {
  it("does not keep it beyond its grace time for what was learnt of addresses", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    world.answers(() => ({ status: 429, retryAfter: "60" }));
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 1);
    await world.time.advance(100);
    world.hooks.store.slowMs = minuteMs;
    world.hooks.store.fault = ({ operation }) => (operation === "addresses.write" ? "slow" : "none");
    const fromMs = world.time.nowMs();
    await process.stop();
    expect(world.time.nowMs() - fromMs).toBeLessThan(9_000);
  });
});
