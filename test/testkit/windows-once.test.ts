// Tests the calendar's plan and the day's rules together. Each window of a plan opens once and closes once, and none
// before its time, whatever facts are offered, when and how often. The facts come from schedulers with wrong clocks,
// with repeats, and after absences.

import { planDay, type SchemeTimes } from "@sluice/calendar";
import { type Day, type DayFact, type DayPlanned, type DayTimeReached, decideDay, type Marker } from "@sluice/domain";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const scheme = "ZA_EFT";
const windows = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([opens, closes]) => ({ opens, closes }));
const shapes = [
  { processing: windows(["08:00", "16:00"]), reconciliation: "17:30" },
  { processing: windows(["00:30", "02:15"], ["02:45", "03:00"], ["09:00", "12:00"]), reconciliation: "23:59:59" },
  { processing: windows(["02:29:59", "02:30:01"], ["22:00", "+1d 02:30"]), reconciliation: "+1d 02:30:01" },
];
/** Zones with dates on which their clocks change, and one on which they do not. */
const places = [
  ["Africa/Johannesburg", "2026-11-20"],
  ["Europe/London", "2027-03-28"],
  ["Europe/London", "2026-10-25"],
  ["America/New_York", "2027-03-14"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["Antarctica/Troll", "2027-03-28"],
  ["Asia/Beirut", "2027-03-28"],
  ["America/Havana", "2027-03-14"],
  ["Pacific/Apia", "2011-12-29"],
  ["Pacific/Apia", "2011-12-31"],
  ["America/Sao_Paulo", "2018-11-04"],
] as const;

type Offer = readonly [atMs: number, fact: DayFact];

function buildPlan([zone, date]: (typeof places)[number], shape: (typeof shapes)[number]): DayPlanned {
  const calendar = { version: "1", zone, workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] };
  const times: SchemeTimes = { calendar, ...shape, cutOffMs: 0 };
  return { kind: "DayPlanned", ...planDay(times, scheme, date), creditsFinal: "clock", partitionCount: 3 };
}

function plannedOffers(plan: DayPlanned): readonly Offer[] {
  const reached = (atMs: number, time: DayTimeReached["time"], number: number): Offer => [
    atMs,
    { kind: "DayTimeReached", scheme, businessDate: plan.businessDate, time, number },
  ];
  return [
    ...plan.windows.flatMap(({ number, opensAtMs, closesAtMs }) => [
      reached(opensAtMs, "window-opens", number),
      reached(closesAtMs, "window-closes", number),
    ]),
    reached(plan.reconciliationAtMs, "reconciliation", 1),
  ];
}

interface EmittedMarker {
  readonly atMs: number;
  readonly marker: Marker;
}

/**
 * Applies the offers in the order of their append times, each a second time as a replay, and returns all markers of the
 * day.
 */
function emitMarkers(plan: DayPlanned, offers: readonly Offer[]): readonly EmittedMarker[] {
  let day: Day | null = null;
  const markers: EmittedMarker[] = [];
  const key = `${scheme}:${plan.businessDate}` as const;
  const inOrder = [[0, plan] as const, ...offers.toSorted(([a], [b]) => a - b)];
  inOrder.forEach(([appendedAtMs, fact], index) => {
    const place = { offset: BigInt(index), appendedAtMs };
    const outcome = decideDay(key, day, fact, place);
    day = outcome.day;
    for (const output of outcome.outputs) if (output.kind === "marker") markers.push({ atMs: appendedAtMs, marker: output.marker });
    if (outcome.day === null) return;
    const again = decideDay(key, outcome.day, fact, place);
    if (again.decision !== "replayed" || again.day !== outcome.day) throw new Error("a replay changed the day");
  });
  return markers;
}

/**
 * Describes what breaks the promise. `isOnTime` is true if each time was offered after it had come and before the next
 * one.
 */
function findBroken(plan: DayPlanned, markers: readonly EmittedMarker[], isOnTime: boolean): readonly string[] {
  const select = (kind: Marker["kind"], number: number) =>
    markers.filter(({ marker }) => marker.kind === kind && "number" in marker && marker.number === number);
  const broken = plan.windows.flatMap(({ number, opensAtMs, closesAtMs }) => {
    const [opened, closed] = [select("WindowOpened", number), select("WindowClosed", number)];
    return [
      ...(opened.length > 1 || (isOnTime && opened.length === 0) ? [`window ${number} opened ${opened.length} times`] : []),
      ...(closed.length === 1 ? [] : [`window ${number} closed ${closed.length} times`]),
      ...(opened.some(({ atMs }) => atMs < opensAtMs || atMs >= closesAtMs) ? [`window ${number} opened outside its time`] : []),
      ...(closed.some(({ atMs }) => atMs < closesAtMs) ? [`window ${number} closed early`] : []),
    ];
  });
  const windowMarkers = markers.flatMap(({ marker }) => (marker.kind === "WindowOpened" || marker.kind === "WindowClosed" ? [marker] : []));
  const isInOrder = windowMarkers.every(({ number }, index) => index === 0 || number >= (windowMarkers[index - 1]?.number ?? 0));
  const reconciled = select("DayReconciled", 1);
  return [
    ...broken,
    ...(isInOrder ? [] : ["windows out of order"]),
    ...(reconciled.length === 1 && (reconciled[0]?.atMs ?? 0) >= plan.reconciliationAtMs ? [] : ["reconciled early, never or twice"]),
  ];
}

/**
 * Milliseconds by which an offer is before or after its time: wrong clocks, repeated facts, and facts in another order.
 */
const offBy = fc.oneof(
  fc.integer({ min: -2_000, max: 2_000 }),
  fc.integer({ min: -40_000_000, max: 40_000_000 }),
  fc.constant(0),
  fc.constant(-1),
);
const strays = fc.array(fc.tuple(fc.nat(), offBy), { maxLength: 30 });
const anyPlan = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...shapes)).map(([place, shape]) => buildPlan(place, shape));

function displaceOffers(plan: DayPlanned, offsets: readonly (readonly [number, number])[]): readonly Offer[] {
  const times = plannedOffers(plan);
  return offsets.map(([which, byMs]) => {
    const [atMs, fact] = times[which % times.length]!;
    return [atMs + byMs, fact];
  });
}

test("I9: each window opens once and closes once if its times are offered early, on time and late, repeated and reordered [D9 processing-window]", () => {
  const holds = (plan: DayPlanned, stray: readonly (readonly [number, number])[]): boolean =>
    findBroken(plan, emitMarkers(plan, [...displaceOffers(plan, stray), ...plannedOffers(plan)]), true).length === 0;
  expect(() => fc.assert(fc.property(anyPlan, strays, holds), { numRuns: 400 })).not.toThrow();
});

test("I9: if all schedulers were away over its times, no window opens late and each closes exactly once", () => {
  const awayMs = fc.integer({ min: 0, max: 90_000_000 });
  const holds = (plan: DayPlanned, away: number, stray: readonly (readonly [number, number])[]): boolean => {
    const backAtMs = (plannedOffers(plan)[0]?.[0] ?? 0) + away;
    const late = plannedOffers(plan).map(([atMs, fact]): Offer => [Math.max(atMs, backAtMs), fact]);
    const offers = displaceOffers(plan, stray).filter(([atMs]) => atMs >= backAtMs);
    return findBroken(plan, emitMarkers(plan, [...late, ...offers]), false).length === 0;
  };
  expect(() => fc.assert(fc.property(anyPlan, awayMs, strays, holds), { numRuns: 400 })).not.toThrow();
});
