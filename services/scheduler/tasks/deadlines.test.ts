import type { OpenRow } from "@sluice/store";
import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./append-facts.ts";
import { outcomeGraceMs, startDeadlineTask } from "./deadlines.ts";
import { transactionFromRow, openCreditRow, createOpenRows } from "./open-rows.fixture.ts";
import { createSchedulerMetrics } from "../scheduler-metrics.ts";

const at = (number: number, deadlineMs: number, over: Partial<OpenRow> = {}): OpenRow => openCreditRow(number, { deadlineMs, ...over });

function setUp(rows: readonly OpenRow[], pageKeysMax = 10_000, isCaughtUp = true) {
  const time = createVirtualTime({ startAtMs: 0 });
  const open = createOpenRows(rows);
  const appended: (FactToAppend & { readonly atMs: number })[] = [];
  const journal = { isUp: true, isCaughtUp, isAgreed: true };
  const deadlines = startDeadlineTask({
    partition: 0,
    store: open.store,
    append: (facts) => {
      if (journal.isUp) appended.push(...facts.map((fact) => ({ ...fact, atMs: time.nowMs() })));
      return Promise.resolve(journal.isUp);
    },
    brokerNowMs: () => (journal.isAgreed ? time.nowMs() : null),
    isCaughtUp: () => journal.isCaughtUp,
    time,
    logger: silentLogger,
    metrics: createSchedulerMetrics(silentMetrics),
    pageKeysMax,
    pageRowsMax: 5_000,
  });
  for (const row of rows) deadlines.fill(row);
  deadlines.wake();
  return {
    time,
    open,
    journal,
    deadlines,
    appended,
    /** Changes a credit as the partition does: writes it, then shows it to the task. */
    saw: (row: OpenRow, passedAtMs: number | null = null): void => {
      open.rows.set(row.uetr, row);
      deadlines.observe(transactionFromRow(row), passedAtMs);
    },
    passed: (): readonly string[] =>
      appended.map(({ key, atMs, fact }) => `${key} ${fact.kind === "DeadlinePassed" ? fact.deadlineMs : 0} at ${atMs}`),
  };
}

test("a deadline is appended once, when the broker clock has passed it and not before, the nearest first", async () => {
  const { time, passed } = setUp([at(1, 70_000), at(2, 30_000), at(3, 400_000)]);
  await time.advance(29_999);
  expect(passed()).toEqual([]);
  await time.advance(300_000);
  expect(passed()).toEqual(["u000002 30000 at 30000", "u000001 70000 at 70000"]);
});

