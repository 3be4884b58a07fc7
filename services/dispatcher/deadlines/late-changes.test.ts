// Changes between the choice of a message and the start of its attempt, or during an attempt.

import { sampleBank } from "@sluice/testkit";
import { createMetrics } from "@sluice/service";
import { describe, expect, it } from "vitest";
import { buildCreditDispatch, createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;

describe("between choice and attempt", { timeout: 30_000 }, () => {
  it("I8: a message whose attempts end while the coordinator does not answer is not tried once it answers again", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1, concurrency: "fixed" })] });
    const process = await environment.start();
    await environment.time.advance(2_000);
    const stopsAtMs = environment.time.nowMs() + 6_500;
    environment.answers(() => 503);
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await environment.until(() => environment.received.length === 1);
    environment.answers(() => "silent");
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.attemptsOf(dispatchMessageId(2)).length === 1);
    // The message is chosen, and waits for the connection that the other one uses.
    await environment.time.advance(1_500);
    process.client.cut(6_000);
    await environment.until(() => environment.time.nowMs() > stopsAtMs + minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(1, "C")).filter(({ atMs }) => atMs >= stopsAtMs)).toEqual([]);
  });

  it("I4: a message waits for the running attempt of the one before it, also if the day of that one has closed meanwhile", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt, id }) => (id === dispatchMessageId(1) ? (attempt === 1 ? 503 : { status: 202, afterMs: 3_000 }) : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 2);
    await environment.dayReconciled();
    await environment.time.advance(100);
    await environment.dispatch(buildCreditDispatch(1, environment.time.nowMs() + 10 * minuteMs));
    await environment.until(() => environment.endedIds().size === 2, 20_000);
    const [before] = environment.attemptsOf(dispatchMessageId(1)).slice(1);
    const [after] = environment.attemptsOf(dispatchMessageId(1, "C"));
    expect(after?.atMs).toBeGreaterThanOrEqual(before?.endedAtMs ?? Number.POSITIVE_INFINITY);
  });
});

describe("a probe that waits for a connection", { timeout: 30_000 }, () => {
  it("I12: is not made if the receiver asks to wait meanwhile", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 4, answerTimeoutMs: 30_000 })] });
    await environment.start();
    const hanging = [1, 2, 3].map((number) => dispatchMessageId(number));
    let failures = 0;
    environment.answers(({ id }) => {
      if (hanging.includes(id)) return { status: 503, retryAfter: "60", afterMs: 15_000 };
      failures += 1;
      return failures < 10 ? 500 : 429;
    });
    await environment.dispatch(...Array.from({ length: 8 }, (_, index) => ({ messageIdentification: dispatchMessageId(10 + index) })));
    await environment.until(() => failures === 8);
    await environment.dispatch(...hanging.map((messageIdentification) => ({ messageIdentification })));
    await environment.until(() => environment.logged.some(({ event }) => event === "breaker.opened"));
    expect(hanging.every((id) => environment.attemptsOf(id).length === 1)).toBe(true);
    await environment.until(() => environment.logged.some(({ event }) => event === "endpoint.retry-after"));
    const backedOffAtMs = environment.time.nowMs();
    const before = environment.received.length;
    await environment.time.advance(59_000);
    expect(environment.received.length).toBe(before);
    await environment.until(() => environment.received.length > before, 5_000);
    expect(environment.time.nowMs() - backedOffAtMs).toBeGreaterThanOrEqual(60_000);
  });
});

describe("metrics of a partition that is given up", () => {
  it("no longer show the messages that wait there", async () => {
    const metrics = createMetrics({ withProcess: false });
    const environment = createDispatcherEnvironment({ metrics });
    const process = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(100);
    expect(await metrics.text()).toContain('sluice_delivery_waiting_messages{receiver="first"} 1');
    await process.stop();
    expect(await metrics.text()).not.toContain("sluice_delivery_waiting_messages{");
  });
});

describe("a store that hangs while the process stops", () => {
  it("does not delay it beyond its grace time to write endpoint health", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    environment.answers(() => ({ status: 429, retryAfter: "60" }));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(100);
    environment.hooks.store.slowMs = minuteMs;
    environment.hooks.store.fault = ({ operation }) => (operation === "endpointHealth.write" ? "slow" : "none");
    const fromMs = environment.time.nowMs();
    await process.stop();
    expect(environment.time.nowMs() - fromMs).toBeLessThan(9_000);
  });
});
