import { silentLog, silentMetrics } from "@sluice/telemetry";
import type { Log } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createAgreedTime } from "./agreed-time.ts";
import { createClockSkew } from "./clock-skew.ts";

function given() {
  const time = createVirtualTime({ startAtMs: 1_800_000_000_000 });
  const lines: string[] = [];
  const gauged: number[] = [];
  const log: Log = {
    ...silentLog,
    error: (event, fields) => lines.push(`error ${event} ${String(fields?.["skewMs"])}`),
    info: (event, fields) => lines.push(`info ${event} ${String(fields?.["skewMs"])}`),
  };
  const metrics = { ...silentMetrics, gauge: () => ({ set: (value: number) => void gauged.push(value) }) };
  return { time, log, metrics, lines, gauged };
}

test("skew is the append time against the middle of the round trip, ahead or behind", () => {
  const { time, log, metrics, gauged } = given();
  const skew = createClockSkew({ time, log, metrics });
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

test("above a second for certain is an error once, and one line more when it ends; a slow answer alone proves nothing", () => {
  const { time, log, metrics, lines } = given();
  const skew = createClockSkew({ time, log, metrics });
  const measure = (aheadMs: number, tookMs = 10): void => skew.measure(time.nowMs() - tookMs / 2 + aheadMs, tookMs);
  measure(900);
  measure(1_800, 4_000);
  measure(1_900);
  measure(2_000);
  measure(10);
  measure(-1_500);
  expect(lines).toEqual(["error clock.skewed 1900", "info clock.right-again 10", "error clock.skewed -1500"]);
});

test("a process measures it at its start, and every half minute however busy it is", async () => {
  const { time, log, metrics, gauged } = given();
  const agreed = createAgreedTime({ time, log, metrics, probe: () => Promise.resolve(time.nowMs() + 700) });
  for (let second = 0; second < 95; second += 1) {
    await time.advance(1_000);
    agreed.saw(time.nowMs() + 700);
  }
  expect(gauged).toEqual([700, 700, 700, 700]);
  expect(agreed.skewMs()).toBe(700);
  agreed.stop();
});