test("the deadline of a credit received later is appended, and that of an ended credit is not", async () => {
  const { time, saw, passed } = setUp([at(1, 50_000)]);
  await time.advance(1_000);
  saw(at(2, 40_000));
  saw(at(1, 50_000, { state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
  await time.advance(200_000);
  expect(passed()).toEqual(["u000002 40000 at 40000"]);
});

test("the verdict's deadline replaces the provisional one", async () => {
  const { time, saw, passed } = setUp([at(1, 50_000)]);
  saw(at(1, 90_000));
  await time.advance(200_000);
  expect(passed()).toEqual(["u000001 90000 at 90000"]);
});

test("a deadline that came too early by its append time is appended again after a second", async () => {
  const { time, saw, passed } = setUp([at(1, 50_000)]);
  await time.advance(50_500);
  saw(at(1, 50_000), 49_990);
  await time.advance(600);
  expect(passed()).toHaveLength(1);
  await time.advance(1_000);
  expect(passed()).toHaveLength(2);
});

test("a failed append is repeated; nothing is appended while the broker clock is not known", async () => {
  const { time, journal, passed } = setUp([at(1, 10_000)]);
  journal.isAgreed = false;
  await time.advance(15_000);
  journal.isAgreed = true;
  journal.isUp = false;
  await time.advance(60_000);
  expect(passed()).toEqual([]);
  journal.isUp = true;
  await time.advance(2_000);
  expect(passed()).toHaveLength(1);
});

test("nothing is appended before the journal that was there at the start is handled: it may end the credit", async () => {
  const { time, journal, deadlines, saw, passed } = setUp([at(1, 10_000), at(2, 10_000)], 10_000, false);
  await time.advance(30_000);
  expect(passed()).toEqual([]);
  saw(at(1, 10_000, { state: "CREDIT_AUTH_RESPONSE_ACCEPTED" }));
  journal.isCaughtUp = true;
  deadlines.onProgress();
  await time.settle();
  expect(passed()).toEqual(["u000002 10000 at 30000"]);
});

test("an ended credit without an acknowledged outcome report is due once, a minute after its deadline; not one in reconciliation, nor one with an item", async () => {
  const ended = { state: "CREDIT_AUTH_RESPONSE_ACCEPTED", isOutcomeAwaited: true } as const;
  const { time, saw, deadlines, passed } = setUp([
    at(1, 10_000, ended),
    at(2, 10_000, { ...ended, state: "CREDIT_AUTH_RECONCILIATION" }),
    at(3, 10_000, { ...ended, isOutcomeAwaited: false }),
    at(4, 10_000, ended),
  ]);
  deadlines.observe(transactionFromRow(at(4, 10_000, ended), ["OUTCOME_UNDELIVERED"]), null);
  const dueMs = 10_000 + outcomeGraceMs;
  await time.advance(dueMs + 1_000);
  expect(passed()).toEqual([`u000001 10000 at ${dueMs}`]);
  saw(at(1, 10_000, ended), dueMs + 5);
  await time.advance(600_000);
  expect(passed()).toHaveLength(1);
});

test("I15: more credits than a page holds are read from the store in turn, and each is appended once", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => at(index, 10_000 + ((index * 37) % 250)));
  const { time, saw, appended, open } = setUp(rows, 20);
  let judged = 0;
  for (let round = 0; round < 400; round += 1) {
    await time.advance(20_000 / 400);
    for (const { key } of appended.slice(judged)) {
      judged += 1;
      const row = rows.find(({ uetr }) => uetr === key)!;
      open.rows.delete(key);
      saw({ ...row, state: "CREDIT_AUTH_RECONCILIATION" }, time.nowMs());
      open.rows.delete(key);
    }
  }
  expect(appended.map(({ key }) => key).toSorted()).toEqual(rows.map(({ uetr }) => uetr));
  const due = appended.map(({ fact }) => (fact.kind === "DeadlinePassed" ? fact.deadlineMs : 0));
  expect(due).toEqual(due.toSorted((a, b) => a - b));
  expect(open.reads).toBeLessThanOrEqual(30);
});

test("I15: a page full of appended deadlines reads nothing and appends nothing until their results come", async () => {
  const rows = Array.from({ length: 50 }, (_, index) => at(index, 10_000 + index));
  const { time, appended, open } = setUp(rows, 20);
  await time.advance(300_000);
  expect([appended.length, open.reads]).toEqual([20, 0]);
});

test("I16: deadlines beyond a cut page are found again wherever they are in the store", async () => {
  const held = Array.from({ length: 10_000 }, (_, number) => openCreditRow(number, { flow: "off-us", state: "HELD", deadlineMs: null }));
  const credits = [1, 2, 3, 4, 5].map((number) => at(20_000 + number, 10_000 * number));
  const { time, saw, passed } = setUp([...held, ...credits], 2);
  for (const row of credits) {
    await time.advance(10_000);
    saw({ ...row, state: "CREDIT_AUTH_RECONCILIATION", isOutcomeAwaited: true });
  }
  await time.advance(5_000);
  expect(passed()).toEqual(credits.map(({ uetr, deadlineMs }) => `${uetr} ${deadlineMs} at ${deadlineMs}`));
});
