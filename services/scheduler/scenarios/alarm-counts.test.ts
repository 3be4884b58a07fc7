// What the alarms count. An alarm whose counter does not grow never fires, whatever its rule says.

import { topics } from "@sluice/contracts";
import { type Metrics, silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { closesAtMs, schedulerStartAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";

/** Counts as a registry does, by name and labels. */
function createCounts() {
  const counts = new Map<string, number>();
  const metrics: Metrics = {
    ...silentMetrics,
    counter: (name) => ({
      add(labels = {}, by = 1) {
        const series = [name, ...Object.values(labels)].join(" ");
        counts.set(series, (counts.get(series) ?? 0) + by);
      },
    }),
  };
  return { metrics, count: (series: string) => counts.get(`sluice_scheduler_${series}`) ?? null };
}

test("the alarms' counters grow with each dead letter, each message without effect and each item", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, banks: ["second"] });
  const { metrics, count } = createCounts();
  await environment.scheduler({ metrics });
  const [uetr, unknown] = [environment.uetr(), environment.uetr()];
  const series = ["dead_letters_total unreadable", "observations_total report-orphan", "observations_total report-foreign"];
  await environment.hold(uetr);
  expect(series.map(count)).toEqual([0, 0, 0]);
  await environment.appendRaw(0, Buffer.from(environment.uetr()), Uint8Array.of(7, 7, 7, 7, 7, 7));
  await environment.append(topics.journal, unknown, environment.report(unknown, "made"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made", { bank: "second" }));
  await environment.time.advance(1_000);
  expect(series.map(count)).toEqual([1, 1, 1]);
  expect(count("items_total RELEASED")).toBe(0);
  await environment.until("item", () => environment.events(uetr).at(-1)?.endsWith("RECONCILIATION") === true);
  expect(count("items_total RELEASED")).toBe(1);
});

test("the alarm's counter grows with each window that nobody opened, and not with one that opened", async () => {
  for (const [startsAtMs, missed] of [
    [schedulerStartAtMs, 0],
    [closesAtMs + 1_000, 1],
  ] as const) {
    const environment = new SchedulerEnvironment({ partitionCount: 1 });
    const { metrics, count } = createCounts();
    await environment.time.advance(startsAtMs - schedulerStartAtMs);
    await environment.scheduler({ metrics });
    await environment.until("closed", () => environment.named(topics.journal, "WindowClosed").length === 1);
    await environment.time.advance(1_000);
    expect(count("windows_missed_total ZA_EFT")).toBe(missed);
  }
});
