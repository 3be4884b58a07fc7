import type { Day } from "@sluice/domain";
import { silentLogger } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./append-facts.ts";
import { startDayClock, listTimesAhead } from "./day-clock.ts";

const day: Day = {
  key: "ZA_EFT:2026-11-20",
  version: 1,
  applied: 0n,
  plan: {
    kind: "DayPlanned",
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    zone: "+02:00",
    calendarVersion: "1",
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: 10_000, closesAtMs: 20_000 }],
    cutOffAtMs: 15_000,
    reconciliationAtMs: 30_000,
    nextBusinessDate: "2026-11-21",
    creditsFinal: "clock",
    partitionCount: 2,
  },
  planVersions: ["1"],
  opened: [],
  closed: [],
  missed: [],
  declarations: [],
  isGateOpen: false,
  reconciledAtMs: null,
  isVoided: false,
  extensions: [],
  decisions: [],
  usedActions: [],
  markers: [],
};

function setUp(days: readonly Day[], brokerAheadMs = 0) {
  const time = createVirtualTime({ startAtMs: 0 });
  const appended: (FactToAppend & { readonly atMs: number })[] = [];
  const state = { isUp: true, isAgreed: true };
  const clock = startDayClock({
    partition: 0,
    days,
    append: (facts) => {
      if (state.isUp) appended.push(...facts.map((fact) => ({ ...fact, atMs: time.nowMs() })));
      return Promise.resolve(state.isUp);
    },
    brokerNowMs: () => (state.isAgreed ? time.nowMs() + brokerAheadMs : null),
    time,
    logger: silentLogger,
  });
  clock.wake();
  const appendedTimes = () =>
    appended.map(({ fact, atMs }) => `${atMs} ${fact.kind === "DayTimeReached" ? `${fact.time} ${fact.number}` : fact.kind}`);
  return { time, clock, appendedTimes, state };
}

test("I9: a planned time is appended when the broker clock has passed it, not by the process's clock", async () => {
  const { time, clock, appendedTimes } = setUp([day], -3_000);
  await time.advance(12_500);
  clock.wake();
  await time.advance(499);
  expect(appendedTimes()).toEqual([]);
  await time.advance(1);
  expect(appendedTimes()).toEqual(["13000 window-opens 1"]);
});

test("a planned time is appended again every second until the day shows the effect, also after a failed append", async () => {
  const { time, clock, appendedTimes, state } = setUp([day]);
  state.isUp = false;
  await time.advance(10_500);
  state.isUp = true;
  await time.advance(2_000);
  expect(appendedTimes()).toEqual(["11000 window-opens 1", "12000 window-opens 1"]);
  clock.observe({ ...day, opened: [1] });
  await time.advance(7_000);
  expect(appendedTimes()).toHaveLength(2);
  await time.advance(500);
  expect(appendedTimes().at(-1)).toBe("20000 window-closes 1");
});

test("a time that the day refuses as too early is not appended at each of the day's records, only every second", async () => {
  const { time, clock, appendedTimes } = setUp([day], 5_000);
  // A broker's clock was ahead for a moment: the day refuses the time, which is a record of the day each time.
  await time.advance(5_000);
  for (let refusals = 0; refusals < 100; refusals += 1) {
    clock.observe({ ...day, version: 2 + refusals });
    await time.advance(25);
  }
  expect(appendedTimes()).toEqual([5_000, 6_000, 7_000].map((atMs) => `${atMs} window-opens 1`));
  // A close that comes earlier by a new plan is another time.
  clock.observe({ ...day, plan: { ...day.plan, windows: [{ number: 1, opensAtMs: 9_000, closesAtMs: 12_000 }] } });
  await time.advance(1);
  expect(appendedTimes().slice(3)).toEqual(["7500 window-opens 1", "7500 window-closes 1"]);
});

test("times that passed while no clock ran are appended in their order", async () => {
  const { time, appendedTimes } = setUp([day], 40_000);
  await time.advance(0);
  expect(appendedTimes()).toEqual(["0 window-opens 1", "0 window-closes 1", "0 reconciliation 0"]);
});

test("nothing is appended before the broker clock is known, and the day is checked once it is", async () => {
  const { time, appendedTimes, state } = setUp([day], 10_000);
  state.isAgreed = false;
  await time.advance(1_500);
  state.isAgreed = true;
  await time.advance(1_000);
  expect(appendedTimes().length).toBeGreaterThan(0);
});

test("a day that is reconciled, or a date without a window, has no times", () => {
  expect(listTimesAhead({ ...day, reconciledAtMs: 30_000 })).toEqual([]);
  expect(listTimesAhead({ ...day, plan: { ...day.plan, windows: [] } })).toEqual([]);
  expect(listTimesAhead({ ...day, missed: [1], closed: [1] }).map(({ time }) => time)).toEqual(["reconciliation"]);
});
