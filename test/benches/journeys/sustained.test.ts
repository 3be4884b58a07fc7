import { expect, test } from "vitest";
import { isSustained, type JourneyTimes } from "./sustained.ts";

const loadMs = 60_000;
const perSecond = 100;

/** Journeys that end as `endsMs` says for the time at which each is due. */
function journeys(endsMs: (dueMs: number) => number | null): readonly JourneyTimes[] {
  const count = (loadMs / 1_000) * perSecond;
  return Array.from({ length: count }, (_, number) => {
    const dueMs = (number * 1_000) / perSecond;
    return { dueMs, endedMs: endsMs(dueMs) };
  });
}

test("a rate is sustained if journeys take as long at the end of the load as in its middle", () => {
  expect(
    isSustained(
      journeys((dueMs) => dueMs + 300),
      loadMs,
    ),
  ).toBe(true);
});

test("a rate is sustained if only the begin was slow", () => {
  expect(
    isSustained(
      journeys((dueMs) => dueMs + (dueMs < 10_000 ? 4_000 : 300)),
      loadMs,
    ),
  ).toBe(true);
});

test("a rate is not sustained if what is begun grows, though all ends within 3 s of the load", () => {
  expect(
    isSustained(
      journeys((dueMs) => dueMs * 1.045 + 300),
      loadMs,
    ),
  ).toBe(false);
});

test("a rate is not sustained if only the slowest journeys of the last third take longer", () => {
  const slow = (dueMs: number): boolean => dueMs > 40_000 && dueMs % 500 === 0;
  expect(
    isSustained(
      journeys((dueMs) => dueMs + (slow(dueMs) ? 900 : 300)),
      loadMs,
    ),
  ).toBe(false);
});

test("a rate is not sustained if a journey did not end", () => {
  expect(
    isSustained(
      journeys((dueMs) => (dueMs === 1_000 ? null : dueMs + 300)),
      loadMs,
    ),
  ).toBe(false);
});

test("a journey more or less at once is chance, and does not count", () => {
  const few: readonly JourneyTimes[] = [5_000, 15_000, 25_000, 35_000, 45_000, 55_000].map((dueMs) => ({
    dueMs,
    endedMs: dueMs + (dueMs === 55_000 ? 340 : 300),
  }));
  expect(isSustained(few, loadMs)).toBe(true);
});
