import { describe, expect, it } from "vitest";
import { plannedOutage, planDemoTimes } from "./day.ts";
import { folderOf, isTooLate, lookBeforeCloseMs, memoryPace, pacesFor, slowedDown } from "./pace.ts";

/** Interval of the probes of an open breaker. */
const probeEveryMs = 10_000;
const nowMs = Date.UTC(2026, 10, 20, 7, 50);

describe("the demo's pace", () => {
  it("plays a day of 200 debits in less than three quarters of a minute, and leaves a killed service at least 15 s", () => {
    const dayMs = (kill: "scheduler" | null): number => {
      const pace = pacesFor({ debits: 200, kill })[0]!;
      return pace.opensInMs + pace.windowMs + pace.reconcilesAfterMs;
    };
    expect(dayMs(null)).toBeLessThanOrEqual(40_000);
    expect(pacesFor({ debits: 200, kill: "scheduler" })[0]!.windowMs).toBeGreaterThanOrEqual(25_000);
  });

  it("plays a day in memory in 24 s, with time for the outage, the next probe and the backlog", () => {
    const { opensInMs, windowMs, reconcilesAfterMs } = memoryPace({ debits: 200 });
    expect(opensInMs + windowMs + reconcilesAfterMs).toBeLessThanOrEqual(24_000);
    expect(plannedOutage.toMs + probeEveryMs / 2).toBeLessThanOrEqual(windowMs);
  });

  it.each([1, 20, 200])("is through with %i debits in memory before somebody looks whether this machine is slow", (debits) => {
    const { opensAtMs, closesAtMs } = planDemoTimes(nowMs, memoryPace({ debits }));
    // Breakers open within a second of the outage, and the backlog takes a second after the probe.
    const throughAfterMs = plannedOutage.fromMs + 1_000 + probeEveryMs + 1_000;
    expect(closesAtMs - opensAtMs - lookBeforeCloseMs).toBeGreaterThanOrEqual(throughAfterMs);
  });

  it("leaves time for the outage, the next probe and the backlog before the window closes, on a fast machine too", () => {
    const { windowMs } = pacesFor({ debits: 1, kill: null })[0]!;
    expect(plannedOutage.toMs + probeEveryMs + 2_000).toBeLessThanOrEqual(windowMs + 3_000);
    expect(slowedDown({ opensInMs: 1, windowMs, reconcilesAfterMs: 1 }, 60_000).windowMs).toBeGreaterThan(windowMs);
  });

  it("gives more debits more time, and a slow machine a second chance", () => {
    const [first, last, ...more] = pacesFor({ debits: 2_000, kill: null });
    expect([first?.isLast, last?.isLast, more.length]).toEqual([false, true, 0]);
    expect(first!.opensInMs).toBeGreaterThan(20_000);
    expect(last!.opensInMs).toBeGreaterThan(first!.opensInMs + 30_000);
  });

  it("keeps each attempt in a folder of its own, because the second needs an empty journal", () => {
    const folders = pacesFor({ debits: 200, kill: null }).map((pace) => folderOf(pace, "/kept/now"));
    expect(new Set(folders).size).toBe(2);
    expect(folders[0]).toBe("/kept/now");
    expect(pacesFor({ debits: 200, kill: null }).map((pace) => folderOf(pace, null))).toEqual([null, null]);
  });

  it("slows down with the machine, within bounds", () => {
    const pace = { opensInMs: 10_000, windowMs: 27_000, reconcilesAfterMs: 3_000 };
    expect(slowedDown(pace, 4_000)).toEqual(pace);
    expect(slowedDown(pace, 8_000)).toEqual({ opensInMs: 20_000, windowMs: 47_000, reconcilesAfterMs: 3_000 });
    expect(slowedDown(pace, 600_000)).toEqual({ opensInMs: 30_000, windowMs: 67_000, reconcilesAfterMs: 3_000 });
  });

  it("detects services that started too late for the day", () => {
    const times = planDemoTimes(nowMs, pacesFor({ debits: 200, kill: null })[0]!);
    expect(isTooLate(times, 200, nowMs + 5_000)).toBe(false);
    expect(isTooLate(times, 200, times.opensAtMs)).toBe(false);
    expect(isTooLate(times, 200, times.closesAtMs - 5_000)).toBe(true);
  });
});
