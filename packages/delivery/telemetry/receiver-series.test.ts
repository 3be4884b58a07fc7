import type { ListedSample, Metrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createDeliveryMetrics } from "../metrics.ts";

/** Lines of one histogram series: its buckets, the bucket beyond all bounds, sum and count. */
const histogramLines = 16;
const linesMax = 3_000;

/** Counts the lines of a scrape, and keeps the newest value of each series. */
function createScrape() {
  const series = new Map<string, number>();
  const lists: (() => readonly ListedSample[])[] = [];
  const keep = (name: string, labels: object = {}, value = 0): void => void series.set(`${name} ${JSON.stringify(labels)}`, value);
  const metrics: Metrics = {
    counter: (name) => ({ add: (labels) => keep(name, labels) }),
    gauge: (name) => ({ set: (value, labels) => keep(name, labels, value) }),
    histogram: (name) => ({
      observe: (_, labels) => {
        for (let line = 0; line < histogramLines; line += 1) keep(`${name} ${line}`, labels);
      },
    }),
    listed: (_, list) => void lists.push(list),
    text: () => Promise.resolve(""),
  };
  const listed = (): readonly ListedSample[] => lists.flatMap((list) => list());
  return { metrics, listed, lines: (): number => series.size + listed().length };
}

const partitions = Array.from({ length: 12 }, (_, partition) => String(partition));

function setUp() {
  const time = createVirtualTime({ startAtMs: 1_000_000 });
  const scrape = createScrape();
  return { time, ...scrape, delivery: createDeliveryMetrics(scrape.metrics, time) };
}

/** A receiver with two endpoints, everything of which is in trouble. */
function trouble({ delivery }: Pick<ReturnType<typeof setUp>, "delivery">, receiver: string): void {
  for (const partition of partitions) {
    delivery.waiting.set(3, { receiver, partition });
    delivery.paused.set(1, { receiver, partition });
    delivery.pauseTransitions.add({ receiver, partition, to: "paused" });
  }
  for (const name of ["a", "b"]) {
    const ofEndpoint = { receiver, endpoint: `https://${name}.${receiver}.test` };
    delivery.concurrency.set(16, ofEndpoint);
    delivery.concurrency.set(2, ofEndpoint);
    delivery.breakerOpen.set(1, ofEndpoint);
    delivery.breakerTransitions.add({ ...ofEndpoint, to: "open" });
    delivery.throttleTransitions.add({ ...ofEndpoint, to: "throttled" });
    delivery.probes.add({ ...ofEndpoint, class: "transient" });
    delivery.retryAfterSeconds.set(30, ofEndpoint);
  }
  for (const answer of ["acknowledged", "transient", "address", "refused"]) delivery.attempts.add({ receiver, class: answer });
  for (const outcome of ["acknowledged", "refused", "stopped", "expired"]) delivery.ended.add({ receiver, outcome });
  for (const reason of ["paused", "breaker", "slot"]) delivery.parked.add({ receiver, reason });
  delivery.redrives.add({ receiver, result: "applied" });
  delivery.attemptSeconds.observe(0.1, { receiver });
}

test.each([1_000, 10_000])("I15: a scrape has at most 3,000 lines while all of %d receivers are in trouble", (receivers) => {
  const environment = setUp();
  for (let index = 0; index < receivers; index += 1) trouble(environment, `bank-${index}`);
  expect(environment.lines()).toBeLessThanOrEqual(linesMax);
  expect(environment.lines()).toBeGreaterThan(500);
});

test("I15: what a scrape lists does not grow with the receivers in trouble, and the number left out is shown", () => {
  const counts = [1_000, 10_000].map((receivers) => {
    const environment = setUp();
    for (let index = 0; index < receivers; index += 1) trouble(environment, `bank-${index}`);
    const listed = environment.listed();
    const leftOut = listed.find(({ name }) => name === "sluice_delivery_left_out_receivers");
    return [listed.length, leftOut?.value];
  });
  expect(counts.map(([, leftOut]) => leftOut)).toEqual([950, 9_950]);
  expect(counts[0]?.[0]).toBe(counts[1]?.[0]);
});

function shownReceivers({ listed }: Pick<ReturnType<typeof setUp>, "listed">): readonly (string | undefined)[] {
  return listed().flatMap(({ name, labels }) => (name === "sluice_delivery_waiting_messages" ? [labels["receiver"]] : []));
}

function valuesOf({ listed }: Pick<ReturnType<typeof setUp>, "listed">, name: string): readonly (readonly [string, number])[] {
  return listed().flatMap((one) => (one.name === name ? [[Object.values(one.labels).join(" "), one.value] as const] : []));
}

