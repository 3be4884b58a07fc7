import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFairShares } from "./fair-shares.ts";

/** Serves until nothing waits, and returns who was served and what each had spent by then. */
function serve(costs: Readonly<Record<string, number>>, counts: Readonly<Record<string, number>>): string[] {
  const shares = createFairShares<number>();
  for (const [caller, count] of Object.entries(counts)) for (let number = 0; number < count; number += 1) shares.add(caller, number);
  const served: string[] = [];
  for (let next = shares.take(); next !== null; next = shares.take()) {
    served.push(next.caller);
    shares.charge(next.caller, costs[next.caller] ?? 0);
  }
  return served;
}

test("I14: turns are shared by milliseconds: one work of 50 ms waits for fifty of 1 ms", () => {
  const served = serve({ dear: 50, cheap: 1 }, { dear: 5, cheap: 200 });
  const before = served.slice(0, 110);
  expect(before.filter((caller) => caller === "dear").length).toBeLessThanOrEqual(3);
  expect(before.filter((caller) => caller === "cheap").length).toBeGreaterThanOrEqual(100);
});

test("I14: while callers wait, none gets ahead of another by more than one work's cost", () => {
  const cost = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(fc.array(cost, { minLength: 2, maxLength: 6 }), (costs) => {
      const names = costs.map((_, index) => `caller-${index}`);
      const costOf = Object.fromEntries(names.map((name, index) => [name, costs[index] ?? 1]));
      const spent = new Map(names.map((name) => [name, 0]));
      for (const caller of serve(costOf, Object.fromEntries(names.map((name) => [name, 100]))).slice(0, 100)) {
        spent.set(caller, (spent.get(caller) ?? 0) + (costOf[caller] ?? 0));
        expect(Math.max(...spent.values()) - Math.min(...spent.values())).toBeLessThanOrEqual(2 * Math.max(...costs));
      }
    }),
  );
});

test("a caller that was alone for long does not wait for one that has just come", () => {
  const shares = createFairShares<number>();
  for (let number = 0; number < 10; number += 1) shares.add("old", number);
  for (let turn = 0; turn < 5; turn += 1) {
    shares.take();
    shares.charge("old", 1_000);
  }
  for (let number = 0; number < 10; number += 1) shares.add("new", number);
  const served = Array.from({ length: 8 }, () => {
    const caller = shares.take()?.caller ?? "nobody";
    shares.charge(caller, 1_000);
    return caller;
  });
  expect(served.filter((caller) => caller === "old").length).toBeGreaterThanOrEqual(3);
});

test("work that was taken back is not served, and what waits is counted", () => {
  const shares = createFairShares<string>();
  shares.add("a", "one");
  shares.add("a", "two");
  shares.remove("a", "one");
  shares.remove("a", "unknown");
  shares.remove("b", "unknown");
  expect([shares.waiting(), shares.take()?.work, shares.take(), shares.waiting()]).toEqual([1, "two", null, 0]);
});
