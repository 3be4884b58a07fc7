import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, sampleConfiguration, sampleTimes } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createSchedulerMetrics } from "../scheduler-metrics.ts";
import type { FactToAppend } from "./append-facts.ts";
import { buildDayPlans, startDayPlanner } from "./day-planner.ts";

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const { schemes } = sampleConfiguration();
const scheme = schemes[0]!;

test("every calendar date from today to a week ahead is planned, also one that is no working day", () => {
  const times = { ...sampleTimes, calendar: { ...sampleTimes.calendar, workingDays: [1, 2, 3, 4, 5] } };
  const plans = buildDayPlans({ ...scheme, times }, 12, at("2026-11-20T08:00:00+02:00"));
  expect(plans.map(({ businessDate, isWorkingDay }) => `${businessDate} ${isWorkingDay}`)).toEqual([
    "2026-11-20 true",
    "2026-11-21 false",
    "2026-11-22 false",
    "2026-11-23 true",
    "2026-11-24 true",
    "2026-11-25 true",
    "2026-11-26 true",
    "2026-11-27 true",
  ]);
  expect(plans[0]).toMatchObject({
    kind: "DayPlanned",
    partitionCount: 12,
    creditsFinal: "clock",
    calendarVersion: expect.stringMatching(/^sample-1\+[0-9a-f]{8}$/),
  });
});

test("after midnight the date before is planned while its reconciliation close is ahead", () => {
  const night = { ...sampleTimes, processing: [{ opens: "22:00", closes: "+1d 02:00" }], reconciliation: "+1d 04:00" };
  const dates = (text: string) => buildDayPlans({ ...scheme, times: night }, 12, at(text)).map(({ businessDate }) => businessDate);
  expect(dates("2026-11-20T03:00:00+02:00")[0]).toBe("2026-11-19");
  expect(dates("2026-11-20T04:00:01+02:00")[0]).toBe("2026-11-20");
});

test("a process plans at its start and at each local midnight, each date once, and repeats a failed append", async () => {
  const time = createVirtualTime({ startAtMs: at("2026-11-20T23:59:50+02:00") });
  const appended: FactToAppend[] = [];
  const state = { isUp: false, isAgreed: false };
  const plannedUntil: Record<string, number> = {};
  const planning = startDayPlanner({
    schemes,
    partitionCount: 2,
    append: (facts) => {
      if (state.isUp) appended.push(...facts);
      return Promise.resolve(state.isUp);
    },
    brokerNowMs: () => (state.isAgreed ? time.nowMs() : null),
    metrics: { plannedUntil: { set: (value, labels) => void (plannedUntil[labels?.["scheme"] ?? ""] = value) } },
    time,
    logger: silentLogger,
  });
  const keys = () => appended.map(({ key }) => key);
  await time.advance(500);
  state.isAgreed = true;
  await time.advance(500);
  expect([planning.isAppended(), keys().length]).toEqual([false, 0]);
  expect(plannedUntil).toEqual({});
  state.isUp = true;
  await time.advance(2_000);
  expect([planning.isAppended(), keys().length]).toEqual([true, 8]);
  await time.advance(6_900);
  expect(keys()).toHaveLength(8);
  await time.advance(200);
  expect(keys().slice(8)).toEqual(["ZA_EFT:2026-11-28"]);
  await time.advance(24 * 3_600_000);
  expect(keys().slice(9)).toEqual(["ZA_EFT:2026-11-29"]);
  expect(plannedUntil).toEqual({ ZA_EFT: at("2026-11-29T00:00:00Z") / 1_000 });
  planning.stop();
});

test("I14: a day that cannot be appended is named and tried again alone, and the others are planned", async () => {
  const time = createVirtualTime({ startAtMs: at("2026-11-20T12:00:00+02:00") });
  const tries: string[] = [];
  const without = { key: "ZA_EFT:2026-11-22" };
  const planning = startDayPlanner({
    schemes,
    partitionCount: 2,
    append: (facts) => {
      tries.push(...facts.map(({ key }) => key));
      return Promise.resolve(!facts.some(({ key }) => key === without.key));
    },
    brokerNowMs: () => time.nowMs(),
    metrics: createSchedulerMetrics(silentMetrics),
    time,
    logger: silentLogger,
  });
  await time.advance(5_500);
  expect([planning.isAppended(), planning.missing()]).toEqual([true, [without.key]]);
  expect(new Set(tries.slice(8))).toEqual(new Set([without.key]));
  expect(new Set(tries).size).toBe(8);
  without.key = "";
  await time.advance(2_000);
  expect(planning.missing()).toEqual([]);
  planning.stop();
});

test("I9: the days ahead are counted by the broker's clock, not by the process's", async () => {
  const time = createVirtualTime({ startAtMs: at("2026-11-20T23:30:00+02:00") });
  const keys: string[] = [];
  const planning = startDayPlanner({
    schemes,
    partitionCount: 2,
    append: (facts) => {
      keys.push(...facts.map(({ key }) => key));
      return Promise.resolve(true);
    },
    brokerNowMs: () => time.nowMs() + 3_600_000,
    metrics: createSchedulerMetrics(silentMetrics),
    time,
    logger: silentLogger,
  });
  await time.advance(100);
  planning.stop();
  expect([keys[0], keys.at(-1)]).toEqual(["ZA_EFT:2026-11-21", "ZA_EFT:2026-11-28"]);
});
