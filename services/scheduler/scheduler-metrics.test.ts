import { type ListedSample, silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createSchedulerMetrics, startSchedulerCounts } from "./scheduler-metrics.ts";

function setUp() {
  const lists: (() => readonly ListedSample[])[] = [];
  const metrics = createSchedulerMetrics({ ...silentMetrics, listed: (_, list) => void lists.push(list) });
  return { metrics, listed: () => lists.flatMap((list) => list()) };
}

test.each([1_000, 10_000])(
  "I15: of %d banks the fifty with most held debits, awaited credits and debits at closed gates are shown, and how many are left out",
  (banks) => {
    const { metrics, listed } = setUp();
    const values = new Map(Array.from({ length: banks }, (_, index) => [`bank-${index}`, index + 1]));
    for (let partition = 0; partition < 12; partition += 1) {
      metrics.setHeldDebits(partition, values);
      metrics.setGateCredits(partition, values);
      metrics.setDebitsAtClosedGates(partition, values);
    }
    const shown = listed();
    const leftOut = shown.filter(({ name }) => name === "sluice_scheduler_left_out_banks");
    expect([shown.length, leftOut.map(({ value }) => value)]).toEqual([154, [banks - 50, banks - 50, banks - 50]]);
    expect(shown.find(({ name }) => name === "sluice_scheduler_held_debits")?.value).toBe(6 * banks * (banks + 1));
    expect(shown.find(({ name }) => name === "sluice_scheduler_gate_credits")).toMatchObject({
      labels: { bank: `bank-${banks - 1}` },
      value: 12 * banks,
    });
  },
);

test("a bank that a partition no longer names has only what other partitions have, and then no series", () => {
  const { metrics, listed } = setUp();
  const held = () => listed().filter(({ name }) => name === "sluice_scheduler_bank_held_debits");
  metrics.setHeldDebits(0, new Map([["a", 2]]));
  metrics.setHeldDebits(1, new Map([["a", 3]]));
  metrics.setHeldDebits(0, new Map());
  expect(held().map(({ labels, value }) => [labels["bank"], value])).toEqual([["a", 3]]);
  metrics.setHeldDebits(1, new Map());
  expect(held()).toEqual([]);
});

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
      "sluice_scheduler_observations_total report-foreign 0",
      "sluice_scheduler_windows_missed_total ZA_EFT 0",
    ]),
  );
});
