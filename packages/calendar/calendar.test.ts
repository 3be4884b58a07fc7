import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Calendar,
  creditBusinessDate,
  datesAhead,
  isWorkingDay,
  localDate,
  planDay,
  readLocalTime,
  type SchemeTimes,
} from "./index.ts";

const calendar: Calendar = { version: "1", zone: "Africa/Johannesburg", workingDays: [1, 2, 3, 4, 5, 6], holidays: ["2026-12-16"] };
const times: SchemeTimes = { calendar, processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30", cutOffMs: 900_000 };
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const inZone = (zone: string, over: Partial<SchemeTimes> = {}): SchemeTimes => ({
  ...times,
  calendar: { ...calendar, zone, workingDays: [1, 2, 3, 4, 5, 6, 7] },
  ...over,
});

test("weekdays and holidays decide whether a date works", () => {
  expect(["2026-11-20", "2026-11-21", "2026-11-22", "2026-12-16"].map((date) => isWorkingDay(calendar, date))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("the next business date skips dates that do not work", () => {
  const next = (date: string, over: Partial<Calendar> = {}): string | null =>
    planDay({ ...times, calendar: { ...calendar, ...over } }, "X", date).nextBusinessDate;
  expect(["2026-11-20", "2026-11-21", "2026-12-15"].map((date) => next(date))).toEqual(["2026-11-21", "2026-11-23", "2026-12-17"]);
  expect(next("2026-12-15", { workingDays: [] })).toBeNull();
  expect(() => creditBusinessDate({ ...calendar, workingDays: [] }, at("2026-12-15T10:00:00Z"))).toThrow("no working day");
});

test("a credit counts for its date of receipt in the scheme's zone, or the next working day [D7 credit business date]", () => {
  const received = (text: string, of = calendar): string => creditBusinessDate(of, at(text));
  expect(received("2026-11-20T22:30:00Z")).toBe("2026-11-21");
  expect(received("2026-11-21T21:59:59.999Z")).toBe("2026-11-21");
  expect(received("2026-11-21T22:00:00Z")).toBe("2026-11-23");
  expect(received("2026-12-16T10:00:00+02:00")).toBe("2026-12-17");
  const everyDay = { ...calendar, workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] };
  expect(received("2026-11-21T22:00:00Z", everyDay)).toBe("2026-11-22");
});

test("the local date and the dates ahead follow the scheme's zone", () => {
  const lateUtc = at("2026-11-20T22:30:00Z");
  expect(localDate(times, lateUtc)).toBe("2026-11-21");
  expect(localDate(inZone("-08:00"), lateUtc)).toBe("2026-11-20");
  expect(datesAhead(times, lateUtc, 2)).toEqual(["2026-11-21", "2026-11-22", "2026-11-23"]);
});

test("a day is planned in its zone: windows, cut-off, reconciliation, next business date", () => {
  expect(planDay(times, "ZA_EFT", "2026-11-21")).toEqual({
    scheme: "ZA_EFT",
    businessDate: "2026-11-21",
    zone: "Africa/Johannesburg",
    calendarVersion: expect.stringMatching(/^1\+[0-9a-f]{8}$/),
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: at("2026-11-21T08:00:00+02:00"), closesAtMs: at("2026-11-21T16:00:00+02:00") }],
    cutOffAtMs: at("2026-11-21T15:45:00+02:00"),
    reconciliationAtMs: at("2026-11-21T17:30:00+02:00"),
    nextBusinessDate: "2026-11-23",
  });
});

test("a plan's version changes exactly if the times of a date change", () => {
  const version = (over: Partial<SchemeTimes> = {}, date = "2026-11-21"): string =>
    planDay({ ...times, ...over }, "X", date).calendarVersion;
  const others = [
    version({ processing: [{ opens: "08:00", closes: "15:00" }] }),
    version({ reconciliation: "17:31" }),
    version({ cutOffMs: 0 }),
    version({ calendar: { ...calendar, holidays: ["2026-11-21"] } }),
    version({ calendar: { ...calendar, holidays: ["2026-11-23"] } }),
    version({ calendar: { ...calendar, version: "2" } }),
    version({ calendar: { ...calendar, zone: "+03:00" } }),
  ];
  expect(new Set([version(), ...others]).size).toBe(others.length + 1);
  expect(version({ calendar: { ...calendar, holidays: ["2027-05-01"] } })).toBe(version());
});

test("a date that does not work has no window", () => {
  expect(planDay(times, "ZA_EFT", "2026-11-22")).toMatchObject({ isWorkingDay: false, windows: [], nextBusinessDate: "2026-11-23" });
});

test("a fixed offset is a zone, seconds are allowed, and +1d is the next calendar day of the same business date", () => {
  const night = inZone("+05:00", {
    processing: [{ opens: "23:59:30", closes: "+1d 00:00:10" }],
    reconciliation: "+1d 02:00",
    cutOffMs: 1_000,
  });
  expect(planDay(night, "ZA_EFT", "2026-11-20")).toMatchObject({
    windows: [{ opensAtMs: at("2026-11-20T23:59:30+05:00"), closesAtMs: at("2026-11-21T00:00:10+05:00") }],
    cutOffAtMs: at("2026-11-21T00:00:09+05:00"),
    reconciliationAtMs: at("2026-11-21T02:00:00+05:00"),
  });
});

test("a local time that does not exist moves forward by the gap; one that exists twice means the first [D9 dst]", () => {
  const berlin = inZone("Europe/Berlin", { processing: [{ opens: "01:00", closes: "02:30" }], reconciliation: "04:00" });
  expect(planDay(berlin, "X", "2027-03-28").windows[0]).toMatchObject({
    opensAtMs: at("2027-03-28T01:00:00+01:00"),
    closesAtMs: at("2027-03-28T03:30:00+02:00"),
  });
  expect(planDay(berlin, "X", "2026-10-25").windows[0]!.closesAtMs).toBe(at("2026-10-25T02:30:00+02:00"));
  const lordHowe = inZone("Australia/Lord_Howe", { processing: [{ opens: "01:00", closes: "02:15" }], reconciliation: "04:00" });
  expect(planDay(lordHowe, "X", "2026-10-04").windows[0]!.closesAtMs).toBe(at("2026-10-04T02:45:00+11:00"));
});

const berlinGap = "2027-03-28";

test("I9: a window that a missing hour leaves without any time is void; the others keep their numbers and the cut-off is the last one's", () => {
  const berlin = inZone("Europe/Berlin", {
    processing: [
      { opens: "01:00", closes: "02:30" },
      { opens: "03:00", closes: "03:15" },
      { opens: "04:00", closes: "05:00" },
    ],
    reconciliation: "06:00",
  });
  const { windows } = planDay(berlin, "X", berlinGap);
  expect(windows).toEqual([
    { number: 1, opensAtMs: at("2027-03-28T01:00:00+01:00"), closesAtMs: at("2027-03-28T03:30:00+02:00") },
    { number: 3, opensAtMs: at("2027-03-28T04:00:00+02:00"), closesAtMs: at("2027-03-28T05:00:00+02:00") },
  ]);
  const early = { ...berlin, processing: berlin.processing.slice(0, 2), reconciliation: "03:20" };
  expect(planDay(early, "X", berlinGap)).toMatchObject({
    isWorkingDay: true,
    cutOffAtMs: at("2027-03-28T03:15:00+02:00"),
    reconciliationAtMs: at("2027-03-28T03:30:00+02:00"),
  });
});

test("I9: a date whose only window falls into a missing hour is no business date; one that only moves there keeps its length", () => {
  const inGap = inZone("Europe/Berlin", { processing: [{ opens: "02:00", closes: "03:00" }], reconciliation: "04:00" });
  expect(planDay(inGap, "X", berlinGap)).toMatchObject({ isWorkingDay: false, windows: [], nextBusinessDate: "2027-03-29" });
  expect(planDay(inGap, "X", "2027-03-27")).toMatchObject({ isWorkingDay: true, nextBusinessDate: "2027-03-29" });
  const within = inZone("Europe/Berlin", { processing: [{ opens: "02:10", closes: "02:50" }], reconciliation: "04:00" });
  expect(planDay(within, "X", berlinGap).windows).toEqual([
    { number: 1, opensAtMs: at("2027-03-28T03:10:00+02:00"), closesAtMs: at("2027-03-28T03:50:00+02:00") },
  ]);
});

test("local times are HH:MM or HH:MM:SS, with +Nd in front, and nothing else", () => {
  expect(readLocalTime("17:30")).toEqual({ days: 0, time: "17:30:00" });
  expect(readLocalTime("+1d 02:00:05")).toEqual({ days: 1, time: "02:00:05" });
  for (const wrong of ["24:00", "8:00", "08:60", "08:00:60", "+1d02:00", "1d 02:00", "+1d", "", " 08:00"])
    expect(readLocalTime(wrong)).toBeNull();
});

const zones = [
  "Africa/Johannesburg",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Apia",
  "+05:00",
  "-03:30",
  "UTC",
];
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([h, m]) => `${`${h}`.padStart(2, "0")}:${`${m}`.padStart(2, "0")}`);

