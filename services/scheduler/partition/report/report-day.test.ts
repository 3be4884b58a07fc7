import { silentLogger, silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { closesAtMs, opensAtMs, reconciliationAtMs, SchedulerEnvironment } from "../../scheduler.fixture.ts";
import { createSchedulerMetrics } from "../../scheduler-metrics.ts";
import { reportDay } from "./report-day.ts";

const day = "ZA_EFT:2026-11-20";

test("the metric shows when the open window closes, and 0 once it has closed", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const shown: number[] = [];
  const metrics = { ...createSchedulerMetrics(silentMetrics), windowCloses: { set: (value: number) => void shown.push(value) } };
  const report = async (): Promise<void> => {
    const stored = (await environment.settle(environment.store.days.load([day]))).get(day)!;
    const record = { topic: "t", partition: 0, offset: stored.applied, appendedAtMs: 0, key: null, value: null, headers: {} };
    reportDay({ logger: silentLogger, metrics }, 0, stored, { record, decision: "applied" });
  };
  await environment.time.advance(1_000);
  await report();
  expect(shown).toEqual([]);
  await environment.time.advance(opensAtMs + 1_000 - environment.time.nowMs());
  await report();
  expect(shown).toEqual([closesAtMs / 1_000]);
  await environment.time.advance(closesAtMs + 1_000 - environment.time.nowMs());
  await report();
  expect(shown).toEqual([closesAtMs / 1_000, 0]);
  await environment.time.advance(reconciliationAtMs + 1_000 - environment.time.nowMs());
  await report();
  expect(shown).toEqual([closesAtMs / 1_000, 0]);
});
