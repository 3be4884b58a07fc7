import { createMetrics } from "@sluice/telemetry";
import { expect, test } from "vitest";
import { noticesIn, readMetrics } from "./service-metrics.ts";

test("metrics are read as a service serves them, labels with quotes included", async () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.gauge("sluice_clock_skew_milliseconds", "help", ["service"]).set(-1_500, { service: 'a "b" \\ c' });
  metrics.counter("sluice_scheduler_dead_letters_total", "help", ["fact"]).add({ fact: "unreadable" });
  const samples = readMetrics(await metrics.text());
  expect(samples).toContainEqual({ name: "sluice_clock_skew_milliseconds", labels: { service: 'a "b" \\ c' }, value: -1_500 });
  expect(noticesIn(samples)).toEqual([
    "its clock is -1500 ms off the log's: correct it; windows are opened by the log's time",
    "1 records (unreadable) lie in the dead letters",
  ]);
});

test("an address that takes nothing is a notice; one that was closed again is none", () => {
  const of = (value: number) => `sluice_delivery_breaker_open{bank="first",address="https://a.test"} ${value}`;
  expect(noticesIn(readMetrics(of(1)))).toEqual(["first takes nothing at https://a.test: breaker open; ./sluice bank list says why"]);
  expect(noticesIn(readMetrics(of(0)))).toEqual([]);
});

test("a clock within a second, and counters at none, are no notice", () => {
  expect(
    noticesIn(
      readMetrics('sluice_clock_skew_milliseconds 999\nsluice_conservation_broken{lane="3"} 0\nsluice_scheduler_windows_missed_total 0'),
    ),
  ).toEqual([]);
  expect(noticesIn(readMetrics('sluice_conservation_broken{lane="3"} 1'))[0]).toContain("lane 3");
});
