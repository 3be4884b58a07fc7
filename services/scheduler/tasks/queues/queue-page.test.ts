import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createQueuePage } from "./queue-page.ts";

const key = (number: number): string => String(number).padStart(4, "0");

test("keys come out once and in order, whatever order they came in", () => {
  const page = createQueuePage(10);
  for (const number of [3, 1, 2, 1]) page.insert(key(number));
  expect(page.first(10)).toEqual(["0001", "0002", "0003"]);
});

test("a full page drops its last key and is cut there: what is beyond the cut stays in the store", () => {
  const page = createQueuePage(3);
  for (const number of [1, 2, 3, 4]) page.insert(key(number));
  page.insert(key(0));
  page.insert(key(9));
  expect(page.first(10)).toEqual(["0000", "0001", "0002"]);
  expect(page.completeTo).toBe("0002");
});

test("a cut page keeps taking keys below its cut, also when it has run empty", () => {
  const page = createQueuePage(2);
  for (const number of [1, 5, 7]) page.insert(key(number));
  page.remove(key(1));
  page.remove(key(5));
  page.insert(key(4));
  page.insert(key(6));
  expect(page.first(10)).toEqual(["0004"]);
  expect(page.completeTo).toBe("0005");
});

test("a refill continues after the cut, and keys that arrive during it are not lost", () => {
  const page = createQueuePage(3);
  for (const number of [1, 2, 3, 5]) page.insert(key(number));
  for (const number of [1, 2, 3]) page.remove(key(number));
  page.startRefill();
  page.insert(key(7));
  page.finishRefill([key(5), key(6)], false);
  expect(page.first(10)).toEqual(["0005", "0006", "0007"]);
  expect(page.completeTo).toBeNull();
});

test("a refill that ended at its limit leaves the page cut at the last key read", () => {
  const page = createQueuePage(3);
  for (const number of [1, 2, 3, 5]) page.insert(key(number));
  for (const number of [1, 2, 3]) page.remove(key(number));
  page.startRefill();
  page.insert(key(9));
  page.finishRefill([key(5), key(6)], true);
  expect(page.first(10)).toEqual(["0005", "0006"]);
  expect(page.completeTo).toBe("0006");
});

test("when more arrives during a refill than the page can hold, the page stays cut", () => {
  const page = createQueuePage(1);
  for (const number of [1, 2]) page.insert(key(number));
  page.remove(key(1));
  page.startRefill();
  for (const number of [5, 4]) page.insert(key(number));
  page.finishRefill([], false);
  expect(page.first(10)).toEqual([]);
  expect(page.completeTo).toBe("0001");
});

type Step = { readonly kind: "arrive" | "take" | "refill"; readonly number: number };

/** Plays steps on a page and the store behind it. Returns false if the page returns a key that is not the first. */
function play(steps: readonly Step[], keysMax: number): boolean {
  const page = createQueuePage(keysMax);
  const store = new Set<string>();
  const sorted = (): readonly string[] => [...store].toSorted();
  const arrive = (number: number): void => {
    store.add(key(number));
    page.insert(key(number));
  };
  for (const { kind, number } of steps) {
    if (kind === "arrive") arrive(number);
    if (kind === "take") {
      const taken = page.first(1 + (number % 4));
      if (taken.join() !== sorted().slice(0, taken.length).join()) return false;
      for (const one of taken) store.delete(one);
      for (const one of taken) page.remove(one);
    }
    if (kind === "refill" && page.completeTo !== null && page.count < keysMax) {
      const limit = keysMax - page.count;
      const after = page.completeTo;
      page.startRefill();
      const rows = sorted()
        .filter((one) => one > after)
        .slice(0, limit);
      if (number % 2 === 0) arrive(number);
      page.finishRefill(rows, rows.length === limit);
    }
  }
  return page.completeTo !== null || page.first(1_000).join() === sorted().join();
}

test("page and store together never lose a key or change the order, under any order of arrivals, takes and refills", () => {
  const step = fc.record({ kind: fc.constantFrom("arrive" as const, "take" as const, "refill" as const), number: fc.nat(200) });
  const property = fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), play);
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});
