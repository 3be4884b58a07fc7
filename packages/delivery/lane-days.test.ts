import { describe, expect, it } from "vitest";
import { LaneDays, daysKept } from "./lane-days.ts";

const times = (number: number, reconciliationAtMs: number, businessDate = "2026-11-20") => ({
  scheme: "ZA_EFT",
  businessDate,
  number,
  reconciliationAtMs,
});
const day = "ZA_EFT:2026-11-20";

describe("a lane's days", () => {
  it("a day is over when its planned close has passed by agreed time, and when its marker was read", () => {
    const days = new LaneDays();
    expect(days.isOver(day, 10_000)).toBe(false);
    days.planned(times(1, 5_000));
    expect(days.isOver(day, 4_999)).toBe(false);
    expect(days.isOver(day, 5_000)).toBe(true);
    const other = new LaneDays();
    expect(other.reconciled({ scheme: "ZA_EFT", businessDate: "2026-11-20" })).toBe(day);
    expect(other.isOver(day, 0)).toBe(true);
  });

  it("the newest plan counts, in whatever order plans are read", () => {
    const days = new LaneDays();
    expect(days.planned(times(2, 9_000))).toBe(true);
    expect(days.planned(times(1, 5_000))).toBe(false);
    expect(days.planned(times(2, 5_000))).toBe(false);
    expect(days.closesAtMs(day)).toBe(9_000);
    expect(days.isOver(day, 6_000)).toBe(false);
  });

  it("a plan that comes after the close does not open the day again", () => {
    const days = new LaneDays();
    days.reconciled({ scheme: "ZA_EFT", businessDate: "2026-11-20" });
    days.planned(times(3, 9_000));
    expect(days.isOver(day, 0)).toBe(true);
  });

  it("survives the lane's document", () => {
    const days = new LaneDays();
    days.planned(times(2, 9_000));
    days.reconciled({ scheme: "ZA_EFT", businessDate: "2026-11-19" });
    const again = new LaneDays();
    again.learn(JSON.parse(JSON.stringify(days.state())));
    expect(again.closesAtMs(day)).toBe(9_000);
    expect(again.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    expect(again.planned(times(1, 1))).toBe(false);
  });

  it("what this process has read stays where the document is older, and what the document has read is added", () => {
    const written = new LaneDays();
    written.planned(times(1, 5_000));
    written.reconciled({ scheme: "ZA_EFT", businessDate: "2026-11-19" });
    const days = new LaneDays();
    days.planned(times(2, 9_000));
    days.learn(JSON.parse(JSON.stringify(written.state())));
    expect(days.closesAtMs(day)).toBe(9_000);
    expect(days.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    const later = new LaneDays();
    later.reconciled({ scheme: "ZA_EFT", businessDate: "2026-11-20" });
    later.learn(JSON.parse(JSON.stringify(days.state())));
    expect(later.isOver(day, 0)).toBe(true);
    expect(later.closesAtMs(day)).toBe(9_000);
  });

  it("I15: keeps a bounded number of days, the latest", () => {
    const days = new LaneDays();
    for (let index = 0; index < daysKept + 10; index += 1) {
      const businessDate = new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
      days.planned(times(1, 1, businessDate));
    }
    expect(Object.keys((days.state() as { days: object }).days)).toHaveLength(daysKept);
    expect(days.closesAtMs("ZA_EFT:2026-01-01")).toBeNull();
    expect(days.closesAtMs("ZA_EFT:2026-01-11")).toBe(1);
  });
});
