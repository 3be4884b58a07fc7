import type { Marker } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { startClosing } from "./closing.ts";
import { creditRow, openRows } from "./given-credits.ts";
import { businessDate } from "./given-records.ts";
import { createLaneMarkers } from "./lane-markers.ts";

const day = `ZA_EFT:${businessDate}`;
const reconciled = { kind: "DayReconciled", id: `${day}:DayReconciled:1`, scheme: "ZA_EFT", businessDate, number: 1 } as const;
const heldRow = (number: number, over: Partial<OpenRow> = {}): OpenRow =>
  creditRow(number, { flow: "off-us", state: "HELD", deadlineMs: null, closesWith: day, ...over });

function given(rows: readonly OpenRow[]) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createLaneMarkers(0);
  const open = openRows(rows);
  const appended: FactToAppend[] = [];
  const journal = { refuses: 0, batchFactsMax: 0, whileAppending: (): void => {} };
  const closing = startClosing({
    lane: 0,
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
    log: silentLog,
  });
  const pass = (marker: Marker, offset = 9n): void => {
    markers.pass(marker, { offset, appendedAtMs: 0 });
    closing.passed(marker);
  };
  const woken = (): ReadonlySet<string> => new Set(appended.map(({ key }) => key));
  return { time, markers, open, journal, closing, appended, woken, pass };
}

test("I10: a close wakes each open transaction of its day, however many pages of the store they fill, and nobody else", async () => {
  const rows = Array.from({ length: 20_002 }, (_, index) => heldRow(index, index === 20_000 ? { closesWith: "ZA_EFT:2026-11-23" } : {}));
  const { time, pass, appended, woken, journal } = given([...rows, creditRow(30_000)]);
  pass(reconciled);
  await time.settle();
  expect([appended.length, woken().size, woken().has(rows[20_001]?.uetr ?? "")]).toEqual([20_001, 20_001, true]);
  expect(appended.every(({ fact }) => fact.kind === "DayClosed" && fact.day === day)).toBe(true);
  expect(journal.batchFactsMax).toBeLessThanOrEqual(1_000);
});

test("I16: what could not be appended at a close is appended later, with all of its day", async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => heldRow(index));
  const { time, pass, woken, journal } = given(rows);
  journal.refuses = 2;
  pass(reconciled);
  await time.advance(5_000);
  expect(woken().size).toBe(2_500);
});

test("I16: a new owner closes a day again that is reconciled and still has open transactions, also one whose outcome is awaited", async () => {
  const told = heldRow(1, { state: "COMPLETED", isOutcomeAwaited: true });
  const later = heldRow(2, { closesWith: "ZA_EFT:2026-11-23" });
  const { time, closing, markers, appended } = given([told, later]);
  markers.pass(reconciled, { offset: 9n, appendedAtMs: 0 });
  closing.fill(told);
  closing.fill(later);
  closing.wake();
  await time.settle();
  expect(appended).toEqual([{ key: told.uetr, fact: { kind: "DayClosed", day } }]);
});

const lastClosed: Marker = {
  kind: "WindowClosed",
  id: `${day}:WindowClosed:1`,
  scheme: "ZA_EFT",
  businessDate,
  number: 1,
  isLast: true,
  nextBusinessDate: "2026-11-23",
};
const voided: Marker = { kind: "DayVoid", id: `${day}:DayVoid:1`, scheme: "ZA_EFT", businessDate, nextBusinessDate: "2026-11-23" };
const timesAgain: Marker = {
  kind: "DayTimes",
  id: `${day}:DayTimes:2`,
  scheme: "ZA_EFT",
  businessDate,
  number: 2,
  reconciliationAtMs: 1,
  calendarVersion: "v3",
};

test("after the last window's close a held debit that may still go over is woken, and no other", async () => {
  const rolls = heldRow(1, { businessDate, rollsLeft: 1 });
  const stays = heldRow(2, { businessDate, rollsLeft: 0 });
  const released = heldRow(3, { businessDate, rollsLeft: 1, state: "RELEASED" });
  const later = heldRow(4, { businessDate: "2026-11-23", closesWith: "ZA_EFT:2026-11-23", rollsLeft: 1 });
  const { time, pass, appended } = given([rolls, stays, released, later, creditRow(5, { businessDate })]);
  pass({ ...lastClosed, id: `${day}:WindowClosed:0`, isLast: false }, 8n);
  await time.settle();
  expect(appended).toEqual([]);
  pass(lastClosed);
  await time.settle();
  expect(appended).toEqual([{ key: rolls.uetr, fact: { kind: "DayClosed", day } }]);
});

test("I10: a reconciliation that comes while the date's last window is still being closed is not overlooked", async () => {
  const rolls = heldRow(1, { businessDate, rollsLeft: 1 });
  const stays = heldRow(2, { businessDate, rollsLeft: 0 });
  const { time, pass, journal, appended } = given([rolls, stays]);
  // A scheduler that was down over both passes them one right after the other; the second comes while the first DayClosed is on its way.
  journal.whileAppending = () => pass(reconciled, 10n);
  pass(lastClosed);
  await time.settle();
  expect(appended.filter(({ key }) => key === stays.uetr)).toEqual([{ key: stays.uetr, fact: { kind: "DayClosed", day } }]);
});

test("after its date was voided every held debit of it is woken; not once the date has windows again", async () => {
  const rows = [heldRow(1, { businessDate, rollsLeft: 0 }), heldRow(2, { businessDate, rollsLeft: 1 })];
  const { time, pass, woken } = given(rows);
  pass(voided);
  await time.settle();
  expect(woken()).toEqual(new Set(rows.map(({ uetr }) => uetr)));
  const again = given(rows);
  again.markers.pass(voided, { offset: 8n, appendedAtMs: 0 });
  again.pass(timesAgain);
  for (const row of rows) again.closing.fill(row);
  again.closing.wake();
  await again.time.settle();
  expect(again.appended).toEqual([]);
});

test("I16: a new owner wakes again what a marker moves that was passed before it came", async () => {
  for (const marker of [lastClosed, voided]) {
    const row = heldRow(1, { businessDate, rollsLeft: 1 });
    const { time, closing, markers, appended } = given([row]);
    markers.pass(marker, { offset: 9n, appendedAtMs: 0 });
    closing.fill(row);
    closing.wake();
    await time.settle();
    expect(appended).toEqual([{ key: row.uetr, fact: { kind: "DayClosed", day } }]);
  }
});
