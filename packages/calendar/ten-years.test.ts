// Ten years in each of eighteen zones, with gaps, overlaps and rules that changed. All shapes of windows are walked at
// every change of the clocks, and one shape for each zone, drawn by the seed of the properties, through all ten years.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { datesOfChange, datesOfDecade, decades, windowShapes, timesIn } from "./zones.fixture.ts";
import {
  firstReconciliationCloseAfter,
  nextTimesAfter,
  noBusinessReasonOn,
  offUsBusinessDate,
  onUsBusinessDate,
  openWindowsAt,
  planDay,
  type PlannedTimes,
  type SchemeTimes,
  wallTimeMs,
} from "./index.ts";

const dayMs = 86_400_000;

/**
 * When a wall clock first shows a local time, computed another way: from the offsets around it. A time that does not
 * exist moves by the gap.
 */
function shownAt(zone: string, date: string, text: string): number {
  const asUtcMs = Temporal.PlainDate.from(date).toZonedDateTime("UTC").epochMilliseconds + wallTimeMs(text);
  const zoned = (atMs: number): Temporal.ZonedDateTime => Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  const offsetMs = (atMs: number): number => zoned(atMs).offsetNanoseconds / 1_000_000;
  const [before, after] = [offsetMs(asUtcMs - 2 * dayMs), offsetMs(asUtcMs + 2 * dayMs)];
  const near = [-dayMs, -dayMs / 2, 0, dayMs / 2, dayMs].map((apart) => offsetMs(asUtcMs + apart));
  const candidates = [...new Set([before, after, ...near])]
    .map((offset) => asUtcMs - offset)
    .filter((atMs) => atMs + offsetMs(atMs) === asUtcMs);
  if (candidates.length > 0) return Math.min(...candidates);
  // No offset gives this time, so the offset before the gap counts.
  const jump = zoned(asUtcMs - before - dayMs).getTimeZoneTransition("next");
  return asUtcMs - (jump === null ? before : offsetMs(jump.epochMilliseconds - 1));
}

interface Walked {
  readonly times: SchemeTimes;
  readonly plan: PlannedTimes;
  /** Plans of the dates before it, nearest first. */
  readonly before: readonly PlannedTimes[];
}

/** The faults of a plan; empty if it has none. */
function wrongIn({ times, plan, before }: Walked): readonly string[] {
  const { zone } = times.calendar;
  const { businessDate, windows, reconciliationAtMs, cutOffAtMs } = plan;
  const wrong: string[] = [];
  const say = (isWrong: boolean, text: string): void => void (isWrong && wrong.push(`${zone} ${businessDate} ${text}`));
  const isSkipped = noBusinessReasonOn(times, businessDate)?.kind === "skipped-date";
  say(plan.isWorkingDay !== windows.length > 0, "works without a window, or the reverse");
  say(isSkipped !== (Temporal.PlainDate.from(businessDate).toZonedDateTime(zone).toPlainDate().toString() !== businessDate), "skipped");
  let latestMs = -Infinity;
  for (const { number, opensAtMs, closesAtMs } of windows) {
    const { opens, closes } = times.processing[number - 1]!;
    say(opensAtMs < shownAt(zone, businessDate, opens), `window ${number} opens early`);
    say(closesAtMs < shownAt(zone, businessDate, closes), `window ${number} closes early`);
    say(opensAtMs < latestMs || closesAtMs <= opensAtMs, `window ${number} is out of order`);
    latestMs = closesAtMs;
  }
  say(reconciliationAtMs < latestMs || reconciliationAtMs < shownAt(zone, businessDate, times.reconciliation), "reconciles early");
  say(windows.length > 0 && cutOffAtMs !== latestMs - times.cutOffMs, "has another cut-off");
  say(new Set(windows.map(({ number }) => number)).size < windows.length, "has a window twice");
  const voids = times.processing.flatMap(({ opens, closes }, index) => {
    const isVoid = shownAt(zone, businessDate, closes) <= shownAt(zone, businessDate, opens);
    return windows.some(({ number }) => number === index + 1) || isVoid ? [] : [index + 1];
  });
  // A window with time of its own is void only if another one's moved time covers it.
  say(voids.length > 0 && !isSkipped && !isNearChange(zone, businessDate), `lacks windows ${voids.join(", ")}`);
  return [...wrong, ...overlapsIn(times, plan, before)];
}

