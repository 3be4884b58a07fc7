import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { TimeoutGroup } from "./timeout-group.ts";

function setup() {
  const time = createVirtualTime({ startAtMs: 0 });
  const waits = new TimeoutGroup(time, 100);
  const over: string[] = [];
  const begin = (name: string) => waits.start({ onTimeout: () => over.push(`${name} at ${time.nowMs()}`) });
  return { time, waits, over, begin };
}

test("each timeout expires after its own time, whatever became of those before it", async () => {
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

test("all timeouts share one timer of the clock, and none is left when all have expired or were cancelled", async () => {
  const { time, begin } = setup();
  const waits = Array.from({ length: 50 }, (_, index) => begin(String(index)));
  expect(time.pending()).toBe(1);
  for (const wait of waits) wait[Symbol.dispose]();
  expect(time.pending()).toBe(0);
  begin("last");
  await time.advance(100);
  expect(time.pending()).toBe(0);
});

test("cancelling late or twice changes nothing; a timeout started by the expiry of another has its whole length", async () => {
  const { time, waits, over, begin } = setup();
  const first = waits.start({ onTimeout: () => void begin("after the first") });
  const second = begin("second");
  await time.advance(100);
  for (const wait of [first, second, second]) wait[Symbol.dispose]();
  await time.advance(100);
  expect(over).toEqual(["second at 100", "after the first at 200"]);
});

test("an expiring timeout may cancel the next one", async () => {
  const { time, waits, over, begin } = setup();
  const next: Disposable[] = [];
  waits.start({ onTimeout: () => next[0]?.[Symbol.dispose]() });
  next.push(begin("next"));
  await time.advance(500);
  expect(over).toEqual([]);
  expect(time.pending()).toBe(0);
});
