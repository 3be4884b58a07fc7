// A count that grows with the data, and people who look at it.

import { sleep } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createKeptCount } from "./kept-count.ts";

function openCount() {
  const time = createVirtualTime({ startAtMs: 0 });
  const state = { takesMs: 10, runs: 0, running: 0, runningMax: 0, isBroken: false };
  const kept = createKeptCount(time, async () => {
    state.running += 1;
    state.runningMax = Math.max(state.runningMax, state.running);
    await sleep(time, state.takesMs, new AbortController().signal);
    state.running -= 1;
    if (state.isBroken) throw new Error("the store is away");
    state.runs += 1;
    return { run: state.runs };
  });
  async function read(): Promise<{ readonly run: number; readonly tookMs: number }> {
    const startedMs = time.monotonicMs();
    const { run } = await time.finish(kept.read());
    return { run, tookMs: time.monotonicMs() - startedMs };
  }
  return { time, state, kept, read };
}

test("the first question waits for the count, and a second one soon after it does not count again", async () => {
  const { read, state } = openCount();
  expect([await read(), await read()]).toEqual([
    { run: 1, tookMs: 10 },
    { run: 1, tookMs: 0 },
  ]);
  expect(state.runs).toBe(1);
});

test("I15: a count that takes long is answered by the one before it, and rests ten times as long", async () => {
  const { read, state, time } = openCount();
  await read();
  state.takesMs = 5_000;
  await time.advance(1_001);
  expect(await read()).toEqual({ run: 1, tookMs: 100 });
  await time.advance(4_900);
  expect((await read()).run).toBe(2);
  await time.advance(49_000);
  expect([(await read()).run, state.runs]).toEqual([2, 2]);
});

test("I15: one count runs at a time, however many people ask", async () => {
  const { kept, state, time } = openCount();
  state.takesMs = 5_000;
  const asked = Array.from({ length: 20 }, () => kept.read());
  await time.advance(5_000);
  expect([(await Promise.all(asked)).map(({ run }) => run), state.runningMax]).toEqual([Array.from({ length: 20 }, () => 1), 1]);
});

test("a count that fails leaves the one before it, and the first one is a failure", async () => {
  const { read, state, time } = openCount();
  state.isBroken = true;
  await expect(read()).rejects.toThrow("the store is away");
  state.isBroken = false;
  await read();
  state.isBroken = true;
  await time.advance(2_000);
  expect((await read()).run).toBe(1);
});

test("a count that nobody has to wait for is null until it was made once", async () => {
  const { kept, state, time } = openCount();
  state.takesMs = 5_000;
  const early = kept.readSoon();
  await time.advance(100);
  expect(await early).toBe(null);
  await time.advance(4_900);
  expect([await kept.readSoon(), state.runs]).toEqual([{ run: 1 }, 1]);
});

test("a count that nobody has to wait for is there at once where it takes no time, and fails as the store does", async () => {
  const { kept, state, time } = openCount();
  const first = kept.readSoon();
  await time.advance(10);
  expect(await first).toEqual({ run: 1 });
  const broken = openCount();
  broken.state.isBroken = true;
  const failed = broken.kept.readSoon().catch(String);
  await broken.time.advance(10);
  expect(await failed).toBe("Error: the store is away");
  expect(state.runs).toBe(1);
});
