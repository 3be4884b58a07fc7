import type { Marker } from "@sluice/domain";
import type { OpenRow, UnreadRow } from "@sluice/store";
import { silentLogger } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./append-facts.ts";
import { startDayCloser } from "./day-closer.ts";
import { openCreditRow, createOpenRows } from "./open-rows.fixture.ts";
import { schedulerBusinessDate } from "../journal-records.fixture.ts";
import { createAppliedMarkers } from "../partition/applied-markers.ts";

const day = `ZA_EFT:${schedulerBusinessDate}`;
const reconciled = {
  kind: "DayReconciled",
  id: `${day}:DayReconciled:1`,
  scheme: "ZA_EFT",
  businessDate: schedulerBusinessDate,
  number: 1,
} as const;
const heldRow = (number: number, over: Partial<OpenRow> = {}): OpenRow =>
  openCreditRow(number, { flow: "off-us", state: "HELD", deadlineMs: null, reconciliationDay: day, ...over });

function setUp(rows: readonly (OpenRow | UnreadRow)[]) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createAppliedMarkers(0);
  const open = createOpenRows(rows);
  const appended: FactToAppend[] = [];
  const journal = { refuses: 0, batchFactsMax: 0, whileAppending: (): void => {} };
  const closing = startDayCloser({
    partition: 0,
    markers,
    store: open.store,
    append: (facts) => {
      journal.whileAppending();
      journal.whileAppending = () => {};
      journal.batchFactsMax = Math.max(journal.batchFactsMax, facts.length);
      const isUp = journal.refuses === 0;
      if (isUp) appended.push(...facts);
      else journal.refuses -= 1;
      return Promise.resolve(isUp);
    },
    time,
    logger: silentLogger,
    pageRowsMax: 5_000,
  });
  const pass = (marker: Marker, offset = 9n): void => {
    markers.apply(marker, { offset, appendedAtMs: 0 });
    closing.onMarkerApplied(marker);
  };
  const woken = (): ReadonlySet<string> => new Set(appended.map(({ key }) => key));
  return { time, markers, open, journal, closing, appended, woken, pass };
}

test("I10: a close appends DayClosed for each open transaction of its day, however many pages of the store they fill, and for no other", async () => {
  const rows = Array.from({ length: 20_002 }, (_, index) =>
    heldRow(index, index === 20_000 ? { reconciliationDay: "ZA_EFT:2026-11-23" } : {}),
  );
  const { time, pass, appended, woken, journal } = setUp([...rows, openCreditRow(30_000)]);
  pass(reconciled);
  await time.settle();
  expect([appended.length, woken().size, woken().has(rows[20_001]?.uetr ?? "")]).toEqual([20_001, 20_001, true]);
  expect(appended.every(({ fact }) => fact.kind === "DayClosed" && fact.day === day)).toBe(true);
  expect(journal.batchFactsMax).toBeLessThanOrEqual(1_000);
});

test("I10: an unread message that has no day is woken by the newest close, at the close itself and by a new owner", async () => {
  const unread: UnreadRow = { uetr: "u1", state: "ORPHAN", flow: null, reconciliationDay: null, unreadCreditOffset: 3n };
  const { time, pass, appended, closing } = setUp([unread]);
  pass({ ...reconciled, id: "earlier", businessDate: "2026-11-19" }, 8n);
  await time.settle();
  pass(reconciled);
  await time.settle();
  for (const row of [unread]) closing.fill(row);
  closing.wake();
  await time.settle();
  expect(appended.map(({ fact }) => fact.kind === "DayClosed" && fact.day)).toEqual(["ZA_EFT:2026-11-19", day, day]);
});

test("I16: a DayClosed that could not be appended at a close is appended later, with the whole day", async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => heldRow(index));
  const { time, pass, woken, journal } = setUp(rows);
  journal.refuses = 2;
  pass(reconciled);
  await time.advance(5_000);
  expect(woken().size).toBe(2_500);
});

test("I16: a new owner closes again a reconciled day that still has open transactions, also one whose outcome report is not acknowledged", async () => {
  const unacknowledged = heldRow(1, { state: "COMPLETED", isOutcomeAwaited: true });
  const later = heldRow(2, { reconciliationDay: "ZA_EFT:2026-11-23" });
  const { time, closing, markers, appended } = setUp([unacknowledged, later]);
  markers.apply(reconciled, { offset: 9n, appendedAtMs: 0 });
  closing.fill(unacknowledged);
  closing.fill(later);
  closing.wake();
  await time.settle();
  expect(appended).toEqual([{ key: unacknowledged.uetr, fact: { kind: "DayClosed", day } }]);
});

