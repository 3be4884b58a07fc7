import { silentLog, silentMetrics } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createAgreedTime } from "./agreed-time.ts";

const startAtMs = 1_800_000_000_000;

/** A broker whose clock is `aheadMs` before the process's. */
function setup(aheadMs: number) {
  const time = createVirtualTime({ startAtMs });
  const broker = { aheadMs, isUp: true, probes: 0 };
  const brokerNowMs = (): number => startAtMs + time.monotonicMs() + broker.aheadMs;
  const probe = async (): Promise<number> => {
    broker.probes += 1;
    if (!broker.isUp) throw new Error("down");
    const appendedAtMs = brokerNowMs();
    await new Promise<void>((resolve) => time.after(3, resolve));
    return appendedAtMs;
  };
  const agreed = createAgreedTime({ time, log: silentLog, metrics: silentMetrics, probe });
  return { time, broker, brokerNowMs, agreed };
}

test("it is unknown until the first append was seen, then follows the log's clock, never ahead of it", async () => {
  const { time, brokerNowMs, agreed } = setup(3_600_000);
  expect(agreed.nowMs()).toBe(null);
  await time.advance(100);
  for (let second = 0; second < 60; second += 1) {
    await time.advance(997);
    const nowMs = agreed.nowMs() ?? 0;
    expect(nowMs).toBeLessThanOrEqual(brokerNowMs());
    expect(nowMs).toBeGreaterThan(brokerNowMs() - 10);
  }
  agreed.stop();
});

test("#1: the highest sight counts: a record read late does not set it back", async () => {
  const { time, brokerNowMs, agreed } = setup(0);
  await time.advance(100);
  agreed.saw(brokerNowMs());
  const beforeMs = agreed.nowMs() ?? 0;
  agreed.saw(brokerNowMs() - 60_000);
  expect(agreed.nowMs()).toBe(beforeMs);
  await time.advance(1000);
  expect(agreed.nowMs()).toBe(beforeMs + 1000);
  agreed.stop();
});

test("#2: it never goes back when the log's clock does, and goes on with it later", async () => {
  const { time, broker, brokerNowMs, agreed } = setup(0);
  await time.advance(100);
  const beforeMs = agreed.nowMs() ?? 0;
  broker.aheadMs = -120_000;
  for (let second = 0; second < 110; second += 1) {
    await time.advance(1000);
    expect(agreed.nowMs()).toBeGreaterThanOrEqual(beforeMs);
  }
  await time.advance(120_000);
  expect(Math.abs((agreed.nowMs() ?? 0) - brokerNowMs())).toBeLessThan(10);
  agreed.stop();
});

test("#3: a probe at the start, after ten seconds without a fresh sight (old records are none), and every half minute in any case", async () => {
  const { time, broker, brokerNowMs, agreed } = setup(0);
  await time.advance(100);
  expect(broker.probes).toBe(1);
  for (let second = 0; second < 25; second += 1) {
    agreed.saw(brokerNowMs() - 3_600_000);
    await time.advance(1000);
  }
  expect(broker.probes).toBe(3);
  for (let second = 0; second < 60; second += 1) {
    agreed.saw(brokerNowMs() - 2);
    await time.advance(1000);
  }
  expect(broker.probes).toBe(5);
  agreed.stop();
});

test("#4: while the log is down it asks every second, and no timer is left after stop", async () => {
  const { time, broker, agreed } = setup(0);
  broker.isUp = false;
  await time.advance(5500);
  expect(broker.probes).toBe(6);
  broker.isUp = true;
  await time.advance(1000);
  expect(agreed.nowMs()).not.toBe(null);
  agreed.stop();
  await time.advance(1);
  expect(time.pending()).toBe(0);
});
