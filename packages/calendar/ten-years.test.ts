// Ten years in each of eighteen zones, with gaps, overlaps and rules that changed. At every change of the clocks all shapes of windows are walked;
// the whole ten years with one shape for each zone, drawn by the seed of the properties.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { datesOfChange, datesOfDecade, decades, shapes, timesIn } from "./given-zones.fixture.ts";
import {
  businessDateOf,
  current,
  firstReconciliationCloseAfter,
  next,
  noBusinessOn,
  offUsBusinessDateOf,
  planDay,
  wallMs,
} from "./index.ts";
import type { PlannedTimes, SchemeTimes } from "./index.ts";

const dayMs = 86_400_000;

/** When a wall clock first shows a local time, found a second way: from the offsets around it. A time that never comes: moved by the gap. */
function shownAt(zone: string, date: string, text: string): number {
  const asUtcMs = Temporal.PlainDate.from(date).toZonedDateTime("UTC").epochMilliseconds + wallMs(text);
  const zoned = (atMs: number): Temporal.ZonedDateTime => Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  const offsetMs = (atMs: number): number => zoned(atMs).offsetNanoseconds / 1_000_000;
  const [before, after] = [offsetMs(asUtcMs - 2 * dayMs), offsetMs(asUtcMs + 2 * dayMs)];
  const near = [-dayMs, -dayMs / 2, 0, dayMs / 2, dayMs].map((apart) => offsetMs(asUtcMs + apart));
  const candidates = [...new Set([before, after, ...near])]
    .map((offset) => asUtcMs - offset)
    .filter((atMs) => atMs + offsetMs(atMs) === asUtcMs);
  if (candidates.length > 0) return Math.min(...candidates);
  // No offset makes it: the one that held before the gap.
  const jump = zoned(asUtcMs - before - dayMs).getTimeZoneTransition("next");
  return asUtcMs - (jump === null ? before : offsetMs(jump.epochMilliseconds - 1));
}

interface Walked {
  readonly times: SchemeTimes;
  readonly plan: PlannedTimes;
  /** Plans of the dates before it, nearest first. */
  readonly before: readonly PlannedTimes[];
}

/** What is wrong with a plan; empty when all is well. */
function wrongIn({ times, plan, before }: Walked): readonly string[] {
  const { zone } = times.calendar;
  const { businessDate, windows, reconciliationAtMs, cutOffAtMs } = plan;
  const wrong: string[] = [];
  const say = (isWrong: boolean, text: string): void => void (isWrong && wrong.push(`${zone} ${businessDate} ${text}`));
  const isSkipped = noBusinessOn(times, businessDate)?.kind === "skipped-date";
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
  // A window whose own times are apart is void only where another one's moved time covers it.
  say(voids.length > 0 && !isSkipped && !isNearChange(zone, businessDate), `lacks windows ${voids.join(", ")}`);
  return [...wrong, ...overlapsIn(times, plan, before)];
}

/** No window begins before one of an earlier date has closed, unless they are configured so. */
function overlapsIn(times: SchemeTimes, plan: PlannedTimes, before: readonly PlannedTimes[]): readonly string[] {
  return before.flatMap((earlier) => {
    const apartMs = Temporal.PlainDate.from(earlier.businessDate).until(plan.businessDate).days * dayMs;
    return earlier.windows.flatMap((one) =>
      plan.windows.flatMap((other) => {
        const [configuredClose, configuredOpening] = [times.processing[one.number - 1]!.closes, times.processing[other.number - 1]!.opens];
        const areApart = wallMs(configuredClose) <= wallMs(configuredOpening) + apartMs;
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

/** Plans in the order of their dates, and what is wrong with them. */
function walk(times: SchemeTimes, dates: readonly string[]): readonly string[] {
  let before: readonly PlannedTimes[] = [];
  return dates.flatMap((date) => {
    const plan = planDay(times, "X", date);
    const wrong = wrongIn({ times, plan, before });
    before = [plan, ...before].slice(0, 2);
    return wrong;
  });
}

/** The same, where most dates are those before them 24 hours later: a date without a change of the clocks nearby is no more than that. */
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
const allShapes = Object.entries(shapes);

describe.each(decades)("ten years of %s from %i", (zone, fromYear) => {
  test("I9: at every change of the clocks each window opens once and closes once, in order, none early, whatever its shape", () => {
    const dates = datesOfChange(zone, fromYear);
    for (const [, shape] of allShapes) expect(walk(timesIn(zone, shape), dates)).toEqual([]);
  });

  test("I9: on every date each window opens once and closes once, in order, none early", () => {
    const [, shape] = allShapes[(drawn + fromYear + zone.length) % allShapes.length]!;
    expect(walkDecade(timesIn(zone, shape), fromYear)).toEqual([]);
  });

  test("at every change of the clocks, what is open and what comes next are what the plans say", () => {
    for (const date of datesOfChange(zone, fromYear).filter((_, index) => index % 6 === 2)) {
      for (const [name, shape] of allShapes) {
        const times = timesIn(zone, shape);
        for (const { number, opensAtMs, closesAtMs } of planDay(times, "X", date).windows) {
          const isOpen = (atMs: number): boolean =>
            current(times, atMs).some((open) => open.businessDate === date && open.number === number);
          expect([name, date, ...[opensAtMs - 1, opensAtMs, closesAtMs - 1, closesAtMs].map(isOpen)]).toEqual([
            name,
            date,
            false,
            true,
            true,
            false,
          ]);
          expect(next(times, opensAtMs - 1).opening).toEqual({ atMs: opensAtMs, businessDate: date, number });
          expect(next(times, closesAtMs - 1).closing).toEqual({ atMs: closesAtMs, businessDate: date, number });
        }
      }
    }
  });
});

test("what is open and what comes next at any instant is what a search through all plans finds", () => {
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
    const coming = next(times, atMs);
    return (
      current(times, atMs)
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

test("a debit received at an instant has one date, whenever and in whatever order it is asked for", () => {
  const holds = ([zone, fromYear]: readonly [string, number], [, shape]: (typeof allShapes)[number], ms: number): boolean => {
    const times = timesIn(zone, shape);
    const receivedAtMs = Temporal.PlainDate.from({ year: fromYear, month: 1, day: 2 }).toZonedDateTime(zone).epochMilliseconds + ms;
    const named = { requestedCollectionDate: null, settlementDate: null, onNonWorkingDay: "next" } as const;
    const ask = (of: SchemeTimes): string =>
      JSON.stringify([
        businessDateOf(of, receivedAtMs, named),
        offUsBusinessDateOf(of, receivedAtMs, null),
        firstReconciliationCloseAfter(of, receivedAtMs, 0),
      ]);
    const answer = businessDateOf(times, receivedAtMs, named);
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
