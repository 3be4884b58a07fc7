import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BusinessDate,
  firstReconciliationCloseAfter,
  isWorkingDay,
  type NamedDates,
  offUsBusinessDate,
  onUsBusinessDate,
  planDay,
  type SchemeTimes,
  subServiceFor,
} from "./index.ts";

const times: SchemeTimes = {
  calendar: { version: "1", zone: "Africa/Johannesburg", workingDays: [1, 2, 3, 4, 5, 6], holidays: ["2026-11-24"] },
  processing: [{ opens: "08:00", closes: "16:00" }],
  reconciliation: "17:30",
  cutOffMs: 900_000,
};
const night: SchemeTimes = { ...times, processing: [{ opens: "22:00", closes: "+1d 02:00" }], reconciliation: "+1d 04:00" };
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

const unnamed: NamedDates = { requestedCollectionDate: null, settlementDate: null, onNonWorkingDay: "refuse" };

function computeDate(received: string, named: Partial<NamedDates> = {}, of = times): BusinessDate {
  return onUsBusinessDate(of, at(received), { requestedCollectionDate: null, settlementDate: null, onNonWorkingDay: "refuse", ...named });
}
const on = (requestedCollectionDate: string, over: Partial<NamedDates> = {}): Partial<NamedDates> => ({ requestedCollectionDate, ...over });

test("without a named date the business date is the first whose cut-off is ahead; the cut-off itself is in time", () => {
  expect(computeDate("2026-11-20T15:45:00+02:00")).toEqual({ businessDate: "2026-11-20", subService: "SAME_DAY" });
  expect(computeDate("2026-11-20T15:45:00.001+02:00")).toEqual({ businessDate: "2026-11-21", subService: "ONE_DAY" });
  expect(computeDate("2026-11-21T18:00:00+02:00")).toEqual({ businessDate: "2026-11-23", subService: "ONE_DAY" });
  expect(computeDate("2026-11-23T18:00:00+02:00")).toEqual({ businessDate: "2026-11-25", subService: "ONE_DAY" });
});

test("the requested collection date comes before the settlement date, and dates are those of the scheme's zone", () => {
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2026-11-23", { settlementDate: "2026-11-20" }))).toEqual({
    businessDate: "2026-11-23",
    subService: "TWO_DAY",
  });
  expect(computeDate("2026-11-20T10:00:00+02:00", { settlementDate: "2026-11-21" })).toEqual({
    businessDate: "2026-11-21",
    subService: "ONE_DAY",
  });
  expect(computeDate("2026-11-20T22:30:00Z", on("2026-11-21"))).toEqual({ businessDate: "2026-11-21", subService: "SAME_DAY" });
});

test("a past date is DT01, today after its cut-off is TM01, more than 366 days ahead is DT01 [D9 business-date]", () => {
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2026-11-19"))).toMatchObject({ refused: "DT01" });
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2026-11-15", { onNonWorkingDay: "next" }))).toMatchObject({ refused: "DT01" });
  expect(computeDate("2026-11-20T15:45:00.001+02:00", on("2026-11-20"))).toMatchObject({ refused: "TM01" });
  expect(computeDate("2026-11-20T15:45:00+02:00", on("2026-11-20"))).toMatchObject({ businessDate: "2026-11-20" });
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2027-11-22"))).toMatchObject({ refused: "DT01" });
  expect(computeDate("2026-11-19T10:00:00+02:00", on("2027-11-20"))).toMatchObject({ businessDate: "2027-11-20" });
});

test("a non-working day is DT01, or becomes the next working day where the bank wants that [D9 business-date]", () => {
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2026-11-22"))).toMatchObject({ refused: "DT01" });
  expect(computeDate("2026-11-20T10:00:00+02:00", on("2026-11-22", { onNonWorkingDay: "next" }))).toEqual({
    businessDate: "2026-11-23",
    subService: "TWO_DAY",
  });
  expect(computeDate("2026-11-22T10:00:00+02:00", on("2026-11-22", { onNonWorkingDay: "next" }))).toEqual({
    businessDate: "2026-11-23",
    subService: "ONE_DAY",
  });
});

test("a text that is no date is DT01, and the refusal never repeats it", () => {
  for (const wrong of ["2026-02-30", "20261120", "tomorrow", ""]) {
    const refused = computeDate("2026-11-20T10:00:00+02:00", on(wrong));
    expect(refused).toEqual({ refused: "DT01", text: "requestedCollectionDate is not a date" });
  }
});

