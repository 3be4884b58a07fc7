import { type Logger, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { startBrokerClock } from "./broker-clock.ts";

const startAtMs = 1_800_000_000_000;

/** A broker whose clock is `aheadMs` ahead of the process's. */
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
  const clock = startBrokerClock({ time, logger: silentLogger, metrics: silentMetrics, probe });
  return { time, broker, brokerNowMs, clock };
}

test("broker time is unknown before the first sample, then follows the broker's clock and is never ahead of it", async () => {
  const { time, brokerNowMs, clock } = setup(3_600_000);
  expect(clock.nowMs()).toBe(null);
  await time.advance(100);
  for (let second = 0; second < 60; second += 1) {
    await time.advance(997);
    const nowMs = clock.nowMs() ?? 0;
    expect(nowMs).toBeLessThanOrEqual(brokerNowMs());
    expect(nowMs).toBeGreaterThan(brokerNowMs() - 10);
  }
  clock.stop();
});

test("#1: the highest sample counts, so that a record read late does not set the clock back", async () => {
  const { time, brokerNowMs, clock } = setup(0);
  await time.advance(100);
  clock.observe(brokerNowMs());
  const beforeMs = clock.nowMs() ?? 0;
  clock.observe(brokerNowMs() - 60_000);
  expect(clock.nowMs()).toBe(beforeMs);
  await time.advance(1000);
  expect(clock.nowMs()).toBe(beforeMs + 1000);
  clock.stop();
});

test("#2: broker time does not go back when the broker's clock does, and continues with it later", async () => {
  const { time, broker, brokerNowMs, clock } = setup(0);
  await time.advance(100);
  const beforeMs = clock.nowMs() ?? 0;
  broker.aheadMs = -120_000;
  for (let second = 0; second < 110; second += 1) {
    await time.advance(1000);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(beforeMs);
  }
  await time.advance(120_000);
  expect(Math.abs((clock.nowMs() ?? 0) - brokerNowMs())).toBeLessThan(10);
  clock.stop();
});

test("#3: probes are sent at the start, after ten seconds without a fresh sample (old records give none), and every half minute", async () => {
  const { time, broker, brokerNowMs, clock } = setup(0);
  await time.advance(100);
  expect(broker.probes).toBe(1);
  for (let second = 0; second < 25; second += 1) {
    clock.observe(brokerNowMs() - 3_600_000);
    await time.advance(1000);
  }
  expect(broker.probes).toBe(3);
  for (let second = 0; second < 60; second += 1) {
    clock.observe(brokerNowMs() - 2);
    await time.advance(1000);
  }
  expect(broker.probes).toBe(5);
  clock.stop();
});

test("#4: while the broker is down a probe is sent every second, and stop leaves no timer", async () => {
  const { time, broker, clock } = setup(0);
  broker.isUp = false;
  await time.advance(5500);
  expect(broker.probes).toBe(6);
  broker.isUp = true;
  await time.advance(1000);
  expect(clock.nowMs()).not.toBe(null);
  clock.stop();
  await time.advance(1);
  expect(time.pending()).toBe(0);
});

/** A clock that is measured by probes only: each appends in the middle of its round trip, `aheadMs` ahead. */
function setupSkew() {
  const time = createVirtualTime({ startAtMs });
  const lines: string[] = [];
  const gauged: number[] = [];
  const next = { aheadMs: 0, tookMs: 10 };
  const logger: Logger = {
    ...silentLogger,
    error: (event, fields) => lines.push(`error ${event} ${String(fields?.["skewMs"])}`),
    info: (event, fields) => lines.push(`info ${event} ${String(fields?.["skewMs"])}`),
  };
  const metrics = { ...silentMetrics, gauge: () => ({ set: (value: number) => void gauged.push(value * 1_000) }) };
  const probe = async (): Promise<number> => {
    const { aheadMs, tookMs } = next;
    await new Promise<void>((resolve) => time.after(tookMs / 2, resolve));
    const appendedAtMs = time.nowMs() + aheadMs;
    await new Promise<void>((resolve) => time.after(tookMs / 2, resolve));
    return appendedAtMs;
  };
  const clock = startBrokerClock({ time, logger, metrics, probe });
  async function measure(aheadMs: number, tookMs = 10): Promise<void> {
    Object.assign(next, { aheadMs, tookMs });
    for (const before = gauged.length; gauged.length === before;) await time.advance(100);
  }
  return { time, clock, lines, gauged, measure };
}

test("#5: the skew is shown as the append time minus the middle of the round trip, and is certain without its error", async () => {
  const { clock, gauged, measure } = setupSkew();
  expect([clock.skewMs(), clock.ageMs()]).toEqual([null, Infinity]);
  await measure(0, 40);
  await measure(500, 40);
  expect([clock.skewMs(), clock.ageMs() < 200]).toEqual([480, true]);
  await measure(-740, 60);
  expect(clock.skewMs()).toBe(710);
  expect(gauged).toEqual([0, 500, -740]);
  clock.stop();
});

test("#5: a skew certainly above a second is logged once as an error, and once when it ends; a slow answer alone is not skew", async () => {
  const { clock, lines, measure } = setupSkew();
  await measure(900);
  await measure(1_800, 4_000);
  await measure(1_900);
  await measure(2_000);
  await measure(10);
  await measure(-1_500);
  expect(lines).toEqual(["error clock.skewed 1900", "info clock.skew-ended 10", "error clock.skewed -1500"]);
  clock.stop();
});

test("#3: a process measures its skew at the start, and every half minute however busy it is", async () => {
  const { time, clock, gauged, measure } = setupSkew();
  await measure(700);
  for (let second = 0; second < 95; second += 1) {
    await time.advance(1_000);
    clock.observe(time.nowMs() + 700);
  }
  expect(gauged).toEqual([700, 700, 700, 700]);
  clock.stop();
});
