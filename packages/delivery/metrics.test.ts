import { silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { startDeliveryCounts, endOutcomes, parkReasons } from "./metrics.ts";

test("what alarms count is there at the first scrape, with 0 for each receiver", () => {
  const series: string[] = [];
  const counter = (name: string) => ({
    add: (labels: object = {}, by = 1) => void series.push(`${name} ${Object.values(labels).join(" ")} ${by}`),
  });
  startDeliveryCounts({ ...silentMetrics, counter }, [{ id: "first" }, { id: "second" }]);
  const ended = ["first", "second"].flatMap((id) => endOutcomes.map((outcome) => `sluice_delivery_ended_total ${id} ${outcome} 0`));
  const parked = ["first", "second"].flatMap((id) => parkReasons.map((reason) => `sluice_delivery_parked_total ${id} ${reason} 0`));
  expect(series.toSorted()).toEqual([...ended, ...parked].toSorted());
});
