// A day of the addresses of receivers, by hand: what is kept, how exact it is, and what it takes.

import { expect, test } from "vitest";
import { createAddressHistory, slotCount, slotMs } from "./address-history.ts";

const startMs = Date.UTC(2026, 10, 20, 6);
const limit = {
  receiver: "first",
  service: "dispatcher",
  origin: "https://first.test",
  concurrency: 4,
  isBreakerOpen: false,
  isRetryAfter: false,
};

test("a quarter of an hour has the percentiles of each operation, never too small and at most a tenth too large", () => {
  const history = createAddressHistory();
  for (let ms = 1; ms <= 1_000; ms += 1) history.acknowledged("first", "inboundDirectDebit", ms, startMs);
  history.acknowledged("first", "events", 7, startMs);
  const { latencies } = history.of("first", startMs);
  expect(latencies.map(({ operation, slots }) => [operation, slots.length])).toEqual([
    ["events", 1],
    ["inboundDirectDebit", 1],
  ]);
  const slot = latencies[1]?.slots[0];
  expect(slot).toMatchObject({ fromMs: startMs, acknowledged: 1_000 });
  expect(slot?.p50Ms).toBeGreaterThanOrEqual(500);
  expect(slot?.p50Ms).toBeLessThanOrEqual(551);
  expect(slot?.p99Ms).toBeGreaterThanOrEqual(990);
  expect(slot?.p99Ms).toBeLessThanOrEqual(1_090);
  expect(history.of("second", startMs)).toEqual({ latencies: [], limits: [] });
});

test("a slot that is over keeps its numbers, the next one begins again, and after a day the first is gone", () => {
  const history = createAddressHistory();
  history.acknowledged("first", "a", 10, startMs);
  history.acknowledged("first", "a", 1_000, startMs + slotMs);
  const read = (nowMs: number) =>
    history.of("first", nowMs).latencies.flatMap(({ slots }) => slots.map(({ fromMs, p50Ms }) => [fromMs, p50Ms]));
  expect(read(startMs + slotMs)).toEqual([
    [startMs, 11],
    [startMs + slotMs, 1_052],
  ]);
  expect(read(startMs + slotCount * slotMs).map(([fromMs]) => fromMs)).toEqual([startMs + slotMs]);
  expect(history.size).toBe(1);
  expect(read(startMs + (slotCount + 1) * slotMs)).toEqual([]);
  expect(history.size).toBe(0);
});

test("a limited quarter of an hour has the fewest requests at once and how long breaker and Retry-After held", () => {
  const history = createAddressHistory();
  history.limited([], startMs);
  history.limited([{ ...limit, isBreakerOpen: true }], startMs + 10_000);
  history.limited([{ ...limit, concurrency: 2, isBreakerOpen: true }], startMs + 20_000);
  history.limited([{ ...limit, concurrency: 8, isRetryAfter: true }], startMs + 30_000);
  const slot = { fromMs: startMs, concurrencyMin: 2, breakerOpenSeconds: 20, retryAfterSeconds: 10 };
  expect(history.of("first", startMs + 30_000).limits).toEqual([{ service: "dispatcher", origin: "https://first.test", slots: [slot] }]);
  history.limited([{ ...limit, isBreakerOpen: true }], startMs + 630_000);
  expect(history.of("first", startMs + 630_000).limits[0]?.slots[0]).toMatchObject({ breakerOpenSeconds: 80 });
});

test("it says since when it watches, at most for a day", () => {
  const history = createAddressHistory();
  expect(history.sinceMs(startMs)).toBeNull();
  history.limited([], startMs + 5);
  expect(history.sinceMs(startMs + 6)).toBe(startMs + 5);
  expect(history.sinceMs(startMs + slotCount * slotMs)).toBe(startMs + slotMs);
});

test("what comes after the last place is left out, and said; a day later there is room again", () => {
  const history = createAddressHistory(2);
  for (const receiver of ["a", "b", "c"]) history.acknowledged(receiver, "x", 1, startMs);
  expect([history.size, history.isWhole, history.of("c", startMs).latencies]).toEqual([2, false, []]);
  history.limited([], startMs + slotCount * slotMs);
  expect([history.size, history.isWhole]).toEqual([0, true]);
  history.acknowledged("c", "x", 1, startMs + slotCount * slotMs);
  expect(history.of("c", startMs + slotCount * slotMs).latencies).toHaveLength(1);
});
