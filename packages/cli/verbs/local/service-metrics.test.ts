import { findConfiguration, readMetrics } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { expect, test } from "vitest";
import { findMetricWarnings } from "./service-metrics.ts";

test("metrics are read as a service serves them, including labels with quotes", async () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.gauge("sluice_clock_skew_seconds", "help", ["service"]).set(-1.5, { service: 'a "b" \\ c' });
  metrics.counter("sluice_scheduler_dead_letters_total", "help", ["fact"]).add({ fact: "unreadable" });
  const samples = readMetrics(await metrics.text());
  expect(samples).toContainEqual({ name: "sluice_clock_skew_seconds", labels: { service: 'a "b" \\ c' }, value: -1.5 });
  expect(findMetricWarnings(samples)).toEqual([
    "its clock is -1500 ms off the broker's: correct it; windows are opened by the broker clock",
    "1 record is a dead letter: unreadable",
  ]);
});

test("an address with an open breaker is a warning; one whose breaker has closed again is not", () => {
  const of = (value: number) => `sluice_delivery_breaker_open{receiver="first",endpoint="https://a.test"} ${value}`;
  expect(findMetricWarnings(readMetrics(of(1)))).toEqual([
    "first acknowledges nothing at https://a.test: breaker open; ./sluice bank list says why",
  ]);
  expect(findMetricWarnings(readMetrics(of(0)))).toEqual([]);
});

test("a clock within a second and counters at zero are no warning", () => {
  expect(
    findMetricWarnings(
      readMetrics('sluice_clock_skew_seconds 0.999\nsluice_conservation_broken{partition="3"} 0\nsluice_scheduler_windows_missed_total 0'),
    ),
  ).toEqual([]);
  expect(findMetricWarnings(readMetrics('sluice_conservation_broken{partition="3"} 1'))[0]).toContain("partition 3");
});

test("a partition that stands at a batch that cannot be read is a warning", () => {
  const of = (value: number) => `sluice_partition_unreadable_batches{topic="sluice.journal.v1",partition="3"} ${value}`;
  expect(findMetricWarnings(readMetrics(of(1)))[0]).toContain("sluice.journal.v1/3 stands at a batch that cannot be read");
  expect(findMetricWarnings(readMetrics(of(0)))).toEqual([]);
});

test("the configuration in force is read from its metrics; a refused file is a notice", () => {
  const samples = readMetrics(
    'sluice_configuration_version{version="2026-11",hash="0123456789ab"} 1\nsluice_configuration_since_seconds 1795161600\nsluice_configuration_refused 1\n',
  );
  expect(findConfiguration(samples)).toEqual({ version: "2026-11", hash: "0123456789ab", since: "2026-11-20T08:00:00.000Z" });
  expect(findConfiguration([])).toBeNull();
  expect(findMetricWarnings(samples)).toEqual([expect.stringContaining("is refused")]);
});

test("decisions that wait for a second person are a notice", () => {
  expect(findMetricWarnings(readMetrics("sluice_console_proposals_waiting 2"))).toEqual([
    "2 decisions wait for a second person: ./sluice proposals",
  ]);
  expect(findMetricWarnings(readMetrics("sluice_console_proposals_waiting 0"))).toEqual([]);
});

test("debits that wait at a closed gate while their window is open are a notice", () => {
  const of = (value: number) => `sluice_scheduler_debits_at_closed_gates{bank="first"} ${value}`;
  expect(findMetricWarnings(readMetrics(of(5)))).toEqual([
    "the window is open, and 5 debits to first cannot leave: gate closed; ./sluice held says why",
  ]);
  expect(findMetricWarnings(readMetrics(of(0)))).toEqual([]);
});
