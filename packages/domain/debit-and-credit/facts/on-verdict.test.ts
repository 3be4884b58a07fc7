// The deadline of a rejection's report (docs/spec/decisions.md D3.56).

import { expect, test } from "vitest";
import { date, dayTimes, debit, nextDate, runSteps, stepPosition, today, tomorrow, verdict } from "../../given.fixture.ts";

const hourMs = 3_600_000;

test("the report of a rejection has an hour from the rejection, however late the verdict comes; its date stays [D3 deadlines]", () => {
  const rejectedAtMs = stepPosition(3).appendedAtMs;
  const dayOf = (closesInMs: number): unknown => {
    const { transaction } = runSteps([
      dayTimes(1, rejectedAtMs + closesInMs),
      dayTimes(1, rejectedAtMs + 24 * hourMs, nextDate),
      debit(),
      verdict({ verdict: "refused" }),
    ]);
    expect(transaction?.transitions.at(-1)).toMatchObject({ state: "REJECTED", businessDate: date });
    return transaction?.reconciliationDay;
  };
  expect(dayOf(hourMs)).toBe(today);
  expect(dayOf(hourMs - 1)).toBe(tomorrow);
});

test("a deadline does not move for a debit that is accepted, nor where no later close is known", () => {
  expect(runSteps([dayTimes(1, 5_000), debit(), verdict()]).transaction?.reconciliationDay).toBe(today);
  expect(runSteps([dayTimes(1, 5_000), debit(), verdict({ verdict: "refused" })]).transaction?.reconciliationDay).toBe(today);
});
