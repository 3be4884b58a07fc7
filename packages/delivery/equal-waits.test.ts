import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { EqualWaits } from "./equal-waits.ts";

function setup() {
  const time = createVirtualTime({ startAtMs: 0 });
  const waits = new EqualWaits(time, 100);
  const over: string[] = [];
  const begin = (name: string) => waits.begin({ late: () => over.push(`${name} at ${time.nowMs()}`) });
  return { time, waits, over, begin };
}

test("each wait is over after its own time, whatever became of those before it", async () => {
  const { time, over, begin } = setup();
  const first = begin("first");
  await time.advance(10);
  begin("second");
  await time.advance(10);
  const third = begin("third");
  begin("fourth");
  first[Symbol.dispose]();
  third[Symbol.dispose]();
  await time.advance(1_000);
  expect(over).toEqual(["second at 110", "fourth at 120"]);
});

test("one timer of the clock is enough for all, and none is left when all are over or given up", async () => {
  const { time, begin } = setup();
  const waits = Array.from({ length: 50 }, (_, index) => begin(String(index)));
  expect(time.pending()).toBe(1);
  for (const wait of waits) wait[Symbol.dispose]();
  expect(time.pending()).toBe(0);
  begin("last");
  await time.advance(100);
  expect(time.pending()).toBe(0);
});

test("a wait that is given up late, or twice, changes nothing; one that is begun by another's end has its whole time", async () => {
  const { time, waits, over, begin } = setup();
  const first = waits.begin({ late: () => void begin("after the first") });
  const second = begin("second");
  await time.advance(100);
  for (const wait of [first, second, second]) wait[Symbol.dispose]();
  await time.advance(100);
  expect(over).toEqual(["second at 100", "after the first at 200"]);
});

test("a wait may give up the next one when it is over", async () => {
  const { time, waits, over, begin } = setup();
  const next: Disposable[] = [];
  waits.begin({ late: () => next[0]?.[Symbol.dispose]() });
  next.push(begin("next"));
  await time.advance(500);
  expect(over).toEqual([]);
  expect(time.pending()).toBe(0);
});
