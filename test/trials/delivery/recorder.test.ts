import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { type AttemptContent, createDeliveryRecorder, digestContent, sortedQuantile } from "./recorder.ts";
import type { TrialMessage } from "./plan.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const message: TrialMessage = { id: "first", uetr, bank: "healthy01", service: "dispatcher", place: 1, operation: "inboundDirectDebit" };
const content: AttemptContent = {
  id: "first",
  idempotencyKey: "first",
  operation: "inboundDirectDebit",
  body: Buffer.from("{}"),
  sequence: "",
  previousId: "",
};

function createRecorder() {
  const time = createVirtualTime({ startAtMs: 1_000 });
  const recorder = createDeliveryRecorder(time);
  recorder.recordAppend({ message, digest: digestContent(content) }, "A", time.monotonicMs());
  return recorder;
}

test("a message waits until its own bank has acknowledged it", () => {
  const recorder = createRecorder();
  expect([recorder.appended(), recorder.waiting(), recorder.waiting("healthy01"), recorder.waiting("healthy02")]).toEqual([1, 1, 1, 0]);
  recorder.recordArrival("healthy01", content);
  recorder.recordArrival("healthy02", content)();
  expect(recorder.waiting()).toBe(1);
  recorder.recordArrival("healthy01", content)();
  recorder.recordArrival("healthy01", content)();
  expect([recorder.waiting(), recorder.acknowledgedBy("dispatcher"), recorder.acknowledgedBy("event-publisher")]).toEqual([0, 1, 0]);
  expect(recorder.figures()).toMatchObject([
    { bank: "healthy01", messages: 1, first: 1, repeats: 2, unacknowledged: 1, longestQueue: 1 },
    { bank: "healthy02", messages: 0, unacknowledged: 0 },
  ]);
  expect(recorder.latenciesMs("A", new Set(["healthy01"]))).toHaveLength(1);
  expect(recorder.latenciesMs("B", new Set(["healthy01"]))).toEqual([]);
});

test("arrivals and acknowledgements are counted in one order over all banks", () => {
  const recorder = createRecorder();
  const early = recorder.recordArrival("healthy01", content);
  recorder.recordArrival("healthy02", content)();
  early();
  expect(recorder.attempts()).toMatchObject([
    { bank: "healthy01", arrivedAt: 1, acknowledgedAt: 4 },
    { bank: "healthy02", arrivedAt: 2, acknowledgedAt: 3 },
  ]);
});

test.each<Partial<AttemptContent>>([
  { id: "second" },
  { idempotencyKey: "second" },
  { operation: "events" },
  { body: Buffer.from("{ }") },
  { sequence: "2" },
  { previousId: "zero" },
])("content that differs in %o has another digest", (change) => {
  expect(digestContent({ ...content, ...change })).not.toBe(digestContent(content));
});

test("a quantile is a value of the sorted list, and 0 of an empty one", () => {
  expect([
    sortedQuantile([], 0.99),
    sortedQuantile([7], 0.5),
    sortedQuantile([1, 2, 3, 4], 0.5),
    sortedQuantile([1, 2, 3, 4], 0.99),
  ]).toEqual([0, 7, 3, 4]);
});
