import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createFairQueue, turnWaitMaxMs } from "./fair-queue.ts";

/** Work takes only the time by which it moves the clock, and a timer takes a millisecond at least, as the machine's. */
function givenTurns(workMs: number) {
  const clock = { spentMs: 0 };
  const time = createVirtualTime({ startAtMs: 0 });
  const turns = createFairQueue({
    ...time,
    after: (delayMs, action) => time.after(Math.max(1, delayMs), action),
    monotonicMs: () => clock.spentMs,
  });
  const done: string[] = [];
  const ask = (caller: string, count: number): void => {
    for (let number = 1; number <= count; number += 1) {
      void turns.run(caller, () => {
        clock.spentMs += workMs;
        done.push(`${caller}${number}`);
      });
    }
  };
  return { time, clock, turns, done, ask };
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

test("I14: a message that costs fifty times as much does not get as many turns as a cheap one", async () => {
  const { time, done, clock, turns } = givenTurns(1);
  const ask = (caller: string, count: number, costMs: number): void => {
    for (let number = 0; number < count; number += 1)
      void turns.run(caller, () => {
        clock.spentMs += costMs;
        done.push(caller);
      });
  };
  ask("dear", 100, 50);
  ask("cheap", 100, 1);
  await time.advance(400);
  expect(done.lastIndexOf("cheap")).toBeLessThan(110);
  expect(done.filter((caller) => caller === "cheap")).toHaveLength(100);
});

test("work whose turn does not come within half a second is not done, and its caller learns it then", async () => {
  const { time, done, turns, clock } = givenTurns(2);
  const answers: (string | null)[] = [];
  for (let number = 0; number < 2_000; number += 1) {
    const work = (): number => {
      clock.spentMs += 2;
      return done.push("done");
    };
    void turns.run("flood", work).then((answer) => answers.push(answer === null ? "late" : "in time"));
  }
  await time.advance(turnWaitMaxMs - 1);
  expect(answers).not.toContain("late");
  await time.advance(1);
  expect(answers).toHaveLength(2_000);
  expect(answers.filter((answer) => answer === "in time")).toHaveLength(done.length);
  await time.advance(10_000);
  expect(done.length).toBeLessThan(2_000);
  expect(time.pending()).toBe(0);
});

test("a caller that arrives during a flood takes part from the next round on", async () => {
  const { time, done, ask } = givenTurns(1);
  ask("flood", 100);
  time.after(0, () => ask("late", 1));
  await time.advance(1_000);
  expect(done.indexOf("late1")).toBeLessThan(10);
  expect(done).toHaveLength(101);
});

test("documents wait until no message waits, and not for ever", async () => {
  const { time, ask, done, turns } = givenTurns(1);
  ask("flood", 50);
  const early = turns.afterMessages().then((isFree) => done.push(`document ${isFree}`));
  await time.advance(200);
  await early;
  expect(done.indexOf("document true")).toBeGreaterThanOrEqual(50);
  expect(await turns.afterMessages()).toBe(true);
  ask("flood", 5_000);
  const late = turns.afterMessages();
  await time.advance(turnWaitMaxMs);
  expect(await late).toBe(false);
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
