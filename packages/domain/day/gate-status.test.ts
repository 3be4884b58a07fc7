// The status of a closed gate, and of debits that wait: docs/spec/decisions.md D9.30 to
// D9.32 and `D9 gate-reason`.

import { expect, test } from "vitest";
import { type CreditAtGate, isCreditAwaited } from "./awaited-credit.ts";
import type { Day } from "./day.ts";
import type { DayFact } from "../fact.ts";
import { readGateStatus } from "./gate-status.ts";
import { creditsFinal, dayAfter, partitionBankClear, partitionCredits, dayPlanned, dayTimeReached } from "../given.fixture.ts";
import { heldOutlook } from "./held-outlook.ts";

function after(...facts: readonly DayFact[]): Day {
  const { day } = dayAfter(...facts.map((fact, index) => [(index + 1) * 10, fact] as const));
  if (day === null) throw new Error("the day is planned");
  return day;
}

const byConnector = dayPlanned({ creditsFinal: "connector" });
const opens = dayTimeReached("window-opens", 1);

test("before the declaration a gate is closed, and the status shows who declares", () => {
  expect(readGateStatus(after(byConnector), "a")).toEqual({ kind: "not-declared", declaredBy: "connector" });
  expect(readGateStatus(after(dayPlanned({ creditsFinal: "bank" }), creditsFinal("a")), "b")).toEqual({
    kind: "not-declared",
    declaredBy: "bank",
  });
});

test("after the declaration the status names the partitions that have not answered", () => {
  const day = after(byConnector, creditsFinal(), partitionCredits(1));
  expect(readGateStatus(day, "a")).toEqual({ kind: "partitions-awaited", partitions: [0, 2] });
});

test("once all have answered, the status names the partitions with an unresolved credit to that bank only", () => {
  const answered = [byConnector, creditsFinal(), partitionCredits(0, ["a"]), partitionCredits(1), partitionCredits(2, ["a"])];
  const day = after(...answered);
  expect(readGateStatus(day, "a")).toMatchObject({ kind: "credits-unresolved", partitions: [0, 2], declaration: day.declarations[0]?.id });
  expect(readGateStatus(day, "b")).toMatchObject({ kind: "open", openedAtMs: 50 });
  const cleared = after(...answered, partitionBankClear(0, "a"), partitionBankClear(2, "a"));
  expect(readGateStatus(cleared, "a")).toEqual({ kind: "open", openedAtMs: 70 });
});

test("a date without a window has no gate", () => {
  expect(readGateStatus(after(dayPlanned({ windows: [], isWorkingDay: false })), "a")).toEqual({ kind: "no-window" });
});

test("a held debit waits for its window, then its gate, then its turn; a pause comes before each of them", () => {
  const ahead = after(byConnector);
  const outlook = (day: Day | null, isPaused = false) => heldOutlook(day, day === null ? null : readGateStatus(day, "a"), isPaused);
  const [first] = ahead.plan.windows;
  expect(outlook(ahead)).toMatchObject({ waitsFor: "window", opensAtMs: first?.opensAtMs, closesAtMs: first?.closesAtMs });
  expect(outlook(ahead, true).waitsFor).toBe("bank-paused");
  const open = dayAfter([1, byConnector], [first?.opensAtMs ?? 0, opens]).day;
  expect(outlook(open)).toMatchObject({ waitsFor: "gate", opensAtMs: null, closesAtMs: first?.closesAtMs });
  expect(outlook(null)).toMatchObject({ waitsFor: "day-not-planned", reconciliationAtMs: null });
  const opened = heldOutlook(open, { kind: "open", openedAtMs: 0 }, false);
  expect(opened).toMatchObject({ waitsFor: "turn", reconciliationAtMs: ahead.plan.reconciliationAtMs });
});

test("after the last close no window is ahead, and after the reconciliation the day is over", () => {
  const last = byConnector.windows.at(-1);
  const closed = dayAfter([1, byConnector], [last?.closesAtMs ?? 0, dayTimeReached("window-closes", last?.number ?? 0)]).day;
  expect(heldOutlook(closed, null, false)).toMatchObject({ waitsFor: "no-window-ahead", closesAtMs: null });
  const over = dayAfter([1, byConnector], [byConnector.reconciliationAtMs, dayTimeReached("reconciliation", 0)]).day;
  expect(heldOutlook(over, null, true).waitsFor).toBe("day-over");
});

test("a declaration waits for unresolved credits of its scheme and bank from before it, of its date or an earlier one", () => {
  const declared = { scheme: "ZA_EFT", businessDate: "2026-11-20", bank: "a" };
  const credit: CreditAtGate = {
    state: "CREDIT_AUTH_DELIVERED",
    scheme: "ZA_EFT",
    bank: "a",
    businessDate: "2026-11-20",
    receivedOffset: 9n,
    isUnread: false,
    namedAs: "a",
  };
  const isAwaited = (over: Partial<CreditAtGate>) => isCreditAwaited({ ...credit, ...over }, declared, 10n);
  expect(isAwaited({})).toBe(true);
  expect(isAwaited({ businessDate: "2026-11-19" })).toBe(true);
  expect(isAwaited({ state: "CREDIT_AUTH_RECEIVED", businessDate: "2026-11-23" })).toBe(true);
  const others: readonly Partial<CreditAtGate>[] = [
    { state: "CREDIT_AUTH_RESPONSE_ACCEPTED" },
    { state: "ORPHAN" },
    { scheme: "ZA_RTC" },
    { bank: "b" },
    { businessDate: "2026-11-23" },
    { receivedOffset: 10n },
  ];
  expect(others.map(isAwaited)).toEqual(others.map(() => false));
});