test("the date that began yesterday is still in time if its window goes over midnight", () => {
  expect(computeDate("2026-11-21T01:00:00+02:00", {}, night)).toEqual({ businessDate: "2026-11-20", subService: "SAME_DAY" });
  expect(computeDate("2026-11-21T01:00:00+02:00", on("2026-11-20"), night)).toMatchObject({ businessDate: "2026-11-20" });
  expect(computeDate("2026-11-21T01:46:00+02:00", on("2026-11-20"), night)).toMatchObject({ refused: "DT01" });
  expect(computeDate("2026-11-21T01:46:00+02:00", {}, night)).toMatchObject({ businessDate: "2026-11-21" });
});

function offUs(received: string, settlementDate: string | null, of = times): string {
  const { businessDate, subService } = offUsBusinessDate(of, at(received), settlementDate);
  return `${businessDate} ${subService}`;
}

test("an off-us debit takes its settlement date, else the date of receipt [D9 business-date-off-us]", () => {
  expect(offUs("2026-11-20T10:00:00+02:00", "2026-11-23")).toBe("2026-11-23 TWO_DAY");
  expect(offUs("2026-11-20T10:00:00+02:00", null)).toBe("2026-11-20 SAME_DAY");
  expect(offUs("2026-11-20T22:30:00Z", null)).toBe("2026-11-21 SAME_DAY");
  expect(offUs("2026-11-21T01:00:00+02:00", null, night)).toBe("2026-11-21 SAME_DAY");
  expect(offUs("2026-11-21T01:00:00+02:00", "2026-11-20", night)).toBe("2026-11-20 SAME_DAY");
  expect(offUs("2026-11-20T10:00:00+02:00", "2029-11-20")).toBe("2029-11-20 TWO_DAY");
});

test("an off-us debit whose date is past, not working or beyond its cut-off takes the next window's, and is never refused", () => {
  expect(offUs("2026-11-20T10:00:00+02:00", "2026-11-01")).toBe("2026-11-20 SAME_DAY");
  expect(offUs("2026-11-20T15:45:00.001+02:00", "2026-11-19")).toBe("2026-11-21 ONE_DAY");
  expect(offUs("2026-11-20T15:45:00+02:00", "2026-11-20")).toBe("2026-11-20 SAME_DAY");
  expect(offUs("2026-11-20T15:45:00.001+02:00", null)).toBe("2026-11-21 ONE_DAY");
  expect(offUs("2026-11-22T10:00:00+02:00", null)).toBe("2026-11-23 ONE_DAY");
  expect(offUs("2026-11-20T10:00:00+02:00", "2026-11-29")).toBe("2026-11-30 TWO_DAY");
  expect(offUs("2026-11-20T10:00:00+02:00", "2026-02-30")).toBe("2026-11-20 SAME_DAY");
});

test("a date whose window falls into a missing hour is no business date", () => {
  const calendar = { ...times.calendar, zone: "Europe/Berlin", workingDays: [1, 2, 3, 4, 5, 6, 7] };
  const inGap = { ...times, calendar, processing: [{ opens: "02:00", closes: "03:00" }], reconciliation: "04:00" };
  const received = "2027-03-27T12:00:00+01:00";
  expect(computeDate(received, {}, inGap)).toMatchObject({ businessDate: "2027-03-29", subService: "ONE_DAY" });
  expect(computeDate(received, on("2027-03-28"), inGap)).toEqual({ refused: "DT01", text: "requestedCollectionDate is not a working day" });
  expect(computeDate(received, on("2027-03-28", { onNonWorkingDay: "next" }), inGap)).toMatchObject({ businessDate: "2027-03-29" });
  expect(offUs(received, "2027-03-28", inGap)).toBe("2027-03-29 ONE_DAY");
  expect(firstReconciliationCloseAfter(inGap, at(received), 0).businessDate).toBe("2027-03-29");
});

test("the reconciliation close is the first that is at least the given time later", () => {
  const hour = 3_600_000;
  expect(firstReconciliationCloseAfter(times, at("2026-11-20T16:30:00+02:00"), hour)).toEqual({
    businessDate: "2026-11-20",
    closesAtMs: at("2026-11-20T17:30:00+02:00"),
  });
  expect(firstReconciliationCloseAfter(times, at("2026-11-20T16:30:00.001+02:00"), hour).businessDate).toBe("2026-11-21");
  expect(firstReconciliationCloseAfter(times, at("2026-11-21T17:00:00+02:00"), hour).businessDate).toBe("2026-11-23");
  expect(firstReconciliationCloseAfter(night, at("2026-11-21T02:59:00+02:00"), hour).businessDate).toBe("2026-11-20");
  expect(firstReconciliationCloseAfter(night, at("2026-11-21T03:01:00+02:00"), hour).businessDate).toBe("2026-11-21");
});

