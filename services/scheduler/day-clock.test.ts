import type { Day } from "@sluice/domain";
import { silentLog } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { startDayClock, timesAhead } from "./day-clock.ts";

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
    lanes: 2,
  },
  planVersions: ["1"],
  opened: [],
  closed: [],
  missed: [],
  declarations: [],
  isGateOpen: false,
  reconciledAtMs: null,
  isVoided: false,
  putBacks: [],
  decisions: [],
  told: [],
};

function given(days: readonly Day[], agreedAheadMs = 0) {
  const time = createVirtualTime({ startAtMs: 0 });
  const appended: (FactToAppend & { readonly atMs: number })[] = [];
  const state = { isUp: true, isAgreed: true };
  const clock = startDayClock({
    lane: 0,
    days,
    append: (facts) => {
      if (state.isUp) appended.push(...facts.map((fact) => ({ ...fact, atMs: time.nowMs() })));
      return Promise.resolve(state.isUp);
    },
    agreedNowMs: () => (state.isAgreed ? time.nowMs() + agreedAheadMs : null),
    time,
    log: silentLog,
  });
  clock.wake();
  const told = () =>
    appended.map(({ fact, atMs }) => `${atMs} ${fact.kind === "DayTimeReached" ? `${fact.time} ${fact.number}` : fact.kind}`);
  return { time, clock, told, state };
}

test("I9: a planned time is told when agreed time has passed it, not by the process's clock", async () => {
  const { time, clock, told } = given([day], -3_000);
  await time.advance(12_500);
  clock.wake();
  await time.advance(499);
  expect(told()).toEqual([]);
  await time.advance(1);
  expect(told()).toEqual(["13000 window-opens 1"]);
});

test("it is told again every second until the day shows the effect, and a failed append too", async () => {
  const { time, clock, told, state } = given([day]);
  state.isUp = false;
  await time.advance(10_500);
  state.isUp = true;
  await time.advance(2_000);
  expect(told()).toEqual(["11000 window-opens 1", "12000 window-opens 1"]);
  clock.saw({ ...day, opened: [1] });
  await time.advance(7_000);
  expect(told()).toHaveLength(2);
  await time.advance(500);
  expect(told().at(-1)).toBe("20000 window-closes 1");
});

test("times that passed while nobody looked go out in their order", async () => {
  const { time, told } = given([day], 40_000);
  await time.advance(0);
  expect(told()).toEqual(["0 window-opens 1", "0 window-closes 1", "0 reconciliation 0"]);
});

test("before agreed time is known nothing is told, and the day is looked at when it is", async () => {
  const { time, told, state } = given([day], 10_000);
  state.isAgreed = false;
  await time.advance(1_500);
  state.isAgreed = true;
  await time.advance(1_000);
  expect(told().length).toBeGreaterThan(0);
});

test("a day that is reconciled, or a date without a window, has no times", () => {
  expect(timesAhead({ ...day, reconciledAtMs: 30_000 })).toEqual([]);
  expect(timesAhead({ ...day, plan: { ...day.plan, windows: [] } })).toEqual([]);
  expect(timesAhead({ ...day, missed: [1], closed: [1] }).map(({ time }) => time)).toEqual(["reconciliation"]);
});
