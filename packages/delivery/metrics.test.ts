import { silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createDeliveryMetrics, endOutcomes, parkReasons, staleCalls, staleResults } from "./metrics.ts";

test("what alarms count is there at the first scrape, with 0, and does not grow with the receivers", () => {
  const series: string[] = [];
  const counter = (name: string) => ({
    add: (labels: object = {}, by = 1) => void series.push([name, ...Object.values(labels), by].join(" ")),
  });
  createDeliveryMetrics({ ...silentMetrics, counter }, createVirtualTime({ startAtMs: 0 }));
  const stale = staleCalls.flatMap((call) => staleResults.map((result) => `sluice_delivery_stale_writes_total ${call} ${result} 0`));
  expect(series.toSorted()).toEqual(
    [
      ...endOutcomes.map((outcome) => `sluice_delivery_ended_total ${outcome} 0`),
      ...parkReasons.map((reason) => `sluice_delivery_parked_total ${reason} 0`),
      "sluice_delivery_backlog_full_total 0",
      ...stale,
    ].toSorted(),
  );
});
