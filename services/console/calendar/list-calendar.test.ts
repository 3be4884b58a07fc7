// The calendar as operators see it.

import { controlAnswers } from "@sluice/contracts";
import { expect, test } from "vitest";
import { buildConsoleDebit, changeTransaction } from "../console.fixture.ts";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";

test("each date of a scheme has its windows, or the reason why it has none", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  const body = controlAnswers.listCalendar.parse(await readControlAnswer(environment, "/calendar?from=2026-11-20&to=2026-12-31"));
  expect([body.scheme, body.rows.length]).toEqual(["ZA_EFT", 42]);
  const [first] = body.rows;
  expect(first).toMatchObject({ date: "2026-11-20", closed: null, isPlanned: true, windows: [{ number: 1 }] });
  expect(body.rows.filter(({ closed }) => closed !== null).every(({ windows }) => windows.length === 0)).toBe(true);
  expect(body.rows.at(-1)?.isPlanned).toBe(false);
  for (const query of ["scheme=NONE", "from=x", "from=2026-01-01&to=2028-01-01", "from=2026-01-02&to=2026-01-01"])
    expect([query, (await environment.control(`/calendar?${query}`)).status]).toEqual([query, 400]);
});

test("the calendar's page shows a month, leads to the months around it, and shows this month for one that is none", async () => {
  const environment = await openDecisionEnvironment();
  const reader = openReader(environment);
  await reader.signIn();
  const { status, text } = await reader.ask("/calendar?month=2026-12");
  expect([status, text.includes("December 2026"), text.includes("month=2026-11"), text.includes("month=2027-01")]).toEqual([
    200,
    true,
    true,
    true,
  ]);
  expect((await reader.ask("/calendar?month=2026-13")).text).toContain("November 2026");
});

test("what a further holiday and other windows would change is said date by date, with the held debits that would move", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  const at = { bank: "first", businessDate: "2026-11-20", reconciliationDay: "ZA_EFT:2026-11-20", applied: -1n };
  await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]), at));
  const range = "from=2026-11-20&to=2026-11-23";
  const ask = async (query: string) =>
    controlAnswers.compareCalendar.parse(await readControlAnswer(environment, `/calendar/difference?${range}&${query}`));
  const holiday = await ask("closed=2026-11-20");
  expect(holiday.rows).toMatchObject([{ date: "2026-11-20", change: "removed", before: { closed: null }, after: { closed: "holiday" } }]);
  expect(holiday.held).toMatchObject([{ bank: "first", businessDate: "2026-11-20", count: 1, sum: "1250.50", change: "removed" }]);
  expect(holiday.held[0]?.goesTo).toMatch(/^2026-11-2[1-3]$/);
  const hours = await ask("windows=09:00-10:00,11:00-12:00");
  expect(hours.rows.map(({ change, after }) => [change, after.windows.length])).toContainEqual(["times", 2]);
  expect(hours.held).toMatchObject([{ change: "times", goesTo: "2026-11-20" }]);
  for (const query of ["", "closed=x", "windows=9-10", "windows=11:00-12:00,09:00-10:00", "closed=2026-11-20&scheme=NONE"])
    expect([query, (await environment.control(`/calendar/difference?${range}&${query}`)).status]).toEqual([query, 400]);
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/calendar?closed=2026-11-20");
  for (const words of ["no business date any more", "Held debits on these dates", "go to 2026-11-2"]) expect(text).toContain(words);
});