test("I9: in every zone, on every date, a plan is in order, no window is empty or early, and the cut-off is the last window's", () => {
  const dates = fc.integer({ min: 0, max: 4_000 }).map((days) => Temporal.PlainDate.from("2020-01-01").add({ days }).toString());
  const gaps = fc.constantFrom(berlinGap, "2021-03-14", "2022-10-02", "2023-03-26");
  const clocks = fc.uniqueArray(clock, { minLength: 5, maxLength: 5 }).map((list) => list.toSorted());
  const holds = (zone: string, date: string, sorted: readonly string[], isNight: boolean): boolean => {
    const processing = [
      { opens: sorted[0]!, closes: sorted[1]! },
      { opens: sorted[2]!, closes: isNight ? `+1d ${sorted[0]}` : sorted[3]! },
    ];
    const reconciliation = isNight ? "+1d 23:59" : sorted[4]!;
    const plan = planDay(inZone(zone, { processing, reconciliation, cutOffMs: 60_000 }), "X", date);
    const inOrder = [...plan.windows.flatMap(({ opensAtMs, closesAtMs }) => [opensAtMs, closesAtMs]), plan.reconciliationAtMs];
    const isOrdered = inOrder.every((atMs, index) => index === 0 || atMs >= inOrder[index - 1]!);
    const areGood = plan.windows.every(({ number, opensAtMs, closesAtMs }) => {
      const wanted = Temporal.PlainDateTime.from(`${date}T${processing[number - 1]!.opens}`);
      return closesAtMs > opensAtMs && opensAtMs >= wanted.toZonedDateTime(zone, { disambiguation: "earlier" }).epochMilliseconds;
    });
    const isCutOffRight = plan.windows.length === 0 || plan.cutOffAtMs === plan.windows.at(-1)!.closesAtMs - 60_000;
    return isOrdered && areGood && isCutOffRight && plan.isWorkingDay === plan.windows.length > 0 && plan.nextBusinessDate! > date;
  };
  const property = fc.property(fc.constantFrom(...zones), fc.oneof(dates, gaps), clocks, fc.boolean(), holds);
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});
