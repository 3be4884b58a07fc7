import { describe, expect, it } from "vitest";
import { PartitionDays, daysKept } from "./partition-days.ts";

const times = (number: number, reconciliationAtMs: number, businessDate = "2026-11-20") => ({
  scheme: "ZA_EFT",
  businessDate,
  number,
  reconciliationAtMs,
});
const day = "ZA_EFT:2026-11-20";

describe("the days of a partition", () => {
  it("a day is over when its planned close has passed on the broker clock, and when its marker was read", () => {
    const days = new PartitionDays();
    expect(days.isOver(day, 10_000)).toBe(false);
    days.plan(times(1, 5_000));
    expect(days.isOver(day, 4_999)).toBe(false);
    expect(days.isOver(day, 5_000)).toBe(true);
    const other = new PartitionDays();
    expect(other.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" })).toBe(day);
    expect(other.isOver(day, 0)).toBe(true);
  });

  it("the newest plan counts, in whatever order plans are read", () => {
    const days = new PartitionDays();
    expect(days.plan(times(2, 9_000))).toBe(true);
    expect(days.plan(times(1, 5_000))).toBe(false);
    expect(days.plan(times(2, 5_000))).toBe(false);
    expect(days.closesAtMs(day)).toBe(9_000);
    expect(days.isOver(day, 6_000)).toBe(false);
  });

  it("a plan that comes after the close does not open the day again", () => {
    const days = new PartitionDays();
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" });
    days.plan(times(3, 9_000));
    expect(days.isOver(day, 0)).toBe(true);
  });

  it("the state survives being stored and restored", () => {
    const days = new PartitionDays();
    days.plan(times(2, 9_000));
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-19" });
    const again = new PartitionDays();
    again.restore(JSON.parse(JSON.stringify(days.state())));
    expect(again.closesAtMs(day)).toBe(9_000);
    expect(again.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    expect(again.plan(times(1, 1))).toBe(false);
  });

  it("newer knowledge of this process stays when an older state is restored, and unknown days are added", () => {
    const written = new PartitionDays();
    written.plan(times(1, 5_000));
    written.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-19" });
    const days = new PartitionDays();
    days.plan(times(2, 9_000));
    days.restore(JSON.parse(JSON.stringify(written.state())));
    expect(days.closesAtMs(day)).toBe(9_000);
    expect(days.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    const later = new PartitionDays();
    later.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" });
    later.restore(JSON.parse(JSON.stringify(days.state())));
    expect(later.isOver(day, 0)).toBe(true);
    expect(later.closesAtMs(day)).toBe(9_000);
  });

  it("I15: a bounded number of days is kept, the latest", () => {
    const days = new PartitionDays();
    for (let index = 0; index < daysKept + 10; index += 1) {
      const businessDate = new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
      days.plan(times(1, 1, businessDate));
    }
    expect(Object.keys((days.state() as { days: object }).days)).toHaveLength(daysKept);
    expect(days.closesAtMs("ZA_EFT:2026-01-01")).toBeNull();
    expect(days.closesAtMs("ZA_EFT:2026-01-11")).toBe(1);
  });
});
