import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { AppendWaits } from "./append-waits.ts";
import type { AppendOutcome } from "./append-outcome.ts";

const record = (partition: number) => ({ topic: "journal", partition, key: null, value: null, headers: {} });
const appended: AppendOutcome = { kind: "appended", partition: 0, offset: 1n, appendedAtMs: 0 };

function givenWaits() {
  const time = createVirtualTime({ startAtMs: 0 });
  const seen = { timers: 0, late: [] as number[], answers: [] as string[] };
  const counted = {
    nowMs: () => time.nowMs(),
    monotonicMs: () => time.monotonicMs(),
    after(delayMs: number, action: () => void) {
      seen.timers += 1;
      return time.after(delayMs, action);
    },
  };
  const waits = new AppendWaits(counted, 1_000, ({ partition }) => seen.late.push(partition));
  const start = (partition: number, waitMaxMs: number) =>
    waits.start(record(partition), waitMaxMs, ({ kind }) => seen.answers.push(`${partition} ${kind} at ${time.nowMs()}`));
  return { time, waits, seen, start };
}

test("a thousand appends that are acknowledged have one timer between them, and each is answered once", async () => {
  const { time, waits, seen, start } = givenWaits();
  for (let number = 0; number < 1_000; number += 1) waits.settle(start(0, 1_000), appended);
  await time.advance(5_000);
  expect([seen.timers, seen.answers.length, seen.late]).toEqual([1, 1_000, []]);
});

test("each caller is answered at its own time, and a partition is late after its whole second, in whatever order they began", async () => {
  const { time, waits, seen, start } = givenWaits();
  start(1, 900);
  await time.advance(100);
  start(2, 300);
  const third = start(3, 1_000);
  await time.advance(600);
  expect([seen.answers, seen.late]).toEqual([["2 unknown at 400"], []]);
  await time.advance(299);
  expect([seen.answers, seen.late]).toEqual([["2 unknown at 400", "1 unknown at 900"], []]);
  await time.advance(50);
  expect(seen.late).toEqual([1]);
  waits.settle(third, appended);
  await time.advance(5_000);
  expect([seen.answers, seen.late]).toEqual([
    ["2 unknown at 400", "1 unknown at 900", "3 appended at 1049"],
    [1, 2],
  ]);
});

test("what settles after its caller was answered answers nobody, and after a stop nobody is answered", async () => {
  const { time, waits, seen, start } = givenWaits();
  const first = start(1, 10);
  await time.advance(20);
  waits.settle(first, appended);
  start(2, 10);
  waits.stop();
  await time.advance(5_000);
  expect([seen.answers, seen.late]).toEqual([["1 unknown at 10"], []]);
});
