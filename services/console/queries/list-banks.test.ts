// Tests of listBanks, the alarm of a day's total, listUndelivered and controlStatus.

import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openConsoleEnvironment, consoleStartAtMs } from "../console.fixture.ts";
import {
  buildOperatorAction,
  readControlPages,
  readControlAnswer,
  applyDayFacts,
  firstWindowOpens,
  buildParkedMessage,
  twoWindowPlan,
  readControlRows,
  saveTransactions,
  saveDay,
  buildStoredTransaction,
} from "./stored-data.fixture.ts";
import { dayTotalsCheckEveryMs } from "./watch-day-totals.ts";

const since = { action: buildOperatorAction(), atMs: consoleStartAtMs };
const paused = {
  version: 1,
  applied: 0n,
  isPaused: true,
  untilMs: null,
  since,
  pauses: 1,
  resumes: 0,
  markers: [],
  decisions: [],
  usedActions: [],
};
const alarmed = sampleBank({ id: "first", dayTotalAlarms: [{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: 25_010_000n }] });

/** The close of the second window of the plan. */
const windowClose = { windowCloses: "2026-11-20T14:00:00.000Z", secondsToWindowClose: 28_800 };

test("every configured bank and connector is listed, and a paused one that is no longer configured", async () => {
  const environment = await openConsoleEnvironment();
  await environment.settled(environment.store.banks.write({ bank: "first", ...paused }, 0));
  await environment.settled(environment.store.banks.write({ bank: "gone", ...paused }, 0));
  const rows = await readControlRows(environment, "/banks");
  expect(rows.map(({ bank, kind, isPaused }) => [bank, kind, isPaused])).toEqual([
    ["clearing", "connector", false],
    ["first", "bank", true],
    ["gone", "unknown", true],
    ["second", "bank", false],
  ]);
  expect(rows[1]).toMatchObject({ since: { at: "2026-11-20T06:00:00.000Z", operator: "operator", reason: "the bank called" } });
});

test("F1: as many paused receivers as can be configured are all shown as paused, by the list and by the status", async () => {
  const environment = await openConsoleEnvironment();
  const ids = Array.from({ length: 1_100 }, (_, index) => `bank-${index}`);
  for (const bank of ids) await environment.settled(environment.store.banks.write({ bank, ...paused }, 0));
  expect((await readControlRows(environment, "/banks")).filter(({ isPaused }) => isPaused)).toHaveLength(1_100);
  expect((await readControlAnswer(environment, "/status"))["banksPaused"]).toHaveLength(1_100);
});

test("a day's total counts what was sent to the bank, not what was refused, and is above its alarm only beyond it [D6 day-total]", async () => {
  const environment = await openConsoleEnvironment({ banks: [alarmed] });
  await saveTransactions(environment, [
    buildStoredTransaction("HELD", 1),
    buildStoredTransaction("COMPLETED", 2),
    buildStoredTransaction("REJECTION_REPORTED", 3),
  ]);
  await saveTransactions(environment, [buildStoredTransaction("HELD", 4, { businessDate: "2026-11-19" })]);
  const readTotal = async () => {
    // A count is the answer for a second.
    await environment.time.advance(1_100);
    return (await readControlRows(environment, "/banks")).find(({ bank }) => bank === "first")?.["dayTotals"];
  };
  const exact = { scheme: "ZA_EFT", businessDate: "2026-11-20", currency: "ZAR", count: 2, sum: "2501.00", alarmAbove: "2501.00" };
  expect(await readTotal()).toEqual([{ ...exact, isAboveAlarm: false }]);
  await saveTransactions(environment, [buildStoredTransaction("RECEIVED", 5, { amountTenThousandths: 1n })]);
  expect(await readTotal()).toMatchObject([{ sum: "2501.0001", isAboveAlarm: true }]);
});

test("an alarm is logged once when it begins, is shown in the metrics, and stays on while the store is away", async () => {
  const environment = await openConsoleEnvironment({ banks: [alarmed] });
  const metric = 'sluice_console_day_total_alarm{bank="first",scheme="ZA_EFT",currency="ZAR"}';
  const said = () => environment.environment.lines.filter(({ event }) => event.startsWith("day-total."));
  await environment.time.advance(dayTotalsCheckEveryMs);
  expect([said(), (await environment.metrics.text()).includes(metric)]).toEqual([[], false]);
  await saveTransactions(
    environment,
    [1, 2, 3].map((index) => buildStoredTransaction("HELD", index)),
  );
  await environment.time.advance(3 * dayTotalsCheckEveryMs);
  expect(said()).toMatchObject([
    { event: "day-total.above-alarm", fields: { bank: "first", sum: "3751.50", alarmAbove: "2501.00", count: 3 } },
  ]);
  environment.environment.fault = "down";
  await environment.time.advance(2 * dayTotalsCheckEveryMs);
  expect([said().length, (await environment.metrics.text()).includes(`${metric} 1`)]).toEqual([1, true]);
  await environment.settled(environment.desk.stop());
});

