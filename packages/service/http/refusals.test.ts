import { silentMetrics, silentLogger, type LogFields, type Time } from "@sluice/kernel";
import { describe, expect, test } from "vitest";
import { createMetrics } from "../telemetry/prometheus-metrics.ts";
import { createRefusals, refusalWindowMs } from "./refusals.ts";

function givenRefusals(metrics = silentMetrics) {
  const timers = new Set<{ readonly action: () => void }>();
  const time: Time = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    after(delayMs, action) {
      expect(delayMs).toBe(refusalWindowMs);
      const timer = { action };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
  };
  const endWindow = (): void => {
    for (const timer of timers) {
      timers.delete(timer);
      timer.action();
    }
  };
  const summaries: LogFields[] = [];
  const logger = { ...silentLogger, info: (_event: string, fields: LogFields = {}): void => void summaries.push(fields) };
  const refusals = createRefusals({ time, logger, metrics }, "ingress");
  const refuse = (count: number, remoteAddress: string, status = 404): number =>
    Array.from({ length: count }, () => refusals.hasLine({ status, remoteAddress, caller: null })).filter(Boolean).length;
  return { timers, endWindow, refusals, refuse, summaries };
}

describe("I15: the log lines of refusals", () => {
  test("are few of one address and one status, and the rest is counted in one line", () => {
    const { endWindow, refuse, summaries } = givenRefusals();
    expect([refuse(13_600, "192.0.2.1"), refuse(2, "192.0.2.1", 405), refuse(1, "192.0.2.2")]).toEqual([5, 2, 1]);
    endWindow();
    expect(summaries).toEqual([
      { status: 404, remoteAddress: "192.0.2.1", caller: null, count: 13_595, sources: 1, windowMs: refusalWindowMs },
    ]);
    expect(refuse(1, "192.0.2.1")).toBe(1);
  });

  test("are few of very many addresses, and none is lost from the counts", () => {
    const { endWindow, refuse, summaries } = givenRefusals();
    let lines = 0;
    for (let number = 0; number < 20_000; number += 1) lines += refuse(1, `10.${number >> 8}.0.${number & 255}`);
    endWindow();
    expect(lines).toBe(50);
    expect(summaries.length).toBeLessThanOrEqual(11);
    expect(summaries.reduce((sum, { count }) => sum + Number(count), 0)).toBe(20_000 - 50);
  });

  test("are all there for answers that cost something", () => {
    const { refuse, refusals } = givenRefusals();
    expect([202, 400, 403, 422, 503].map((status) => refuse(100, "192.0.2.1", status))).toEqual([100, 100, 100, 100, 100]);
    refusals.stop();
  });

  test("are written at the stop, and leave no timer behind", () => {
    const { timers, refuse, refusals, summaries } = givenRefusals();
    refuse(7, "192.0.2.1");
    refusals.stop();
    expect([summaries.length, timers.size]).toEqual([1, 0]);
  });
});

test("each failed log-in is counted, with a line or without", async () => {
  const metrics = createMetrics({ withProcess: false });
  const { refuse } = givenRefusals(metrics);
  // An alarm sees an increase only of a series that is there before.
  expect(await metrics.text()).toContain('sluice_failed_log_ins_total{service="ingress"} 0');
  refuse(40, "192.0.2.1", 401);
  refuse(3, "192.0.2.1", 404);
  expect(await metrics.text()).toContain('sluice_failed_log_ins_total{service="ingress"} 40');
});
