import { describe, expect, it } from "vitest";
import { planWindows, schedulerLabels, windowsPerDayMax } from "./plan.ts";

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

describe("the plan of a trial of windows", () => {
  it("is equal for equal seeds and different for different ones", () => {
    expect(planWindows(3, 60)).toEqual(planWindows(3, 60));
    expect(planWindows(3, 60)).not.toEqual(planWindows(4, 60));
  });

  it("distributes the windows over as few days as can hold them, in order and without overlap", () => {
    for (const windows of [1, 10, 24, 25, 200]) {
      const rounds = planWindows(1, windows);
      expect(rounds).toHaveLength(Math.ceil(windows / windowsPerDayMax));
      expect(rounds.reduce((sum, round) => sum + round.windows.length, 0)).toBe(windows);
      for (const round of rounds) {
        const edges = round.windows.flatMap(({ opensAtMs, closesAtMs }) => [opensAtMs, closesAtMs]);
        expect(edges).toEqual([...new Set(edges)].toSorted((a, b) => a - b));
        expect(edges.every((atMs) => atMs % 1_000 === 0)).toBe(true);
        expect(round.reconciliationAtMs).toBeGreaterThan(edges.at(-1) ?? 0);
      }
    }
  });

  it("has a kill, a stop and a changed clock of a scheduler in every round, and gates opened by connector and by clock", () => {
    for (const seed of seeds) {
      for (const { faults } of planWindows(seed, 48)) {
        const ofSchedulers = faults.filter(({ label }) => label.startsWith("scheduler"));
        expect(new Set(ofSchedulers.map(({ kind }) => kind))).toEqual(new Set(["kill", "stop", "clock"]));
      }
      expect(new Set(planWindows(seed, 48).map(({ creditsFinal }) => creditsFinal)).size).toBe(2);
    }
  });

  it("gives every scheduler a wrong clock: two ahead and one behind", () => {
    for (const seed of seeds) {
      for (const { offsetsMs } of planWindows(seed, 48)) {
        const offsets = schedulerLabels.map((label) => Math.sign(offsetsMs[label] ?? 0));
        expect(offsets.toSorted((a, b) => a - b)).toEqual([-1, 1, 1]);
      }
    }
  });

  it("never has two faults of one process at a time, or all schedulers away", () => {
    for (const seed of seeds) {
      for (const { faults } of planWindows(seed, 200)) {
        const away = faults.filter(({ kind }) => kind !== "clock");
        for (const [index, one] of away.entries()) {
          const concurrent = away.filter(
            (other, place) => place !== index && other.atMs <= one.atMs && one.atMs < other.atMs + other.forMs,
          );
          expect(concurrent.filter(({ label }) => label === one.label)).toEqual([]);
          const schedulers = [one, ...concurrent].filter(({ label }) => label.startsWith("scheduler"));
          expect(schedulers.length).toBeLessThan(schedulerLabels.length);
        }
      }
    }
  });
});
