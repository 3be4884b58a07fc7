// The calendar's plan and the day's rules together: whatever is offered, when and how often, each window of a plan opens once and closes once, none
// before its time. What is offered comes from schedulers whose clocks are off, that repeat themselves, and that were away for a while.

import { planDay } from "@sluice/calendar";
import type { SchemeTimes } from "@sluice/calendar";
import { decideDay } from "@sluice/domain";
import type { Day, DayFact, DayPlanned, DayTimeReached, Marker } from "@sluice/domain";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const scheme = "ZA_EFT";
const windows = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([opens, closes]) => ({ opens, closes }));
const shapes = [
  { processing: windows(["08:00", "16:00"]), reconciliation: "17:30" },
  { processing: windows(["00:30", "02:15"], ["02:45", "03:00"], ["09:00", "12:00"]), reconciliation: "23:59:59" },
  { processing: windows(["02:29:59", "02:30:01"], ["22:00", "+1d 02:30"]), reconciliation: "+1d 02:30:01" },
];
/** Dates on which clocks are changed, and one on which they are not. */
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

function planOf([zone, date]: (typeof places)[number], shape: (typeof shapes)[number]): DayPlanned {
  const calendar = { version: "1", zone, workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] };
  const times: SchemeTimes = { calendar, ...shape, cutOffMs: 0 };
  return { kind: "DayPlanned", ...planDay(times, scheme, date), creditsFinal: "clock", lanes: 3 };
}

function timesOf(plan: DayPlanned): readonly Offer[] {
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

interface Told {
  readonly atMs: number;
  readonly marker: Marker;
}

/** All markers that a day told, folding what is offered in the order of its append times; every fact also a second time, as a replay. */
function told(plan: DayPlanned, offers: readonly Offer[]): readonly Told[] {
  let day: Day | null = null;
  const markers: Told[] = [];
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

/** What is not as promised; empty when all is well. `isOnTime`: each time was offered when it had come and before the next one had. */
function brokenIn(plan: DayPlanned, markers: readonly Told[], isOnTime: boolean): readonly string[] {
  const of = (kind: Marker["kind"], number: number) =>
    markers.filter(({ marker }) => marker.kind === kind && "number" in marker && marker.number === number);
  const broken = plan.windows.flatMap(({ number, opensAtMs, closesAtMs }) => {
    const [opened, closed] = [of("WindowOpened", number), of("WindowClosed", number)];
    return [
      ...(opened.length > 1 || (isOnTime && opened.length === 0) ? [`window ${number} opened ${opened.length} times`] : []),
      ...(closed.length === 1 ? [] : [`window ${number} closed ${closed.length} times`]),
      ...(opened.some(({ atMs }) => atMs < opensAtMs || atMs >= closesAtMs) ? [`window ${number} opened outside its time`] : []),
      ...(closed.some(({ atMs }) => atMs < closesAtMs) ? [`window ${number} closed early`] : []),
    ];
  });
  const turns = markers.flatMap(({ marker }) => (marker.kind === "WindowOpened" || marker.kind === "WindowClosed" ? [marker] : []));
  const isInOrder = turns.every(({ number }, index) => index === 0 || number >= (turns[index - 1]?.number ?? 0));
  const reconciled = of("DayReconciled", 1);
  return [
    ...broken,
    ...(isInOrder ? [] : ["windows out of order"]),
    ...(reconciled.length === 1 && (reconciled[0]?.atMs ?? 0) >= plan.reconciliationAtMs ? [] : ["reconciled early, never or twice"]),
  ];
}

/** Clocks that are off, facts that come again, and facts in another order: an offer for a time, so much before or after it. */
const offBy = fc.oneof(
  fc.integer({ min: -2_000, max: 2_000 }),
  fc.integer({ min: -40_000_000, max: 40_000_000 }),
  fc.constant(0),
  fc.constant(-1),
);
const strays = fc.array(fc.tuple(fc.nat(), offBy), { maxLength: 30 });
const anyPlan = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...shapes)).map(([place, shape]) => planOf(place, shape));

function strayed(plan: DayPlanned, given: readonly (readonly [number, number])[]): readonly Offer[] {
  const times = timesOf(plan);
  return given.map(([which, byMs]) => {
    const [atMs, fact] = times[which % times.length]!;
    return [atMs + byMs, fact];
  });
}

test("I9: each window opens exactly once and closes exactly once, offered before, at and after its times, repeated and reordered [D9 processing-window]", () => {
  const holds = (plan: DayPlanned, stray: readonly (readonly [number, number])[]): boolean =>
    brokenIn(plan, told(plan, [...strayed(plan, stray), ...timesOf(plan)]), true).length === 0;
  expect(() => fc.assert(fc.property(anyPlan, strays, holds), { numRuns: 400 })).not.toThrow();
});

test("I9: schedulers that were all away over its times open no window late, and close each exactly once", () => {
  const awayMs = fc.integer({ min: 0, max: 90_000_000 });
  const holds = (plan: DayPlanned, away: number, stray: readonly (readonly [number, number])[]): boolean => {
    const backAtMs = (timesOf(plan)[0]?.[0] ?? 0) + away;
    const late = timesOf(plan).map(([atMs, fact]): Offer => [Math.max(atMs, backAtMs), fact]);
    const offers = strayed(plan, stray).filter(([atMs]) => atMs >= backAtMs);
    return brokenIn(plan, told(plan, [...late, ...offers]), false).length === 0;
  };
  expect(() => fc.assert(fc.property(anyPlan, awayMs, strays, holds), { numRuns: 400 })).not.toThrow();
});
