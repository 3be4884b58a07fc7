// listBanks, the alarm of a day's total, listUndelivered and controlStatus.

import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { givenConsole, startAtMs } from "./given.ts";
import {
  actionOf,
  allPages,
  answerTo,
  dayAfter,
  opensFirst,
  parkedAs,
  plan,
  rowsOf,
  saveAll,
  saveDay,
  transactionIn,
} from "./given-control.ts";
import { lookEveryMs } from "./watch-day-totals.ts";

const since = { action: actionOf(), atMs: startAtMs };
const paused = { version: 1, applied: 0n, isPaused: true, untilMs: null, since, pauses: 1, resumes: 0, told: [], decisions: [] };
const alarmed = sampleBank({ id: "first", dayTotalAlarms: [{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 25_010_000n }] });

test("every configured bank and connector is listed, and one that was paused and is configured no more", async () => {
  const world = await givenConsole();
  await world.settled(world.store.banks.write({ bank: "first", ...paused }, 0));
  await world.settled(world.store.banks.write({ bank: "gone", ...paused }, 0));
  const rows = await rowsOf(world, "/banks");
  expect(rows.map(({ bank, kind, isPaused }) => [bank, kind, isPaused])).toEqual([
    ["clearing", "connector", false],
    ["first", "bank", true],
    ["gone", "unknown", true],
    ["second", "bank", false],
  ]);
  expect(rows[1]).toMatchObject({ since: { at: "2026-11-20T06:00:00.000Z", operator: "operator", reason: "the bank called" } });
});

test("a day's total counts what was sent to the bank, not what was refused, and is above its alarm only beyond it [D6 day-total]", async () => {
  const world = await givenConsole({ banks: [alarmed] });
  await saveAll(world, [transactionIn("HELD", 1), transactionIn("COMPLETED", 2), transactionIn("REJECTION_REPORTED", 3)]);
  await saveAll(world, [transactionIn("HELD", 4, { businessDate: "2026-11-19" })]);
  const totalOf = async () => (await rowsOf(world, "/banks")).find(({ bank }) => bank === "first")?.["dayTotals"];
  const exact = { scheme: "ZA_EFT", businessDate: "2026-11-20", currency: "ZAR", count: 2, sum: "2501.00", alarmAbove: "2501.00" };
  expect(await totalOf()).toEqual([{ ...exact, isAboveAlarm: false }]);
  await saveAll(world, [transactionIn("RECEIVED", 5, { amountTenThousandths: 1n })]);
  expect(await totalOf()).toMatchObject([{ sum: "2501.0001", isAboveAlarm: true }]);
});

test("an alarm is said once when it begins, stands in the metrics, and stays while the store is away", async () => {
  const world = await givenConsole({ banks: [alarmed] });
  const metric = 'sluice_console_day_total_alarm{bank="first",scheme="ZA_EFT",currency="ZAR"}';
  const said = () => world.world.lines.filter(({ event }) => event.startsWith("day-total."));
  await world.time.advance(lookEveryMs);
  expect([said(), (await world.metrics.text()).includes(`${metric} 0`)]).toEqual([[], true]);
  await saveAll(
    world,
    [1, 2, 3].map((index) => transactionIn("HELD", index)),
  );
  await world.time.advance(3 * lookEveryMs);
  expect(said()).toMatchObject([
    { event: "day-total.above-alarm", fields: { bank: "first", sum: "3751.50", alarmAbove: "2501.00", count: 3 } },
  ]);
  world.world.fault = "down";
  await world.time.advance(2 * lookEveryMs);
  expect([said().length, (await world.metrics.text()).includes(`${metric} 1`)]).toEqual([1, true]);
  await world.settled(world.desk.stop());
});

