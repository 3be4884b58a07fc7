import { describe, expect, it } from "vitest";
import { PartitionDays, daysKeptPerScheme } from "./partition-days.ts";

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
    expect(other.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n)).toBe(day);
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
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n);
    days.plan(times(3, 9_000));
    expect(days.isOver(day, 0)).toBe(true);
  });

  it("the state survives being stored and restored", () => {
    const days = new PartitionDays();
    days.plan(times(2, 9_000));
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-19" }, 7n);
    const again = new PartitionDays();
    again.restore(JSON.parse(JSON.stringify(days.state())));
    expect(again.closesAtMs(day)).toBe(9_000);
    expect(again.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    expect(again.plan(times(1, 1))).toBe(false);
  });

  it("newer knowledge of this process stays when an older state is restored, and unknown days are added", () => {
    const written = new PartitionDays();
    written.plan(times(1, 5_000));
    written.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-19" }, 7n);
    const days = new PartitionDays();
    days.plan(times(2, 9_000));
    days.restore(JSON.parse(JSON.stringify(written.state())));
    expect(days.closesAtMs(day)).toBe(9_000);
    expect(days.isOver("ZA_EFT:2026-11-19", 0)).toBe(true);
    const later = new PartitionDays();
    later.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n);
    later.restore(JSON.parse(JSON.stringify(days.state())));
    expect(later.isOver(day, 0)).toBe(true);
    expect(later.closesAtMs(day)).toBe(9_000);
  });

  it("I15: a bounded number of days is kept of each scheme, the latest", () => {
    const days = new PartitionDays();
    for (let index = 0; index < daysKeptPerScheme + 10; index += 1)
      for (const scheme of ["ZA_EFT", "ZA_RTC"]) days.plan({ ...times(1, 1, dateAt(index)), scheme });
    expect(Object.keys((days.state() as { days: object }).days)).toHaveLength(2 * daysKeptPerScheme);
    expect(days.closesAtMs("ZA_EFT:2026-01-01")).toBeNull();
    for (const scheme of ["ZA_EFT", "ZA_RTC"]) expect(days.closesAtMs(`${scheme}:2026-01-11`)).toBe(1);
  });

  it("a forgotten day is over if a later one of its scheme is reconciled, also after a restore; a day to come is not", () => {
    const days = new PartitionDays();
    for (let index = 0; index < daysKeptPerScheme + 10; index += 1) days.reconcile({ scheme: "ZA_EFT", businessDate: dateAt(index) }, 7n);
    const restored = new PartitionDays();
    restored.restore(JSON.parse(JSON.stringify(days.state())));
    for (const known of [days, restored]) {
      expect(known.isOver("ZA_EFT:2026-01-01", 0)).toBe(true);
      expect(known.isOver("ZA_EFT:2026-12-31", 0)).toBe(false);
      expect(known.isOver("ZA_RTC:2026-01-01", 0)).toBe(false);
    }
  });

  it("a message below the marker of its reconciled day differs from one beyond it", () => {
    const days = new PartitionDays();
    days.plan(times(1, 9_000));
    expect(days.isReconciledBeyond(day, 6n)).toBe(false);
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n);
    expect([6n, 7n, 8n].map((sequence) => days.isReconciledBeyond(day, sequence))).toEqual([true, false, false]);
  });

  it("from where on untried messages are parked is kept until they are removed, also over a restore", () => {
    const days = new PartitionDays();
    days.plan(times(1, 9_000));
    expect([5n, 6n, 3n].map((sequence) => days.noteOver(day, sequence))).toEqual([true, false, true]);
    expect(days.untriedSpans()).toEqual([]);
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n);
    const restored = new PartitionDays();
    restored.restore(JSON.parse(JSON.stringify(days.state())));
    expect(restored.untriedSpans()).toEqual([{ day, from: 3n, below: 7n }]);
    restored.forgetOver(day, 3n);
    expect(restored.untriedSpans()).toEqual([]);
  });

  it("a day that is known follows its own plan, whatever later days of its scheme did", () => {
    const days = new PartitionDays();
    days.plan(times(1, 9_000, "2026-11-19"));
    days.reconcile({ scheme: "ZA_EFT", businessDate: "2026-11-20" }, 7n);
    expect(days.isOver("ZA_EFT:2026-11-19", 8_999)).toBe(false);
  });
});

function dateAt(index: number): string {
  return new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
}
