// What the numbers of the overview were before: by hand, and as the control API answers.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildParkedMessage, buildStoredTransaction, readControlAnswer, saveTransactions } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { findTrend, minuteMs, rates, type SeriesPoint } from "./series.ts";

const startMs = Date.UTC(2026, 10, 20, 6);
const nothing = new Map<string, number>();

function point(minute: number, accepted: number, over: Partial<SeriesPoint> = {}): SeriesPoint {
  const atMs = startMs + minute * minuteMs;
  return {
    atMs,
    countedAtMs: atMs,
    days: "a",
    accepted,
    delivered: 0,
    held: nothing,
    heldByDay: nothing,
    waiting: nothing,
    latencies: new Map(),
    ...over,
  };
}

test("a rate is what came in a minute: not known at first and on another day, and never negative", () => {
  const points = [point(0, 5), point(1, 65), point(3, 85), point(4, 80), point(5, 9, { days: "b" }), point(6, 10, { days: "b" })];
  expect(rates(points, ({ accepted }) => accepted, null)).toEqual([null, 60, 10, 0, null, 1]);
});

test("the minute that is not over has no rate, and neither has one without a newer count: neither looks like a fall", () => {
  const points = [point(0, 0), point(1, 60), point(2, 60, { countedAtMs: startMs + minuteMs }), point(3, 180), point(4, 181)];
  const nowMs = startMs + 4 * minuteMs + 10_000;
  expect(rates(points, ({ accepted }) => accepted, nowMs)).toEqual([null, 60, null, 60, null]);
});

test("a number that falls is 0 at a time that its last five minutes say; one that does not has none", () => {
  const read = ({ accepted }: SeriesPoint): number => accepted;
  expect(findTrend([point(0, 1_000), point(5, 100), point(10, 50)], read)).toEqual({ perMinute: 10, emptyAtMs: startMs + 15 * minuteMs });
  expect(findTrend([point(0, 50), point(1, 60)], read)).toEqual({ perMinute: -10, emptyAtMs: null });
  expect(findTrend([point(0, 50)], read)).toBeNull();
});

test("each minute has a point with what was accepted in it, what is held, and what waits for each receiver", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  await environment.time.advance(minuteMs);
  await saveTransactions(
    environment,
    [1, 2, 3].map((index) => buildStoredTransaction("HELD", index)),
  );
  await environment.settled(environment.store.deliveries.insert([buildParkedMessage("A", 1n), buildParkedMessage("B", 2n)]));
  await environment.time.advance(minuteMs);
  const body = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series"));
  const last = body.points.at(-1);
  expect([last?.held, last?.waiting]).toEqual([3, 2]);
  expect(body.points.reduce((sum, { accepted }) => sum + (accepted ?? 0), 0)).toBe(3);
  const first = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series?bank=first")).points.at(-1);
  expect(first).toMatchObject({ accepted: null, delivered: null, held: 3, waiting: 2 });
  const second = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series?bank=second")).points.at(-1);
  expect(second).toMatchObject({ held: 0, waiting: 0 });
});

test("four hours are kept, and not more", async () => {
  const environment = await openDecisionEnvironment();
  await environment.time.advance(250 * minuteMs);
  const body = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series"));
  expect(body.points).toHaveLength(240);
  expect(body.since).toBe(body.points[0]?.at);
});

test("when a breaker opened and closed is known to a console that starts later, for a day, of the bank that was asked for", async () => {
  const environment = await openDecisionEnvironment();
  await environment.time.advance(minuteMs);
  const { store, settled, time } = environment;
  const atMs = time.nowMs();
  const changes = [
    { atMs, reason: "transient" },
    { atMs: atMs + 9_000, reason: null },
  ];
  const health = { service: "dispatcher", receiverId: "first", origin: "https://first.example", concurrency: 1, breaker: null } as const;
  await settled(store.endpointHealth.write([{ ...health, retryAfterUntilMs: null, check: null, updatedAtMs: atMs, changes, checks: [] }]));
  const asked = async (bank: string) => controlAnswers.showSeries.parse(await (await environment.control(`/series?bank=${bank}`)).json());
  const { breakerChanges } = await asked("first");
  expect(breakerChanges.map(({ bank, isOpen, reason }) => [bank, isOpen, reason])).toEqual([
    ["first", true, "transient"],
    ["first", false, null],
  ]);
  expect((await asked("second")).breakerChanges).toEqual([]);
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/banks/first");
  for (const words of ["Breaker, last 24 hours", "no answers, or ones that may pass", "a message was acknowledged"])
    expect(text).toContain(words);
  await time.advance(24 * 60 * minuteMs + 10_000);
  expect((await asked("first")).breakerChanges).toEqual([]);
});