test("the worst trouble is shown first, and the receiver that is longest in it", () => {
  const environment = setUp();
  const { delivery } = environment;
  for (let index = 0; index < 60; index += 1) delivery.waiting.set(1, { receiver: `waits-${index}`, partition: "0" });
  delivery.paused.set(1, { receiver: "paused", partition: "0" });
  delivery.breakerOpen.set(1, { receiver: "dead", endpoint: "https://dead.test" });
  delivery.retryAfterSeconds.set(30, { receiver: "throttles", endpoint: "https://throttles.test" });
  const shown = shownReceivers(environment);
  expect(shown.slice(0, 4)).toEqual(["dead", "paused", "throttles", "waits-0"]);
  expect(shown).toHaveLength(50);
  expect(valuesOf(environment, "sluice_delivery_troubled_receivers")).toEqual([
    ["breaker-open", 1],
    ["paused", 1],
    ["throttled", 1],
    ["waiting", 60],
  ]);
  expect(valuesOf(environment, "sluice_delivery_backlog_messages")).toEqual([["", 60]]);
});

test("a receiver is shown from the begin of its trouble to its end, with its partitions added up", () => {
  const environment = setUp();
  const { delivery } = environment;
  delivery.ended.add({ receiver: "first", outcome: "acknowledged" });
  expect(shownReceivers(environment)).toEqual([]);
  delivery.waiting.set(2, { receiver: "first", partition: "0" });
  delivery.waiting.set(3, { receiver: "first", partition: "7" });
  delivery.parked.add({ receiver: "first", reason: "slot" });
  delivery.ended.add({ receiver: "first", outcome: "acknowledged" });
  expect(valuesOf(environment, "sluice_delivery_waiting_messages")).toEqual([["first", 5]]);
  expect(valuesOf(environment, "sluice_delivery_receiver_parked_total")).toEqual([["first", 1]]);
  expect(valuesOf(environment, "sluice_delivery_receiver_ended_total")).toEqual([["first acknowledged", 1]]);
  delivery.waiting.set(0, { receiver: "first", partition: "0" });
  expect(valuesOf(environment, "sluice_delivery_waiting_messages")).toEqual([["first", 3]]);
  delivery.waiting.set(0, { receiver: "first", partition: "7" });
  expect(shownReceivers(environment)).toEqual([]);
});

test("the time since which nothing was acknowledged begins with the trouble, and again with each acknowledgement", async () => {
  const environment = setUp();
  const { delivery, time } = environment;
  const since = () => valuesOf(environment, "sluice_delivery_unacknowledged_since_seconds")[0]?.[1];
  delivery.waiting.set(1, { receiver: "first", partition: "0" });
  await time.advance(60_000);
  delivery.ended.add({ receiver: "first", outcome: "refused" });
  expect(since()).toBe(1_000);
  delivery.ended.add({ receiver: "first", outcome: "acknowledged" });
  expect(since()).toBe(1_060);
});

test("a receiver whose breaker flaps stays for half an hour, with the openings counted", async () => {
  const environment = setUp();
  const { delivery, time } = environment;
  const labels = { receiver: "first", endpoint: "https://first.test" };
  for (let opening = 0; opening < 3; opening += 1) {
    delivery.breakerOpen.set(1, labels);
    delivery.breakerTransitions.add({ ...labels, to: "open" });
    delivery.breakerOpen.set(0, labels);
    await time.advance(60_000);
  }
  expect(valuesOf(environment, "sluice_delivery_breaker_opened_total")).toEqual([["first https://first.test", 3]]);
  expect(valuesOf(environment, "sluice_delivery_troubled_receivers").map(([, count]) => count)).toEqual([0, 0, 0, 0]);
  await time.advance(30 * 60_000);
  expect(shownReceivers(environment)).toEqual([]);
});

test("a learnt limit is trouble while it is below the configured one, whose change is none", () => {
  const environment = setUp();
  const { delivery } = environment;
  const labels = { receiver: "first", endpoint: "https://first.test" };
  delivery.concurrency.set(16, labels);
  expect(shownReceivers(environment)).toEqual([]);
  delivery.concurrency.set(4, labels);
  expect(valuesOf(environment, "sluice_delivery_concurrency")).toEqual([["first https://first.test", 4]]);
  expect(valuesOf(environment, "sluice_delivery_connections")).toEqual([["first https://first.test", 16]]);
  delivery.forgetEndpoint(labels);
  delivery.concurrency.set(4, labels);
  expect(shownReceivers(environment)).toEqual([]);
});
