// What the numbers of the overview were before: one point a minute, for four hours, in the memory of this process.
//
// #1 At most `pointsMax` points. A point keeps only receivers for which something waits.
// #2 A console that restarts has no past, and the answer says since when it looks.
// #3 A rate is a difference of two counts of the same days; where the day has changed it is not known, and neither is
//    it where there is no newer count. The minute that is not over has none: it would look like a fall.

import type { Latency } from "./latencies.ts";
import type { OverviewBody } from "./show-overview.ts";

export interface SeriesPoint {
  /** When it was, epoch milliseconds. */
  readonly atMs: number;
  /** When the transactions were counted, epoch milliseconds: it may be earlier. */
  readonly countedAtMs: number;
  /** The days that the transactions are counted of. */
  readonly days: string;
  readonly accepted: number;
  readonly delivered: number;
  /** Held debits by bank. */
  readonly held: ReadonlyMap<string, number>;
  /** Held debits by business day. */
  readonly heldByDay: ReadonlyMap<string, number>;
  /** What is not acknowledged, by receiver. */
  readonly waiting: ReadonlyMap<string, number>;
  /** How long receivers took to acknowledge in its minute, by receiver, and of all under `everybody`. */
  readonly latencies: ReadonlyMap<string, Latency>;
}

export interface Series {
  /** `takeLatencies` gives those of the minute before the body's, once it is over. */
  record(body: OverviewBody, takeLatencies: () => ReadonlyMap<string, Latency>): void;
  /** The oldest first. */
  list(): readonly SeriesPoint[];
}

/** How fast a number falls. */
export interface Trend {
  readonly perMinute: number;
  /** When it is 0 at this rate, epoch milliseconds; null: it does not fall. */
  readonly emptyAtMs: number | null;
}

export const minuteMs = 60_000;
const pointsMax = 240;
const trendMinutes = 5;

const notAccepted: ReadonlySet<string> = new Set([
  "RECEIVED",
  "REJECTED",
  "REJECTION_REPORTED",
  "CREDIT_AUTH_RECEIVED",
  "CREDIT_AUTH_REJECTED",
  "ORPHAN",
]);
const delivered: ReadonlySet<string> = new Set([
  "DELIVERED",
  "COMPLETED",
  "UNPAID",
  "CREDIT_AUTH_DELIVERED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
]);

export function createSeries(): Series {
  const points: SeriesPoint[] = [];
  return {
    /** The last numbers of a minute are its point. */
    record(body, takeLatencies) {
      const point = toPoint(body);
      if (point === null) return;
      const last = points.at(-1);
      if (last !== undefined && minuteOf(last.atMs) === minuteOf(point.atMs)) points.pop();
      else if (last !== undefined) points[points.length - 1] = { ...last, latencies: takeLatencies() };
      points.push(point);
      if (points.length > pointsMax) points.shift();
    },
    list: () => points,
  };
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / minuteMs);
}

/** Null: the time is not known, or the states were not counted yet. */
function toPoint({ asOf, heldCountedAt, statesCountedAt, days, held, undelivered }: OverviewBody): SeriesPoint | null {
  if (asOf === null || heldCountedAt === null || statesCountedAt === null) return null;
  const states = days.flatMap((day) => day.states);
  const sum = (is: (state: string) => boolean): number =>
    states.filter(({ state }) => is(state)).reduce((total, { count }) => total + count, 0);
  return {
    atMs: Temporal.Instant.from(asOf).epochMilliseconds,
    countedAtMs: Temporal.Instant.from(statesCountedAt).epochMilliseconds,
    latencies: new Map(),
    days: days.map(({ day }) => day).join(" "),
    accepted: sum((state) => !notAccepted.has(state)),
    delivered: sum((state) => delivered.has(state)),
    held: addUp(held.map(({ bank: key, count }) => ({ key, count }))),
    heldByDay: addUp(held.map(({ day: key, count }) => ({ key, count }))),
    waiting: addUp(undelivered.receivers.map(({ bank: key, waiting: count }) => ({ key, count }))),
  };
}

function addUp(rows: readonly { readonly key: string; readonly count: number }[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { key, count } of rows) if (count > 0) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** Of one bank, or of all (null). */
export function countAt(counts: ReadonlyMap<string, number>, bank: string | null): number {
  return bank === null ? counts.values().reduce((sum, count) => sum + count, 0) : (counts.get(bank) ?? 0);
}

/** #3 What was added in the minute before each point; null: not known. */
export function rates(
  points: readonly SeriesPoint[],
  read: (point: SeriesPoint) => number,
  nowMs: number | null,
): readonly (number | null)[] {
  return points.map((point, index) => {
    const before = points[index - 1];
    if (before === undefined || before.days !== point.days || before.countedAtMs >= point.countedAtMs) return null;
    if (nowMs !== null && minuteOf(point.atMs) === minuteOf(nowMs)) return null;
    return Math.max(0, Math.round(((read(point) - read(before)) * minuteMs) / (point.countedAtMs - before.countedAtMs)));
  });
}

/** By the points of the last five minutes; null: there are not two of them. */
export function findTrend(points: readonly SeriesPoint[], read: (point: SeriesPoint) => number): Trend | null {
  const last = points.at(-1);
  const first = points.find(({ atMs }) => last !== undefined && atMs >= last.atMs - trendMinutes * minuteMs);
  if (first === undefined || last === undefined || first === last) return null;
  const perMinute = ((read(first) - read(last)) * minuteMs) / (last.atMs - first.atMs);
  const emptyAtMs = perMinute > 0 ? last.atMs + (read(last) / perMinute) * minuteMs : null;
  return { perMinute: Math.round(perMinute * 10) / 10, emptyAtMs: emptyAtMs === null ? null : Math.round(emptyAtMs) };
}
