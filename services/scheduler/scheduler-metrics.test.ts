import { silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { startSchedulerCounts, createSchedulerMetrics } from "./scheduler-metrics.ts";

test("what alarms count is there at the first scrape, with 0", () => {
  const series: string[] = [];
  const counter = (name: string) => ({
    add: (labels: object = {}, by = 1) => void series.push(`${name} ${Object.values(labels).join(" ")} ${by}`),
  });
  startSchedulerCounts(createSchedulerMetrics({ ...silentMetrics, counter }), ["ZA_EFT"]);
  expect(series).toEqual(
    expect.arrayContaining([
      "sluice_scheduler_dead_letters_total DirectDebitReceived 0",
      "sluice_scheduler_dead_letters_total unreadable 0",
      "sluice_scheduler_items_total HELD 0",
      "sluice_scheduler_items_total CREDIT_AUTH_DELIVERED 0",
      "sluice_scheduler_items_total UNKNOWN 0",
      "sluice_scheduler_windows_missed_total ZA_EFT 0",
    ]),
  );
});
