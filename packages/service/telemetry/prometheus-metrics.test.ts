import { expect, test } from "vitest";
import { createMetrics } from "./prometheus-metrics.ts";

test("asking twice for a name gives the same metric", async () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.counter("sluice_debits_total", "Debits.", ["bank"]).add({ bank: "a" });
  metrics.counter("sluice_debits_total", "Debits.", ["bank"]).add({ bank: "a" }, 2);
  expect(await metrics.text()).toContain('sluice_debits_total{bank="a"} 3');
});

test("counts appear at the next scrape, every time", async () => {
  const metrics = createMetrics({ withProcess: false });
  const ends = metrics.counter("sluice_ends_total", "Ends.", ["bank", "outcome"]);
  ends.add({ bank: "a", outcome: "none" }, 0);
  for (let count = 0; count < 5; count += 1) ends.add({ bank: "a", outcome: "x" });
  ends.add({ bank: "b", outcome: "x" });
  const first = await metrics.text();
  for (const line of ['{bank="a",outcome="none"} 0', '{bank="a",outcome="x"} 5', '{bank="b",outcome="x"} 1']) expect(first).toContain(line);
  ends.add({ bank: "a", outcome: "x" }, 2);
  expect(await metrics.text()).toContain('{bank="a",outcome="x"} 7');
  expect(() => ends.add({ bank: "a", wrong: "x" })).toThrow("wrong");
});

test("a name of another kind or without the prefix is refused [D1.3]", () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.counter("sluice_debits_total", "Debits.");
  expect(() => metrics.gauge("sluice_debits_total", "Debits.")).toThrow("another kind");
  expect(() => metrics.gauge("debits", "Debits.")).toThrow("sluice_");
});

test("two registries are independent", async () => {
  const [first, second] = [createMetrics({ withProcess: false }), createMetrics({ withProcess: false })];
  first.gauge("sluice_held_count", "Held.").set(7);
  second.histogram("sluice_write_seconds", "Writes.", [], [1]).observe(0.5);
  expect(await first.text()).toContain("sluice_held_count 7");
  expect(await second.text()).not.toContain("sluice_held_count");
  expect(await second.text()).toContain('sluice_write_seconds_bucket{le="1"} 1');
});

test("a histogram shows the values within each bound, their sum and their count, for each combination of labels", async () => {
  const metrics = createMetrics({ withProcess: false });
  const took = metrics.histogram("sluice_took_seconds", "Took.", ["bank"], [0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 3]) took.observe(seconds, { bank: "a" });
  took.observe(1, { bank: "b" });
  expect(await metrics.text()).toBe(`# HELP sluice_took_seconds Took.
# TYPE sluice_took_seconds histogram
sluice_took_seconds_bucket{le="0.1",bank="a"} 2
sluice_took_seconds_bucket{le="1",bank="a"} 3
sluice_took_seconds_bucket{le="+Inf",bank="a"} 4
sluice_took_seconds_sum{bank="a"} 3.65
sluice_took_seconds_count{bank="a"} 4
sluice_took_seconds_bucket{le="0.1",bank="b"} 0
sluice_took_seconds_bucket{le="1",bank="b"} 1
sluice_took_seconds_bucket{le="+Inf",bank="b"} 1
sluice_took_seconds_sum{bank="b"} 1
sluice_took_seconds_count{bank="b"} 1
`);
  expect(() => took.observe(1, { bank: "c", wrong: "x" })).toThrow("wrong");
  expect(() => metrics.counter("sluice_took_seconds", "Took.")).toThrow("another kind");
});

test("a listed metric shows what its lists name at the scrape, and nothing that they no longer name", async () => {
  const metrics = createMetrics({ withProcess: false });
  const waiting = { name: "sluice_waiting_messages", help: "Waiting.", kind: "gauge", labels: ["receiver"] } as const;
  let [first, calls] = [["a", "b"], 0];
  metrics.listed([waiting], () => {
    calls += 1;
    return first.map((receiver) => ({ name: waiting.name, labels: { receiver }, value: 2 }));
  });
  metrics.listed([waiting], () => [{ name: waiting.name, labels: { receiver: "a" }, value: 1 }]);
  expect(await metrics.text()).toContain('sluice_waiting_messages{receiver="a"} 3\nsluice_waiting_messages{receiver="b"} 2\n');
  first = [];
  expect(await metrics.text()).toBe(`# HELP sluice_waiting_messages Waiting.
# TYPE sluice_waiting_messages gauge
sluice_waiting_messages{receiver="a"} 1
`);
  expect(calls).toBe(2);
});

test("a listed metric must not have the name of another metric, nor an unknown one", async () => {
  const metrics = createMetrics({ withProcess: false });
  metrics.gauge("sluice_held_count", "Held.");
  expect(() => metrics.listed([{ name: "sluice_held_count", help: "Held.", kind: "gauge", labels: [] }], () => [])).toThrow("taken");
  metrics.listed([], () => [{ name: "sluice_other", labels: {}, value: 1 }]);
  expect(() => metrics.text()).toThrow("sluice_other");
});
