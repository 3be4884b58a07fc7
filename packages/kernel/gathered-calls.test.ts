import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gatherCalls } from "./gathered-calls.ts";
import { SharedTimer } from "./shared-timer.ts";
import { machineTime as time, sleep } from "./time.ts";

const startAtMs = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: startAtMs });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("calls of the same moment", () => {
  it("go together, at most as many as the bound says, and each caller has its own answer", async () => {
    const calls: number[][] = [];
    const double = gatherCalls<number, number>({
      time,
      itemsMax: 3,
      call: async (items) => {
        calls.push([...items]);
        return items.map((item) => 2 * item);
      },
    });
    const answers = Promise.all([1, 2, 3, 4].map(double));
    await vi.advanceTimersByTimeAsync(1);
    expect(await answers).toEqual([2, 4, 6, 8]);
    const later = double(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(await later).toBe(10);
    expect(calls).toEqual([[1, 2, 3], [4], [5]]);
  });

  it("all learn that the call for all failed, and the next ones are not concerned", async () => {
    let isDown = true;
    const call = async (items: readonly number[]): Promise<readonly number[]> => {
      if (isDown) throw new Error("away");
      return items;
    };
    const ask = gatherCalls({ time, itemsMax: 10, call });
    const failed = Promise.allSettled([ask(1), ask(2)]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    const answer = ask(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe(3);
  });
});

describe("a timer that many share", () => {
  it("calls all that wait together, those that came late too, and none that was cancelled", async () => {
    const timer = new SharedTimer(time, 100);
    const called: string[] = [];
    const note = (name: string) => () => void called.push(`${name} ${time.nowMs() - startAtMs}`);
    timer.wait(note("a"));
    await vi.advanceTimersByTimeAsync(60);
    timer.wait(note("b"));
    timer.wait(note("cancelled"))[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(60);
    timer.wait(note("c"));
    await vi.advanceTimersByTimeAsync(200);
    expect(called).toEqual(["a 100", "b 100", "c 220"]);
  });

  it("fires at once on demand, and waits its full time again afterwards", async () => {
    const timer = new SharedTimer(time, 100);
    const called: number[] = [];
    const again = (): void => {
      called.push(time.nowMs() - startAtMs);
      if (called.length < 3) timer.wait(again);
    };
    timer.wait(again);
    timer.fire();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(called).toEqual([0, 100, 200]);
  });
});

describe("calls that come while one is under way", () => {
  /** A call that lasts as long as its first item says. */
  function slow(options: { readonly behindMaxMs: number; readonly itemsMax?: number; readonly sizeOf?: (item: number) => number }) {
    const calls: string[] = [];
    const ask = gatherCalls<number, number>({
      time,
      itemsMax: 10,
      ...options,
      call: async (items) => {
        calls.push(`${time.nowMs() - startAtMs}: ${items.join(" ")}`);
        await sleep(time, items[0] ?? 0);
        return items;
      },
    });
    return { calls, ask };
  }

  it("go together when it has its answer, and one that comes while nothing is under way goes at once", async () => {
    const { calls, ask } = slow({ behindMaxMs: 10 });
    void ask(5);
    await vi.advanceTimersByTimeAsync(2);
    void ask(6);
    await vi.advanceTimersByTimeAsync(1);
    void ask(7);
    await vi.advanceTimersByTimeAsync(20);
    void ask(8);
    await vi.advanceTimersByTimeAsync(20);
    expect(calls).toEqual(["0: 5", "5: 6 7", "23: 8"]);
  });

  it("do not wait longer than the bound for one that is slow", async () => {
    const { calls, ask } = slow({ behindMaxMs: 10 });
    void ask(2_000);
    await vi.advanceTimersByTimeAsync(5);
    const other = ask(1);
    await vi.advanceTimersByTimeAsync(30);
    expect(await other).toBe(1);
    expect(calls).toEqual(["0: 2000", "15: 1"]);
  });

  it("fill a call by their sizes", async () => {
    const { calls, ask } = slow({ behindMaxMs: 10, itemsMax: 5, sizeOf: (item) => item });
    const answers = Promise.all([3, 2, 1, 9, 4].map(ask));
    await vi.advanceTimersByTimeAsync(30);
    expect(await answers).toEqual([3, 2, 1, 9, 4]);
    expect(calls).toEqual(["0: 3 2", "0: 1", "0: 9", "0: 4"]);
  });

  it("go once more where their call rejects, each alone, so that one that is wrong fails alone", async () => {
    const calls: string[] = [];
    const call = async (items: readonly number[]): Promise<readonly number[]> => {
      calls.push(items.join(" "));
      if (items.includes(2)) throw new Error("2 is wrong");
      return items;
    };
    const ask = gatherCalls({ time, itemsMax: 10, isRepeatedAlone: true, call });
    const answers = Promise.allSettled([1, 2, 3].map(ask));
    await vi.advanceTimersByTimeAsync(1);
    expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(calls).toEqual(["1 2 3", "1", "2", "3"]);
  });
});