test("what is not delivered is counted by receiver and day, with refused ones, the next attempt, the time to the close and whether it is paused", async () => {
  const world = await givenConsole();
  await saveDay(world, dayAfter([plan], startAtMs - 1_000));
  await world.settled(world.store.banks.write({ bank: "first", ...paused }, 0));
  await world.settled(world.store.deliveries.insert([parkedAs("A", 1n), parkedAs("B", 2n, { ended: "refused" })]));
  const deadlineMs = startAtMs + 3_600_000;
  await world.settled(world.store.postings.insert([parkedAs("E", 1n, { bank: "second", closesWith: null, deadlineMs })]));
  const none = { waiting: 0, refused: 0, oldestSince: null, oldestAgeSeconds: null, nextAttempt: null, firstDeadline: null };
  const age = { oldestSince: "2026-11-20T06:00:00.000Z", oldestAgeSeconds: 0 };
  const why = ["Paused by operator since 2026-11-20T06:00:00.000Z: the bank called. Nothing is sent until it is resumed."];
  expect(await rowsOf(world, "/undelivered")).toEqual([
    {
      bank: "first",
      day: "ZA_EFT:2026-11-20",
      state: "paused",
      isPaused: true,
      until: null,
      why,
      closes: "2026-11-20T16:00:00.000Z",
      secondsToClose: 36_000,
      deliveries: { waiting: 1, refused: 1, ...age, nextAttempt: null, firstDeadline: null },
      postings: none,
    },
    {
      bank: "second",
      day: null,
      state: "active",
      isPaused: false,
      until: null,
      why: [],
      closes: null,
      secondsToClose: null,
      deliveries: none,
      postings: { waiting: 1, refused: 0, ...age, nextAttempt: "2026-11-20T06:01:00.000Z", firstDeadline: "2026-11-20T07:00:00.000Z" },
    },
  ]);
  expect((await allPages(world, "/undelivered?limit=1")).flat().map(({ bank }) => bank)).toEqual(["first", "second"]);
  const standings = (await rowsOf(world, "/undelivered?bank=first")).map(({ standing, nextAttempt }) => [standing, nextAttempt]);
  expect(standings).toEqual([
    ["paused", null],
    ["refused", null],
  ]);
});

test("each message of a bank comes once over all pages, with its attempts and its time to the close, and never with its bytes", async () => {
  const world = await givenConsole();
  await saveDay(world, dayAfter([plan], startAtMs - 1_000));
  const deliveries = Array.from({ length: 5 }, (_, index) => parkedAs(`D${index}`, BigInt(index), { lane: index % 3 }));
  const postings = Array.from({ length: 4 }, (_, index) => parkedAs(`E${index}`, 3n, { closesWith: null, deadlineMs: startAtMs + 90_000 }));
  await world.settled(world.store.deliveries.insert([...deliveries, parkedAs("X", 1n, { bank: "second" })]));
  await world.settled(world.store.postings.insert(postings));
  for (const limit of [1, 3, 9, 100]) {
    const rows = (await allPages(world, `/undelivered?bank=first&limit=${limit}`)).flat();
    expect(rows.map((row) => row["messageIdentification"])).toEqual(["D0", "D1", "D2", "D3", "D4", "E0", "E1", "E2", "E3"]);
    expect(rows[0]).toMatchObject({ kind: "delivery", secondsToClose: 36_000, recentAttempts: [{ httpStatusCode: 503, answer: "away" }] });
    expect(rows[8]).toMatchObject({ kind: "posting", closes: "2026-11-20T06:01:30.000Z", day: null });
    expect(JSON.stringify(rows)).not.toContain("record");
  }
  const late = parkedAs("L", 1n, { bank: "second", closesWith: null, deadlineMs: startAtMs - 1, ended: "refused" });
  await world.settled(world.store.postings.insert([late]));
  expect((await rowsOf(world, "/undelivered?bank=second")).map(({ standing }) => standing)).toEqual(["waiting", "expired"]);
  for (const query of ["bank=first&after=Zm9v", "after=Zm9v", "bank=FIRST"]) {
    expect([query, (await world.control(`/undelivered?${query}`)).status]).toEqual([query, 400]);
  }
});

test("the status shows each lane's position against the end of its log, paused banks, and the days that are open", async () => {
  const world = await givenConsole();
  await saveDay(world, dayAfter([plan, opensFirst()], plan.windows[0]?.opensAtMs ?? 0));
  await world.settled(world.store.banks.write({ bank: "first", ...paused }, 0));
  await world.appendToJournal();
  await world.appendToJournal();
  await world.schedulerReaches(1n);
  const body = await answerTo(world, "/status");
  const lanes = body["lanes"];
  expect(lanes).toHaveLength(9);
  expect(lanes).toContainEqual({ service: "scheduler", lane: 1, position: "1", logEnd: "2", lag: "1", epoch: 1 });
  expect(lanes).toContainEqual({ service: "event-publisher", lane: 0, position: "0", logEnd: "0", lag: "0", epoch: null });
  expect(body).toMatchObject({
    banksPaused: [{ bank: "first", operator: "operator" }],
    days: [{ day: "ZA_EFT:2026-11-20", windowOpen: 1, nextClose: "2026-11-20T10:00:00.000Z" }],
  });
});
