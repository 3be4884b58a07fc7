// What people are told about a closed gate and about debits that wait: decisions, section 9.

import { expect, test } from "vitest";
import type { CreditAtGate } from "./awaited-credit.ts";
import { isCreditAwaited } from "./awaited-credit.ts";
import type { Day } from "./day.ts";
import type { DayFact } from "./fact.ts";
import { gateStanding } from "./gate-standing.ts";
import { creditsFinal, dayAfter, laneBankClear, laneCredits, planned, reached } from "./given.ts";
import { heldOutlook } from "./held-waiting.ts";

function after(...facts: readonly DayFact[]): Day {
  const { day } = dayAfter(...facts.map((fact, index) => [(index + 1) * 10, fact] as const));
  if (day === null) throw new Error("the day is planned");
  return day;
}

const byConnector = planned({ creditsFinal: "connector" });
const opens = reached("window-opens", 1);

test("before the declaration a gate is closed, and it is said who declares", () => {
  expect(gateStanding(after(byConnector), "a")).toEqual({ kind: "not-declared", declaredBy: "connector" });
  expect(gateStanding(after(planned({ creditsFinal: "bank" }), creditsFinal("a")), "b")).toEqual({
    kind: "not-declared",
    declaredBy: "bank",
  });
});

test("after it, the lanes that have not answered are named", () => {
  const day = after(byConnector, creditsFinal(), laneCredits(1));
  expect(gateStanding(day, "a")).toEqual({ kind: "lanes-awaited", lanes: [0, 2] });
});

test("when all have, the lanes with an unresolved credit to that bank, and only for that bank", () => {
  const answered = [byConnector, creditsFinal(), laneCredits(0, ["a"]), laneCredits(1), laneCredits(2, ["a"])];
  const day = after(...answered);
  expect(gateStanding(day, "a")).toMatchObject({ kind: "credits-unresolved", lanes: [0, 2], declaration: day.declarations[0]?.id });
  expect(gateStanding(day, "b")).toMatchObject({ kind: "open", openedAtMs: 50 });
  const cleared = after(...answered, laneBankClear(0, "a"), laneBankClear(2, "a"));
  expect(gateStanding(cleared, "a")).toEqual({ kind: "open", openedAtMs: 70 });
});

test("a date without a window has no gate", () => {
  expect(gateStanding(after(planned({ windows: [], isWorkingDay: false })), "a")).toEqual({ kind: "no-window" });
});

test("a held debit waits for its window, then its gate, then its turn; a pause comes before each of them", () => {
  const ahead = after(byConnector);
  const outlook = (day: Day | null, isPaused = false) => heldOutlook(day, day === null ? null : gateStanding(day, "a"), isPaused);
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
  const closed = dayAfter([1, byConnector], [last?.closesAtMs ?? 0, reached("window-closes", last?.number ?? 0)]).day;
  expect(heldOutlook(closed, null, false)).toMatchObject({ waitsFor: "no-window-ahead", closesAtMs: null });
  const over = dayAfter([1, byConnector], [byConnector.reconciliationAtMs, reached("reconciliation", 0)]).day;
  expect(heldOutlook(over, null, true).waitsFor).toBe("day-over");
});

test("a declaration waits for credits of its scheme and bank, from before it, of its date or an earlier one, that are unresolved", () => {
  const declared = { scheme: "ZA_EFT", businessDate: "2026-11-20", bank: "a" };
  const credit: CreditAtGate = {
    state: "CREDIT_AUTH_DELIVERED",
    scheme: "ZA_EFT",
    bank: "a",
    businessDate: "2026-11-20",
    receivedOffset: 9n,
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
