import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createQuestionTurns, questionWaitMaxMs } from "./question-turns.ts";

function givenTurns() {
  const time = createVirtualTime({ startAtMs: 0 });
  const turns = createQuestionTurns(time);
  const running = new Map<string, number>();
  const highest = new Map<string, number>();
  const started: string[] = [];
  const answers = new Map<string, (string | null)[]>();
  const ask = (caller: string, count: number, tookMs: number): void => {
    for (let number = 0; number < count; number += 1) {
      const work = async (): Promise<string> => {
        started.push(caller);
        for (const name of [caller, "all"]) {
          running.set(name, (running.get(name) ?? 0) + 1);
          highest.set(name, Math.max(highest.get(name) ?? 0, running.get(name) ?? 0));
        }
        await new Promise<void>((resolve) => void time.after(tookMs, resolve));
        for (const name of [caller, "all"]) running.set(name, (running.get(name) ?? 0) - 1);
        return "answered";
      };
      void turns.run(caller, work).then((answer) => answers.set(caller, [...(answers.get(caller) ?? []), answer]));
    }
  };
  return { time, turns, ask, highest, started, answers };
}

test("I14: a bank with sixty questions has four of them answered at once, and another bank's run at once", async () => {
  const { time, ask, highest, answers } = givenTurns();
  ask("many", 60, 100);
  ask("few", 2, 10);
  await time.advance(11);
  expect(answers.get("few")).toEqual(["answered", "answered"]);
  await time.advance(10_000);
  expect(highest.get("many")).toBe(4);
  expect(answers.get("many")).toHaveLength(60);
});

test("I15: banks together have thirty-two questions answered at once, and share them by what theirs take", async () => {
  const { time, ask, highest, started } = givenTurns();
  for (let bank = 0; bank < 8; bank += 1) ask(`dear-${bank}`, 30, 200);
  ask("cheap", 30, 1);
  await time.advance(1_000);
  expect(highest.get("all")).toBe(32);
  expect(started.filter((caller) => caller === "cheap")).toHaveLength(30);
});

test("a question whose turn does not come in time is not run, and its caller learns it then", async () => {
  const { time, ask, started, answers } = givenTurns();
  ask("slow", 6, 9_000);
  await time.advance(questionWaitMaxMs);
  expect([started.length, answers.get("slow")]).toEqual([4, [null, null]]);
  await time.advance(20_000);
  expect([started.length, time.pending()]).toEqual([4, 0]);
});

test("a question that fails gives up its turn", async () => {
  const { time, turns } = givenTurns();
  const failing = Array.from({ length: 8 }, () => turns.run("a", () => Promise.reject(new Error("broken"))));
  const ended = Promise.allSettled(failing);
  await time.advance(1);
  expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "rejected"));
  expect(await turns.run("a", () => Promise.resolve(1))).toBe(1);
});
