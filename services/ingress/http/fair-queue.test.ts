import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

/** Work takes only the time by which it moves the clock. */
function givenTurns(workMs: number) {
  const clock = { spentMs: 0 };
  const time = createVirtualTime({ startAtMs: 0 });
  const turns = createFairQueue({ ...time, after: (...asked) => time.after(...asked), monotonicMs: () => clock.spentMs });
  const done: string[] = [];
  const ask = (caller: string, count: number): void => {
    for (let number = 1; number <= count; number += 1) {
      void turns.run(caller, () => {
        clock.spentMs += workMs;
        done.push(`${caller}${number}`);
      });
    }
  };
  return { time, turns, done, ask };
}

test("little work runs at once, in the order of arrival", () => {
  const { done, ask } = givenTurns(0);
  ask("a", 3);
  ask("b", 2);
  expect(done).toEqual(["a1", "a2", "a3", "b1", "b2"]);
});

test("I14: a caller waits for one message of another caller's flood at a time, not for the flood", async () => {
  const { time, done, ask } = givenTurns(1);
  ask("flood", 100);
  ask("other", 2);
  await time.advance(1_000);
  expect(done.indexOf("other1")).toBeLessThanOrEqual(4);
  expect(done.indexOf("other2")).toBeLessThanOrEqual(6);
  expect(done.filter((name) => name.startsWith("flood"))).toEqual(Array.from({ length: 100 }, (_, index) => `flood${index + 1}`));
});

test("a caller that arrives during a flood takes part from the next round on", async () => {
  const { time, done, ask } = givenTurns(1);
  ask("flood", 100);
  time.after(0, () => ask("late", 1));
  await time.advance(1_000);
  expect(done.indexOf("late1")).toBeLessThan(10);
  expect(done).toHaveLength(101);
});

test("the result or the error of the work goes to its own caller", async () => {
  const { turns } = givenTurns(0);
  expect(await turns.run("a", () => 42)).toBe(42);
  await expect(
    turns.run("a", () => {
      throw new Error("broken");
    }),
  ).rejects.toThrow("broken");
});
