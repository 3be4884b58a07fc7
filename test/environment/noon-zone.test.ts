import { describe, expect, it } from "vitest";
import { dateIn, noonZone, timeIn } from "./noon-zone.ts";

describe("the noon zone", () => {
  it("lies within half an hour of noon at every minute of the day", () => {
    for (let minute = 0; minute < 1_440; minute += 1) {
      const nowMs = Date.UTC(2026, 10, 20) + minute * 60_000 + 29_999;
      const zone = noonZone(nowMs);
      const time = timeIn(zone, nowMs);
      expect([time >= "11:30:00", time <= "12:30:59"]).toEqual([true, true]);
    }
  });

  it("keeps one date from half an hour before to an hour after", () => {
    const nowMs = Date.UTC(2026, 10, 20, 23, 59);
    const zone = noonZone(nowMs);
    expect(new Set([-1_800_000, 0, 3_600_000].map((shiftMs) => dateIn(zone, nowMs + shiftMs))).size).toBe(1);
  });
});
