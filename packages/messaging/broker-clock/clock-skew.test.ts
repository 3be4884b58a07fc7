import { type Logger, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createBrokerClock } from "./broker-clock.ts";
import { createClockSkew } from "./clock-skew.ts";

function setup() {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000 });
  const lines: string[] = [];
  const gauged: number[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (event, fields) => lines.push(`error ${event} ${String(fields?.["skewMs"])}`),
    info: (event, fields) => lines.push(`info ${event} ${String(fields?.["skewMs"])}`),
  };
  const metrics = { ...silentMetrics, gauge: () => ({ set: (value: number) => void gauged.push(value) }) };
  return { time, logger, metrics, lines, gauged };
}

test("the skew is the append time minus the middle of the round trip, ahead or behind", () => {
  const { time, logger, metrics, gauged } = setup();
  const skew = createClockSkew({ time, logger, metrics });
  expect(skew.skewMs()).toBeNull();
  for (const [aheadMs, tookMs] of [
    [-20, 40],
    [480, 40],
    [-770, 60],
  ] as const)
    skew.measure(time.nowMs() + aheadMs, tookMs);
  expect(gauged).toEqual([0, 500, -740]);
  expect(skew.skewMs()).toBe(-740);
});

test("a skew certainly above a second is logged once as an error, and once when it ends; a slow answer alone is not skew", () => {
  const { time, logger, metrics, lines } = setup();
  const skew = createClockSkew({ time, logger, metrics });
  const measure = (aheadMs: number, tookMs = 10): void => skew.measure(time.nowMs() - tookMs / 2 + aheadMs, tookMs);
  measure(900);
  measure(1_800, 4_000);
  measure(1_900);
  measure(2_000);
  measure(10);
  measure(-1_500);
  expect(lines).toEqual(["error clock.skewed 1900", "info clock.skew-ended 10", "error clock.skewed -1500"]);
});

test("a process measures its skew at the start, and every half minute however busy it is", async () => {
  const { time, logger, metrics, gauged } = setup();
  const clock = createBrokerClock({ time, logger, metrics, probe: () => Promise.resolve(time.nowMs() + 700) });
  for (let second = 0; second < 95; second += 1) {
    await time.advance(1_000);
    clock.observe(time.nowMs() + 700);
  }
  expect(gauged).toEqual([700, 700, 700, 700]);
  expect(clock.skewMs()).toBe(700);
  clock.stop();
});
