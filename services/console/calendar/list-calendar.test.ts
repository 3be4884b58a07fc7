// The calendar as operators see it.

import { controlAnswers } from "@sluice/contracts";
import { expect, test } from "vitest";
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
