import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { machineRandom } from "./random.ts";
import { machineTime } from "./time.ts";

const dayMs = 86_400_000;

describe("a timer of the machine's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("runs once after its delay, even if that is longer than a timer of the platform can be", () => {
    let runs = 0;
    machineTime.after(60 * dayMs, () => (runs += 1));
    vi.advanceTimersByTime(60 * dayMs - 1);
    expect(runs).toBe(0);
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
    vi.advanceTimersByTime(100 * dayMs);
    expect(runs).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("can be cancelled at any time before it runs", () => {
    let runs = 0;
    const timer = machineTime.after(60 * dayMs, () => (runs += 1));
    vi.advanceTimersByTime(40 * dayMs);
    timer[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100 * dayMs);
    expect(runs).toBe(0);
  });
});

test("the machine's hex texts have their length, and none comes twice", () => {
  const lengths = [1, 8, 16, 24, 4_095, 4_096, 4_097, 10_000];
  for (const bytes of lengths) expect(machineRandom.hex(bytes)).toMatch(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
  const texts = Array.from({ length: 5_000 }, (_, number) => machineRandom.hex(number % 2 === 0 ? 8 : 16));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.filter((text) => text.includes("0".repeat(12)))).toEqual([]);
});

test("what was drawn in advance and given out is kept no longer: it may be a secret", () => {
  const asked = vi.spyOn(crypto, "getRandomValues");
  const given = Array.from({ length: 300 }, () => machineRandom.hex(32));
  const kept = asked.mock.calls.map(([drawn]) => Buffer.from(drawn?.buffer ?? []).toString("hex"));
  asked.mockRestore();
  expect(kept.length).toBeGreaterThan(1);
  expect(given.filter((secret) => kept.some((bytes) => bytes.includes(secret)))).toEqual([]);
});
