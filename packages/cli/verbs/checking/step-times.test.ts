import { expect, test } from "vitest";
import { createStepTimes } from "./step-times.ts";

test("each step is named with its seconds, also one that failed, after those of all together", async () => {
  let nowMs = 1_000;
  const steps = createStepTimes({ now: () => nowMs });
  const work = (ms: number): Promise<void> => {
    nowMs += ms;
    return Promise.resolve();
  };
  await steps.time("the node", () => work(12_400));
  await expect(steps.time("the image", () => work(1_700).then(() => Promise.reject(new Error("no disk"))))).rejects.toThrow("no disk");
  expect(steps.format()).toBe("14 s: the node 12 s, the image 2 s");
});
