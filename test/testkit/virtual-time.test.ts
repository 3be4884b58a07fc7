import { readFile } from "node:fs/promises";
import { sleep } from "@sluice/kernel";
import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.ts";
import { createVirtualTime } from "./virtual-time.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);

async function firingOrder(seed: number | undefined): Promise<string> {
  const time = createVirtualTime(seed === undefined ? { startAtMs } : { startAtMs, seed });
  const order: string[] = [];
  for (const name of "abcdefgh") time.after(10, () => order.push(name));
  await time.advance(10);
  return order.join("");
}

describe("virtual time", () => {
  it("fires timers by due time, and those due together in the order in which they were armed", async () => {
    const time = createVirtualTime({ startAtMs });
    const seen: string[] = [];
    time.after(20, () => seen.push(`c@${time.nowMs() - startAtMs}`));
    time.after(10, () => seen.push(`a@${time.nowMs() - startAtMs}`));
    time.after(10, () => seen.push(`b@${time.monotonicMs()}`));
    await time.advance(15);
    expect(seen).toEqual(["a@10", "b@10"]);
    expect(time.nowMs()).toBe(startAtMs + 15);
    await time.advance(5);
    expect(seen).toEqual(["a@10", "b@10", "c@20"]);
  });

  it("gives the same order for the same seed, and other orders for other seeds", async () => {
    expect(await firingOrder(7)).toBe(await firingOrder(7));
    const orders = new Set(await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => firingOrder(seed))));
    expect(orders.size).toBeGreaterThan(3);
    expect(await firingOrder(undefined)).toBe("abcdefgh");
  });

  it("lets all work that follows from one timer settle before the next fires", async () => {
    const time = createVirtualTime({ startAtMs });
    const seen: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      seen.push(name);
    };
    time.after(1, () => void work("first"));
    time.after(1, () => seen.push("second"));
    await time.advance(1);
    expect(seen).toEqual(["first", "second"]);
  });

  it("fires timers that other timers armed within the same advance", async () => {
    const time = createVirtualTime({ startAtMs });
    const wakes: number[] = [];
    const loop = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn += 1) {
        await sleep(time, 100);
        wakes.push(time.monotonicMs());
      }
    };
    void loop();
    await time.advance(1_000);
    expect(wakes).toEqual([100, 200, 300]);
  });

  it("does not fire a cancelled timer, and ignores a late cancel", async () => {
    const time = createVirtualTime({ startAtMs });
    let fired = 0;
    const timers = Array.from({ length: 3_000 }, () => time.after(5, () => (fired += 1)));
    for (const timer of timers.slice(1)) timer[Symbol.dispose]();
    await time.advance(5);
    timers[0]![Symbol.dispose]();
    expect(fired).toBe(1);
    expect(time.pending()).toBe(0);
  });

  it("reports why a run ended: the condition, the time, no timer left, or too many steps", async () => {
    const time = createVirtualTime({ startAtMs });
    let beats = 0;
    const beat = (): void => {
      beats += 1;
      time.after(10, beat);
    };
    time.after(10, beat);
    expect(await time.run({ until: () => beats === 3, stepsMax: 100 })).toEqual({ because: "until", steps: 3 });
    expect(await time.run({ untilMs: startAtMs + 55, stepsMax: 100 })).toEqual({ because: "time", steps: 2 });
    expect(time.nowMs()).toBe(startAtMs + 55);
    expect(await time.run({ stepsMax: 7 })).toEqual({ because: "steps", steps: 7 });
    expect(await createVirtualTime({ startAtMs }).run({ stepsMax: 1 })).toEqual({ because: "idle", steps: 0 });
  });

  it("moves until some work ends, gives what it gave or failed with, and leaves later timers armed", async () => {
    const time = createVirtualTime({ startAtMs });
    time.after(1_000, () => {});
    const work = async (): Promise<string> => {
      await sleep(time, 100);
      return "done";
    };
    expect(await time.finish(work())).toBe("done");
    expect([time.monotonicMs(), time.pending()]).toEqual([100, 1]);
    await expect(time.finish(work().then(() => Promise.reject(new Error("broken"))))).rejects.toThrow("broken");
    expect(time.monotonicMs()).toBe(200);
  });

  it("waits for work that needs no timer", async () => {
    const time = createVirtualTime({ startAtMs });
    expect(await time.finish(readFile(import.meta.filename, "utf8"))).toContain("waits for work that needs no timer");
  });

  it("throws the error of a timer's action", async () => {
    const time = createVirtualTime({ startAtMs });
    time.after(1, () => {
      throw new Error("broken");
    });
    await expect(time.advance(1)).rejects.toThrow("broken");
  });
});

describe("seeded randomness", () => {
  it("repeats its sequence for a seed, and fills [0, 1) evenly", () => {
    const draw = (seed: number | string): number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 4_000 }, () => random.fraction());
    };
    expect(draw("x")).toEqual(draw("x"));
    expect(draw(1)).not.toEqual(draw(2));
    const numbers = draw(42);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
    expect(seededRandom(3).hex(16)).toMatch(/^[0-9a-f]{32}$/);
  });
});
