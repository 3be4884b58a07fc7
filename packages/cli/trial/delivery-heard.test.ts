import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createHeardDeliveries, digestOf, quantile } from "./delivery-heard.ts";
import type { SameOnEveryAttempt } from "./delivery-heard.ts";
import type { PlannedMessage } from "./delivery-plan.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const message: PlannedMessage = { id: "first", uetr, bank: "healthy01", service: "dispatcher", place: 1, operation: "inboundDirectDebit" };
const asAppended: SameOnEveryAttempt = {
  id: "first",
  idempotencyKey: "first",
  operation: "inboundDirectDebit",
  body: Buffer.from("{}"),
  sequence: "",
  previousId: "",
};

function given() {
  const time = createVirtualTime({ startAtMs: 1_000 });
  const heard = createHeardDeliveries(time);
  heard.appending({ message, digest: digestOf(asAppended) }, "A", time.monotonicMs());
  return heard;
}

test("a message waits until its own bank has acknowledged it", () => {
  const heard = given();
  expect([heard.appended(), heard.waiting(), heard.waiting("healthy01"), heard.waiting("healthy02")]).toEqual([1, 1, 1, 0]);
  heard.arrived("healthy01", asAppended);
  heard.arrived("healthy02", asAppended)();
  expect(heard.waiting()).toBe(1);
  heard.arrived("healthy01", asAppended)();
  heard.arrived("healthy01", asAppended)();
  expect([heard.waiting(), heard.acknowledgedOf("dispatcher"), heard.acknowledgedOf("event-publisher")]).toEqual([0, 1, 0]);
  expect(heard.figures()).toMatchObject([
    { bank: "healthy01", messages: 1, first: 1, repeats: 2, unacknowledged: 1, longestQueue: 1 },
    { bank: "healthy02", messages: 0, unacknowledged: 0 },
  ]);
  expect(heard.latenciesMs("A", new Set(["healthy01"]))).toHaveLength(1);
  expect(heard.latenciesMs("B", new Set(["healthy01"]))).toEqual([]);
});

test("arrivals and acknowledgements are counted in one order over all banks", () => {
  const heard = given();
  const early = heard.arrived("healthy01", asAppended);
  heard.arrived("healthy02", asAppended)();
  early();
  expect(heard.attempts()).toMatchObject([
    { bank: "healthy01", arrivedAt: 1, acknowledgedAt: 4 },
    { bank: "healthy02", arrivedAt: 2, acknowledgedAt: 3 },
  ]);
});

test.each<Partial<SameOnEveryAttempt>>([
  { id: "second" },
  { idempotencyKey: "second" },
  { operation: "events" },
  { body: Buffer.from("{ }") },
  { sequence: "2" },
  { previousId: "zero" },
])("another digest, where it comes with %o", (change) => {
  expect(digestOf({ ...asAppended, ...change })).not.toBe(digestOf(asAppended));
});

test("quantiles of what is sorted", () => {
  expect([quantile([], 0.99), quantile([7], 0.5), quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.99)]).toEqual([0, 7, 3, 4]);
});