test.each([times, night, { ...night, calendar: { ...times.calendar, zone: "Europe/Berlin" } }])(
  "a remembered close or business date is the one that would be computed, whatever was asked before",
  (of) => {
    const minute = 60_000;
    const instants = fc.integer({ min: at("2026-10-20T00:00:00Z") / minute, max: at("2026-11-30T00:00:00Z") / minute });
    fc.assert(
      fc.property(fc.array(instants, { minLength: 2, maxLength: 20 }), (asked) => {
        for (const atMs of asked.flatMap((instant) => [instant * minute, instant * minute + 1])) {
          const unknown = { ...of, calendar: { ...of.calendar } };
          expect(firstReconciliationCloseAfter(of, atMs, 3_600_000)).toEqual(firstReconciliationCloseAfter(unknown, atMs, 3_600_000));
          expect(onUsBusinessDate(of, atMs, unnamed)).toEqual(onUsBusinessDate({ ...unknown }, atMs, unnamed));
          expect(offUsBusinessDate(of, atMs, null)).toEqual(offUsBusinessDate({ ...unknown }, atMs, null));
        }
      }),
      { numRuns: 30 },
    );
  },
);

test("the sub-service counts working days from receipt [D8.16]", () => {
  const received = at("2026-11-21T10:00:00+02:00");
  expect(["2026-11-21", "2026-11-23", "2026-11-25"].map((date) => subServiceFor(times, received, date))).toEqual([
    "SAME_DAY",
    "ONE_DAY",
    "TWO_DAY",
  ]);
});

const zones = ["Africa/Johannesburg", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "+05:00"];
const instant = fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") });

function earlierWorkingDates(of: SchemeTimes, date: string): readonly string[] {
  const earlier = [1, 2, 3, 4].map((days) => Temporal.PlainDate.from(date).subtract({ days }).toString());
  return earlier.filter((one) => isWorkingDay(of.calendar, one));
}

test("an accepted date works and its cut-off is ahead; without a named date no earlier one would do", () => {
  const holds = (zone: string, receivedAtMs: number, days: number | null, isNight: boolean): boolean => {
    const of = { ...(isNight ? night : times), calendar: { ...times.calendar, zone } };
    const today = Temporal.Instant.fromEpochMilliseconds(receivedAtMs).toZonedDateTimeISO(zone).toPlainDate();
    const requestedCollectionDate = days === null ? null : today.add({ days }).toString();
    const answer = onUsBusinessDate(of, receivedAtMs, { requestedCollectionDate, settlementDate: null, onNonWorkingDay: "next" });
    if ("refused" in answer) return days !== null && (days <= 0 || days > 366);
    const { businessDate } = answer;
    if (!isWorkingDay(of.calendar, businessDate) || planDay(of, "X", businessDate).cutOffAtMs < receivedAtMs) return false;
    if (requestedCollectionDate !== null) return businessDate >= requestedCollectionDate;
    return earlierWorkingDates(of, businessDate).every((date) => planDay(of, "X", date).cutOffAtMs < receivedAtMs);
  };
  const days = fc.option(fc.integer({ min: -5, max: 400 }));
  const property = fc.property(fc.constantFrom(...zones), instant, days, fc.boolean(), holds);
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("every off-us debit has a business date with its cut-off ahead, never before the one it names", () => {
  const holds = (zone: string, receivedAtMs: number, days: number, isNight: boolean): boolean => {
    const of = { ...(isNight ? night : times), calendar: { ...times.calendar, zone } };
    const wanted = Temporal.Instant.fromEpochMilliseconds(receivedAtMs).toZonedDateTimeISO(zone).toPlainDate().add({ days }).toString();
    const { businessDate } = offUsBusinessDate(of, receivedAtMs, wanted);
    const plan = planDay(of, "X", businessDate);
    return plan.isWorkingDay && plan.cutOffAtMs >= receivedAtMs && businessDate >= wanted;
  };
  const property = fc.property(fc.constantFrom(...zones), instant, fc.integer({ min: -400, max: 800 }), fc.boolean(), holds);
  expect(() => fc.assert(property, { numRuns: 300 })).not.toThrow();
});

test("the first close after an instant is not before it, and no earlier one would do", () => {
  const holds = (zone: string, atMs: number, minimumMs: number, isNight: boolean): boolean => {
    const of = { ...(isNight ? night : times), calendar: { ...times.calendar, zone } };
    const { businessDate, closesAtMs } = firstReconciliationCloseAfter(of, atMs, minimumMs);
    if (closesAtMs < atMs + minimumMs) return false;
    return earlierWorkingDates(of, businessDate).every((date) => planDay(of, "X", date).reconciliationAtMs < atMs + minimumMs);
  };
  const property = fc.property(fc.constantFrom(...zones), instant, fc.integer({ min: 0, max: 7_200_000 }), fc.boolean(), holds);
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});