test("undelivered messages are counted by receiver and day, with refused ones, next attempt, time to the close and pause", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan], consoleStartAtMs - 1_000));
  await environment.settled(environment.store.banks.write({ bank: "first", ...paused }, 0));
  await environment.settled(
    environment.store.deliveries.insert([buildParkedMessage("A", 1n), buildParkedMessage("B", 2n, { ended: "refused" })]),
  );
  const deadlineMs = consoleStartAtMs + 3_600_000;
  await environment.settled(
    environment.store.postings.insert([buildParkedMessage("E", 1n, { receiverId: "second", reconciliationDay: null, deadlineMs })]),
  );
  const none = { waiting: 0, refused: 0, oldestSince: null, oldestAgeSeconds: null, nextAttempt: null, firstDeadline: null };
  const age = { oldestSince: "2026-11-20T06:00:00.000Z", oldestAgeSeconds: 0 };
  const why = ["Paused by operator since 2026-11-20T06:00:00.000Z: the bank called. Nothing is sent until it is resumed."];
  expect(await readControlRows(environment, "/undelivered")).toEqual([
    {
      bank: "first",
      day: "ZA_EFT:2026-11-20",
      state: "paused",
      isPaused: true,
      until: null,
      why,
      ...windowClose,
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
      windowCloses: null,
      secondsToWindowClose: null,
      closes: null,
      secondsToClose: null,
      deliveries: none,
      postings: { waiting: 1, refused: 0, ...age, nextAttempt: "2026-11-20T06:01:00.000Z", firstDeadline: "2026-11-20T07:00:00.000Z" },
    },
  ]);
  expect((await readControlPages(environment, "/undelivered?limit=1")).flat().map(({ bank }) => bank)).toEqual(["first", "second"]);
  const statuses = (await readControlRows(environment, "/undelivered?bank=first")).map(({ status, nextAttempt }) => [status, nextAttempt]);
  expect(statuses).toEqual([
    ["paused", null],
    ["refused", null],
  ]);
});

test("a report that waits has the window's close besides the reconciliation close; a debit that was released has not", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan], consoleStartAtMs - 1_000));
  const report = buildParkedMessage("R", 1n, { operation: "outboundDirectDebitResponse" });
  const debit = buildParkedMessage("D", 2n, { operation: "inboundDirectDebit" });
  await environment.settled(environment.store.deliveries.insert([report, debit]));
  const rows = await readControlRows(environment, "/undelivered?bank=first");
  expect(rows).toMatchObject([windowClose, { windowCloses: null, secondsToWindowClose: null }]);
  const banks = await readControlRows(environment, "/banks");
  expect(banks.find(({ bank }) => bank === "first")).toMatchObject({ waiting: windowClose });
});

test("each message of a bank appears once over all pages, with its attempts and time to the close, and never with its bytes", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan], consoleStartAtMs - 1_000));
  const deliveries = Array.from({ length: 5 }, (_, index) => buildParkedMessage(`D${index}`, BigInt(index), { partition: index % 3 }));
  const postings = Array.from({ length: 4 }, (_, index) =>
    buildParkedMessage(`E${index}`, 3n, { reconciliationDay: null, deadlineMs: consoleStartAtMs + 90_000 }),
  );
  await environment.settled(environment.store.deliveries.insert([...deliveries, buildParkedMessage("X", 1n, { receiverId: "second" })]));
  await environment.settled(environment.store.postings.insert(postings));
  for (const limit of [1, 3, 9, 100]) {
    const rows = (await readControlPages(environment, `/undelivered?bank=first&limit=${limit}`)).flat();
    expect(rows.map((row) => row["messageIdentification"])).toEqual(["D0", "D1", "D2", "D3", "D4", "E0", "E1", "E2", "E3"]);
    expect(rows[0]).toMatchObject({ kind: "delivery", secondsToClose: 36_000, recentAttempts: [{ httpStatusCode: 503, answer: "away" }] });
    expect(rows[8]).toMatchObject({ kind: "posting", closes: "2026-11-20T06:01:30.000Z", day: null });
    expect(JSON.stringify(rows)).not.toContain("record");
  }
  const late = buildParkedMessage("L", 1n, {
    receiverId: "second",
    reconciliationDay: null,
    deadlineMs: consoleStartAtMs - 1,
    ended: "refused",
  });
  await environment.settled(environment.store.postings.insert([late]));
  expect((await readControlRows(environment, "/undelivered?bank=second")).map(({ status }) => status)).toEqual(["waiting", "expired"]);
  for (const query of ["bank=first&after=Zm9v", "after=Zm9v", "bank=FIRST"]) {
    expect([query, (await environment.control(`/undelivered?${query}`)).status]).toEqual([query, 400]);
  }
});

test("the status shows each partition's position and end, paused banks, and open days", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan, firstWindowOpens()], twoWindowPlan.windows[0]?.opensAtMs ?? 0));
  await environment.settled(environment.store.banks.write({ bank: "first", ...paused }, 0));
  await environment.appendToJournal();
  await environment.appendToJournal();
  await environment.schedulerReaches(1n);
  const body = await readControlAnswer(environment, "/status");
  const partitions = body["partitions"];
  expect(partitions).toHaveLength(9);
  expect(partitions).toContainEqual({
    service: "scheduler",
    partition: 1,
    position: "1",
    logEnd: "2",
    lag: "1",
    behindSeconds: 0,
    epoch: 1,
  });
  expect(partitions).toContainEqual({
    service: "event-publisher",
    partition: 0,
    position: "0",
    logEnd: "0",
    lag: "0",
    behindSeconds: 0,
    epoch: null,
  });
  expect(body).toMatchObject({
    banksPaused: [{ bank: "first", operator: "operator" }],
    days: [{ day: "ZA_EFT:2026-11-20", windowOpen: 1, nextClose: "2026-11-20T10:00:00.000Z" }],
  });
});