/** Checks that no window begins before one of an earlier date has closed, unless they are configured so. */
function overlapsIn(times: SchemeTimes, plan: PlannedTimes, before: readonly PlannedTimes[]): readonly string[] {
  return before.flatMap((earlier) => {
    const apartMs = Temporal.PlainDate.from(earlier.businessDate).until(plan.businessDate).days * dayMs;
    return earlier.windows.flatMap((one) =>
      plan.windows.flatMap((other) => {
        const [configuredClose, configuredOpening] = [times.processing[one.number - 1]!.closes, times.processing[other.number - 1]!.opens];
        const areApart = wallTimeMs(configuredClose) <= wallTimeMs(configuredOpening) + apartMs;
        return areApart && other.opensAtMs < one.closesAtMs
          ? [`${times.calendar.zone} ${plan.businessDate} overlaps ${earlier.businessDate}`]
          : [];
      }),
    );
  });
}

function isNearChange(zone: string, date: string): boolean {
  const midnight = Temporal.PlainDate.from(date).subtract({ days: 2 }).toZonedDateTime(zone);
  const change = midnight.getTimeZoneTransition("next");
  return change !== null && Temporal.PlainDate.compare(change.toPlainDate(), Temporal.PlainDate.from(date).add({ days: 3 })) <= 0;
}

/** Plans in the order of their dates, and their faults. */
function walk(times: SchemeTimes, dates: readonly string[]): readonly string[] {
  let before: readonly PlannedTimes[] = [];
  return dates.flatMap((date) => {
    const plan = planDay(times, "X", date);
    const wrong = wrongIn({ times, plan, before });
    before = [plan, ...before].slice(0, 2);
    return wrong;
  });
}

/** The same, but a date without a change of the clocks nearby is taken as the date before it, 24 hours later. */
function walkDecade(times: SchemeTimes, fromYear: number): readonly string[] {
  const changes = new Set(datesOfChange(times.calendar.zone, fromYear));
  let before: readonly PlannedTimes[] = [];
  return datesOfDecade(fromYear).flatMap((date) => {
    const plan = planDay(times, "X", date);
    const [yesterday] = before;
    const isPlain = yesterday !== undefined && !changes.has(date) && !changes.has(yesterday.businessDate);
    const wrong = isPlain ? (isDayLater(yesterday, plan) ? [] : [`${date} is not a day later`]) : wrongIn({ times, plan, before });
    before = [plan, ...before].slice(0, 2);
    return wrong;
  });
}

function isDayLater(before: PlannedTimes, after: PlannedTimes): boolean {
  const all = (plan: PlannedTimes): readonly number[] => [
    plan.cutOffAtMs,
    plan.reconciliationAtMs,
    ...plan.windows.flatMap(({ number, opensAtMs, closesAtMs }) => [number * dayMs + opensAtMs, number * dayMs + closesAtMs]),
  ];
  return (
    all(before).join() ===
    all(after)
      .map((atMs) => atMs - dayMs)
      .join()
  );
}

const drawn = fc.readConfigureGlobal()?.seed ?? 0;
const allShapes = Object.entries(windowShapes);

describe.each(decades)("ten years of %s from %i", (zone, fromYear) => {
  test("I9: at every change of the clocks each window opens once and closes once, in order, none early, whatever its shape", () => {
    const dates = datesOfChange(zone, fromYear);
    for (const [, shape] of allShapes) expect(walk(timesIn(zone, shape), dates)).toEqual([]);
  });

  test("I9: on every date each window opens once and closes once, in order, none early", () => {
    const [, shape] = allShapes[(drawn + fromYear + zone.length) % allShapes.length]!;
    expect(walkDecade(timesIn(zone, shape), fromYear)).toEqual([]);
  });

  test("at every change of the clocks the open windows and the next times agree with the plans", () => {
    for (const date of datesOfChange(zone, fromYear).filter((_, index) => index % 6 === 2)) {
      for (const [name, shape] of allShapes) {
        const times = timesIn(zone, shape);
        for (const { number, opensAtMs, closesAtMs } of planDay(times, "X", date).windows) {
          const isOpen = (atMs: number): boolean =>
            openWindowsAt(times, atMs).some((open) => open.businessDate === date && open.number === number);
          expect([name, date, ...[opensAtMs - 1, opensAtMs, closesAtMs - 1, closesAtMs].map(isOpen)]).toEqual([
            name,
            date,
            false,
            true,
            true,
            false,
          ]);
          expect(nextTimesAfter(times, opensAtMs - 1).opening).toEqual({ atMs: opensAtMs, businessDate: date, number });
          expect(nextTimesAfter(times, closesAtMs - 1).closing).toEqual({ atMs: closesAtMs, businessDate: date, number });
        }
      }
    }
  });
});

