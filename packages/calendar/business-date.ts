// The business date of a debit, computed in the scheme's zone at the instant of its receipt.
//
// #1 A date counts as long as its cut-off is ahead; a debit received exactly at the cut-off is in time.
// #2 On-us a named date is never replaced, except one that does not work if the bank asks for the next working day.
// #3 Off-us no date is refused: one that cannot be used is replaced by the next that can.
// #4 Nothing here reads a clock: the same receipt gives the same date at any later time.

import { plainDate, type SchemeTimes } from "./calendar.ts";
import { daysAfter } from "./local-time.ts";
import { firstBusinessDate, type Instants, instantsOn, isBusinessDate } from "./plan-day.ts";

export type SubService = "SAME_DAY" | "ONE_DAY" | "TWO_DAY";

export interface NamedDates {
  readonly requestedCollectionDate: string | null;
  readonly settlementDate: string | null;
  readonly onNonWorkingDay: "refuse" | "next";
}

export interface UsableDate {
  readonly businessDate: string;
  readonly subService: SubService;
}

/** `refused` is the ISO 20022 reason: DT01 for a date that cannot be used, TM01 for a receipt after the cut-off. */
export type BusinessDate = UsableDate | { readonly refused: "DT01" | "TM01"; readonly text: string };

const daysAheadMax = 366;

/**
 * Working dates that a search tries: a time is at most nine days after its date, and a cut-off a few windows before it.
 */
const workingDatesTriedMax = 32;

export function onUsBusinessDate(times: SchemeTimes, receivedAtMs: number, named: NamedDates): BusinessDate {
  const today = plainDate(times.calendar, receivedAtMs);
  const name = named.requestedCollectionDate ?? named.settlementDate;
  if (name === null) return firstInTime(times, today, receivedAtMs);
  const wanted = readDate(name);
  const member = named.requestedCollectionDate === null ? "settlementDate" : "requestedCollectionDate";
  if (wanted === null) return { refused: "DT01", text: `${member} is not a date` };
  const days = today.until(wanted).days;
  if (days > daysAheadMax) return { refused: "DT01", text: `${member} is more than ${daysAheadMax} days ahead` };
  if (isBusinessDate(times, wanted)) return inTime(times, today, receivedAtMs, wanted, member);
  if (days < 0) return { refused: "DT01", text: `${member} is past` };
  if (named.onNonWorkingDay === "refuse") return { refused: "DT01", text: `${member} is not a working day` };
  return inTime(times, today, receivedAtMs, firstBusinessDate(times, wanted), member);
}

/**
 * #3 The settlement date, otherwise the date of receipt; if that date's cut-off is past or it does not work, the next
 * one.
 */
export function offUsBusinessDate(times: SchemeTimes, receivedAtMs: number, settlementDate: string | null): UsableDate {
  const today = plainDate(times.calendar, receivedAtMs);
  const wanted = readDate(settlementDate ?? "") ?? today;
  const date = firstBusinessDate(times, wanted);
  return receivedAtMs <= instantsOn(times, date).cutOffAtMs ? answer(times, today, date) : firstInTime(times, today, receivedAtMs);
}

/** The first date whose cut-off is ahead, as it was found for receipts of one day, from an instant on. */
interface FoundDate {
  readonly today: Temporal.PlainDate;
  readonly fromMs: number;
  readonly cutOffAtMs: number;
  readonly answer: UsableDate;
}

/** The last one of each scheme: nearly all receipts of a moment have the same. */
const lastInTime = new WeakMap<SchemeTimes, FoundDate>();

function firstInTime(times: SchemeTimes, today: Temporal.PlainDate, receivedAtMs: number): UsableDate {
  const last = lastInTime.get(times);
  // No cut-off lies between two instants that have the same first cut-off behind them.
  if (last?.today === today && last.fromMs <= receivedAtMs && receivedAtMs <= last.cutOffAtMs) return last.answer;
  const date = firstDate(times, today, (instants) => receivedAtMs <= instants.cutOffAtMs);
  const found = { today, fromMs: receivedAtMs, cutOffAtMs: instantsOn(times, date).cutOffAtMs, answer: answer(times, today, date) };
  lastInTime.set(times, found);
  return found.answer;
}

/** A reconciliation close that was found, and the earliest instant for which it is the first one. */
interface FoundClose {
  readonly fromMs: number;
  readonly businessDate: string;
  readonly closesAtMs: number;
}

/** The last one of each scheme: nearly all receipts of a day have the same. */
const lastCloses = new WeakMap<SchemeTimes, FoundClose>();

/** Finds the first reconciliation close that is at least `minimumMs` after an instant. */
export function firstReconciliationCloseAfter(
  times: SchemeTimes,
  atMs: number,
  minimumMs: number,
): { readonly businessDate: string; readonly closesAtMs: number } {
  const fromMs = atMs + minimumMs;
  const last = lastCloses.get(times);
  // No close lies between two instants that have the same first close behind them.
  if (last !== undefined && last.fromMs <= fromMs && fromMs <= last.closesAtMs) return toClose(last);
  const date = firstDate(times, plainDate(times.calendar, fromMs), (instants) => instants.reconciliationAtMs >= fromMs);
  const found = { fromMs, businessDate: date.toString(), closesAtMs: instantsOn(times, date).reconciliationAtMs };
  lastCloses.set(times, found);
  return toClose(found);
}

function toClose({ businessDate, closesAtMs }: FoundClose) {
  return { businessDate, closesAtMs };
}

/** Counts the working days from the day of receipt to the business date; `TWO_DAY` is two or more. */
export function subServiceFor(times: SchemeTimes, receivedAtMs: number, businessDate: string): SubService {
  return subService(times, plainDate(times.calendar, receivedAtMs), Temporal.PlainDate.from(businessDate));
}

function inTime(
  times: SchemeTimes,
  today: Temporal.PlainDate,
  receivedAtMs: number,
  date: Temporal.PlainDate,
  member: string,
): BusinessDate {
  if (receivedAtMs <= instantsOn(times, date).cutOffAtMs) return answer(times, today, date);
  if (Temporal.PlainDate.compare(date, today) < 0) return { refused: "DT01", text: `${member} is past` };
  return { refused: "TM01", text: `received after the cut-off of ${date.toString()}` };
}

/**
 * Finds the first working date for which `isAhead` holds. It starts before `day`, because times can be after midnight.
 */
function firstDate(times: SchemeTimes, day: Temporal.PlainDate, isAhead: (instants: Instants) => boolean): Temporal.PlainDate {
  let date = firstBusinessDate(times, day.subtract({ days: daysAfter(times.reconciliation) + 1 }));
  for (let tries = 0; tries < workingDatesTriedMax; tries += 1) {
    if (isAhead(instantsOn(times, date))) return date;
    date = firstBusinessDate(times, date.add({ days: 1 }));
  }
  throw new Error(`no date of calendar ${times.calendar.version} has its times ahead of ${day.toString()}`);
}

function answer(times: SchemeTimes, today: Temporal.PlainDate, date: Temporal.PlainDate): UsableDate {
  return { businessDate: date.toString(), subService: subService(times, today, date) };
}

function subService(times: SchemeTimes, today: Temporal.PlainDate, date: Temporal.PlainDate): SubService {
  if (Temporal.PlainDate.compare(date, today) <= 0) return "SAME_DAY";
  const first = firstBusinessDate(times, today.add({ days: 1 }));
  return Temporal.PlainDate.compare(date, first) <= 0 ? "ONE_DAY" : "TWO_DAY";
}

function readDate(text: string): Temporal.PlainDate | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    return null;
  }
}