const lastClosed: Marker = {
  kind: "WindowClosed",
  id: `${day}:WindowClosed:1`,
  scheme: "ZA_EFT",
  businessDate: schedulerBusinessDate,
  number: 1,
  isLast: true,
  nextBusinessDate: "2026-11-23",
};
const voided: Marker = {
  kind: "DayVoid",
  id: `${day}:DayVoid:1`,
  scheme: "ZA_EFT",
  businessDate: schedulerBusinessDate,
  nextBusinessDate: "2026-11-23",
};
const timesAgain: Marker = {
  kind: "DayTimes",
  id: `${day}:DayTimes:2`,
  scheme: "ZA_EFT",
  businessDate: schedulerBusinessDate,
  number: 2,
  reconciliationAtMs: 1,
  calendarVersion: "v3",
};

test("after the last window's close a held debit that may still be carried over gets a DayClosed, and no other transaction does", async () => {
  const carriesOver = heldRow(1, { businessDate: schedulerBusinessDate, carryOversLeft: 1 });
  const stays = heldRow(2, { businessDate: schedulerBusinessDate, carryOversLeft: 0 });
  const released = heldRow(3, { businessDate: schedulerBusinessDate, carryOversLeft: 1, state: "RELEASED" });
  const later = heldRow(4, { businessDate: "2026-11-23", reconciliationDay: "ZA_EFT:2026-11-23", carryOversLeft: 1 });
  const { time, pass, appended } = setUp([carriesOver, stays, released, later, openCreditRow(5, { businessDate: schedulerBusinessDate })]);
  pass({ ...lastClosed, id: `${day}:WindowClosed:0`, isLast: false }, 8n);
  await time.settle();
  expect(appended).toEqual([]);
  pass(lastClosed);
  await time.settle();
  expect(appended).toEqual([{ key: carriesOver.uetr, fact: { kind: "DayClosed", day } }]);
});

test("I10: a reconciliation that comes while the last window is still being closed is not missed", async () => {
  const carriesOver = heldRow(1, { businessDate: schedulerBusinessDate, carryOversLeft: 1 });
  const stays = heldRow(2, { businessDate: schedulerBusinessDate, carryOversLeft: 0 });
  const { time, pass, journal, appended } = setUp([carriesOver, stays]);
  // A scheduler that was down over both applies them one right after the other; the second comes while the first
  // DayClosed is being appended.
  journal.whileAppending = () => pass(reconciled, 10n);
  pass(lastClosed);
  await time.settle();
  expect(appended.filter(({ key }) => key === stays.uetr)).toEqual([{ key: stays.uetr, fact: { kind: "DayClosed", day } }]);
});

test("after its date was voided every held debit gets a DayClosed; not once the date has windows again", async () => {
  const rows = [
    heldRow(1, { businessDate: schedulerBusinessDate, carryOversLeft: 0 }),
    heldRow(2, { businessDate: schedulerBusinessDate, carryOversLeft: 1 }),
  ];
  const { time, pass, woken } = setUp(rows);
  pass(voided);
  await time.settle();
  expect(woken()).toEqual(new Set(rows.map(({ uetr }) => uetr)));
  const again = setUp(rows);
  again.markers.apply(voided, { offset: 8n, appendedAtMs: 0 });
  again.pass(timesAgain);
  for (const row of rows) again.closing.fill(row);
  again.closing.wake();
  await again.time.settle();
  expect(again.appended).toEqual([]);
});

test("I16: a new owner appends DayClosed again for what a marker concerns that was applied before it took over", async () => {
  for (const marker of [lastClosed, voided]) {
    const row = heldRow(1, { businessDate: schedulerBusinessDate, carryOversLeft: 1 });
    const { time, closing, markers, appended } = setUp([row]);
    markers.apply(marker, { offset: 9n, appendedAtMs: 0 });
    closing.fill(row);
    closing.wake();
    await time.settle();
    expect(appended).toEqual([{ key: row.uetr, fact: { kind: "DayClosed", day } }]);
  }
});
