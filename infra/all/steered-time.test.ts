import { machineTime, sleep } from "@sluice/kernel";
import { describe, expect, it } from "vitest";
import { createSteeredTime } from "./steered-time.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);
const hourMs = 3_600_000;

function setUp(more: { readonly quietMs?: number; readonly quietWaitMaxMs?: number } = {}) {
  return createSteeredTime({ machine: machineTime, startAtMs, quietMs: 5, ...more });
}

describe("the clock of the mode `all`", () => {
  it("begins where it is set, and runs as the machine's clock does", async () => {
    const time = setUp();
    expect(time.nowMs() - startAtMs).toBeLessThan(1_000);
    const seen: string[] = [];
    time.after(20, () => void seen.push("late"));
    time.after(5, () => void seen.push("early"));
    time.after(1, () => void seen.push("cancelled"))[Symbol.dispose]();
    await sleep(time, 30);
    expect(seen).toEqual(["early", "late"]);
  });

  it("lets an hour pass: each timer fires at its own time, also one that another arms", async () => {
    const time = setUp();
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(Math.round((time.nowMs() - startAtMs) / 60_000));
      if (seen.length < 100) time.after(60_000, tick);
    };
    time.after(60_000, tick);
    await time.advance(hourMs + 30_000);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect(time.nowMs() - startAtMs).toBeGreaterThanOrEqual(hourMs);
  });

  it("settles what follows from a timer before the next one fires", async () => {
    const time = setUp();
    const seen: string[] = [];
    time.after(10, () => void Promise.resolve().then(() => seen.push("what follows")));
    time.after(10, () => void seen.push("next"));
    await time.advance(1_000);
    expect(seen).toEqual(["what follows", "next"]);
  });

  it("waits for somebody outside who works, and for the quiet after it [D10.39]", async () => {
    const time = setUp();
    const answer = Promise.withResolvers<void>();
    const outside = time.outside(() => answer.promise);
    const moved = time.advance(hourMs);
    await sleep(machineTime, 40);
    expect(time.nowMs() - startAtMs).toBeLessThan(hourMs);
    answer.resolve();
    await outside;
    await moved;
    expect(time.nowMs() - startAtMs).toBeGreaterThanOrEqual(hourMs);
  });

  it("fires timers at the machine's speed while somebody outside works, such as a time-out of a call", async () => {
    const time = setUp();
    const timedOut = time.outside(() => sleep(time, 30));
    await time.advance(hourMs);
    await timedOut;
    expect(time.nowMs() - startAtMs).toBeGreaterThanOrEqual(hourMs);
  });

  it("I15: gives a move up that finds no quiet moment, and goes on with the next", async () => {
    const time = setUp({ quietWaitMaxMs: 20 });
    const answer = Promise.withResolvers<void>();
    const outside = time.outside(() => answer.promise);
    await expect(time.advance(hourMs)).rejects.toMatchObject({ code: "all.never-quiet" });
    answer.resolve();
    await outside;
    await time.advance(hourMs);
    expect(time.nowMs() - startAtMs).toBeGreaterThanOrEqual(hourMs);
  });

  it("does moves one after another", async () => {
    const time = setUp();
    await Promise.all([time.advance(hourMs), time.advance(hourMs)]);
    expect(time.nowMs() - startAtMs).toBeGreaterThanOrEqual(2 * hourMs);
  });
});