test("the open windows and the next times at any instant are those that a search through all plans finds", () => {
  const holds = ([zone, fromYear]: readonly [string, number], [, shape]: (typeof allShapes)[number], day: number, ms: number): boolean => {
    const times = timesIn(zone, shape, [1, 2, 3, 4, 5]);
    const date = Temporal.PlainDate.from({ year: fromYear, month: 1, day: 2 }).add({ days: day });
    const atMs = date.toZonedDateTime(zone).epochMilliseconds + ms;
    const plans = Array.from({ length: 14 }, (_, days) => planDay(times, "X", date.add({ days: days - 4 }).toString()));
    const windows = plans.flatMap((plan) => plan.windows.map((window) => ({ ...window, businessDate: plan.businessDate })));
    const least = (all: readonly number[]): number => Math.min(...all.filter((one) => one > atMs));
    const open = windows
      .filter(({ opensAtMs, closesAtMs }) => opensAtMs <= atMs && atMs < closesAtMs)
      .map((one) => `${one.businessDate}/${one.number}`);
    const coming = nextTimesAfter(times, atMs);
    return (
      openWindowsAt(times, atMs)
        .map((one) => `${one.businessDate}/${one.number}`)
        .toSorted()
        .join() === open.toSorted().join() &&
      coming.opening?.atMs === least(windows.map(({ opensAtMs }) => opensAtMs)) &&
      coming.closing?.atMs === least(windows.map(({ closesAtMs }) => closesAtMs)) &&
      coming.reconciliation?.atMs === least(plans.filter((plan) => plan.isWorkingDay).map((plan) => plan.reconciliationAtMs))
    );
  };
  const property = fc.property(
    fc.constantFrom(...decades),
    fc.constantFrom(...allShapes),
    fc.integer({ min: 4, max: 3_640 }),
    fc.integer({ min: 0, max: dayMs }),
    holds,
  );
  expect(() => fc.assert(property, { numRuns: 150 })).not.toThrow();
});

test("a debit received at an instant has one business date, whenever and in whatever order it is computed", () => {
  const holds = ([zone, fromYear]: readonly [string, number], [, shape]: (typeof allShapes)[number], ms: number): boolean => {
    const times = timesIn(zone, shape);
    const receivedAtMs = Temporal.PlainDate.from({ year: fromYear, month: 1, day: 2 }).toZonedDateTime(zone).epochMilliseconds + ms;
    const named = { requestedCollectionDate: null, settlementDate: null, onNonWorkingDay: "next" } as const;
    const ask = (of: SchemeTimes): string =>
      JSON.stringify([
        onUsBusinessDate(of, receivedAtMs, named),
        offUsBusinessDate(of, receivedAtMs, null),
        firstReconciliationCloseAfter(of, receivedAtMs, 0),
      ]);
    const answer = onUsBusinessDate(times, receivedAtMs, named);
    if ("refused" in answer) return false;
    const plan = planDay(times, "X", answer.businessDate);
    return plan.isWorkingDay && receivedAtMs <= plan.cutOffAtMs && ask(times) === ask(structuredClone(times));
  };
  const property = fc.property(
    fc.constantFrom(...decades),
    fc.constantFrom(...allShapes),
    fc.integer({ min: 0, max: 3_640 * dayMs }),
    holds,
  );
  expect(() => fc.assert(property, { numRuns: 300 })).not.toThrow();
});
