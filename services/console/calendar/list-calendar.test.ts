// The calendar as operators see it.

import { topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { buildConsoleDebit, changeTransaction } from "../console.fixture.ts";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { openReader, readHidden } from "../web/browser.fixture.ts";
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

const file = `calendars: { closed: { extends: za, version: closed/1, holidays: [{ name: Day of mourning, dates: ["2026-11-20"] }] } }
schemes: [{ calendar: closed }, { id: ZA_RPP }]
`;

async function openWithHeldDebit() {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  const at = { bank: "first", businessDate: "2026-11-20", reconciliationDay: "ZA_EFT:2026-11-20", applied: -1n };
  await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]), at));
  return environment;
}

test("a calendar file is compared with the one in force by scheme and date, with the held debits, and nothing is appended", async () => {
  const environment = await openWithHeldDebit();
  const ask = async (body: string, query = "") => {
    const answer = await environment.control(`/calendar/file-difference${query}`, {
      body,
      headers: { "content-type": "application/yaml" },
    });
    return controlAnswers.compareCalendarFile.parse(await answer.json());
  };
  const countRecords = () => [0, 1, 2].map((partition) => environment.messaging.records({ topic: topics.journal, partition }).length);
  const before = countRecords();
  const { schemes, held, problems } = await ask(file, "?from=2026-11-19&to=2026-11-21");
  expect(problems).toEqual([]);
  expect(schemes.map(({ scheme, isIn }) => [scheme, isIn])).toEqual(
    expect.arrayContaining([
      ["ZA_EFT", "both"],
      ["ZA_RPP", "file"],
    ]),
  );
  const [{ rows } = { rows: [] }] = schemes;
  const after = { closed: "holiday", name: "Day of mourning", windows: [] };
  expect(rows).toMatchObject([{ date: "2026-11-20", change: "removed", before: { closed: null }, after }]);
  expect(held).toMatchObject([
    { scheme: "ZA_EFT", bank: "first", businessDate: "2026-11-20", count: 1, change: "removed", goesTo: "2026-11-21" },
  ]);
  expect((await ask(file, "?from=2027-01-04&to=2027-01-05")).held).toEqual(held);
  expect(await ask("schemes:\n  - { calendar: nowhere }\n")).toMatchObject({
    problems: [{ line: 2, path: "schemes[0].calendar", text: "no such calendar" }],
    schemes: [],
  });
  expect(countRecords()).toEqual(before);
});

test("the calendar's page compares a file that is pasted or chosen, shows its errors by line, and takes no other site's form", async () => {
  const environment = await openWithHeldDebit();
  const reader = openReader(environment);
  await reader.signIn();
  const { formToken = "" } = readHidden((await reader.ask("/calendar")).text);
  const compare = (fields: Readonly<Record<string, string>>) => reader.send("/calendar", { formToken, ...fields });
  const found = await compare({ text: file });
  for (const words of [
    "no business date any more",
    "Day of mourning",
    "go to 2026-11-21",
    "ZA_RPP",
    "POST /control/v1/calendar/file-difference",
  ])
    expect(found.text).toContain(words);
  const wrong = await compare({ text: "schemes:\n  - { calendar: nowhere }" });
  for (const words of ["The file has errors", "no such calendar", "schemes[0].calendar"]) expect(wrong.text).toContain(words);
  expect((await compare({ text: "</textarea><script>" })).text).not.toContain("</textarea><script>");
  const boundary = "part";
  const part = (name: string, more: string, text: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  const body = `${part("formToken", "", formToken)}${part("text", "", "")}${part("file", '; filename="new.yaml"', file)}--${boundary}--\r\n`;
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  expect((await reader.ask("/calendar", { method: "POST", headers, body })).text).toContain("Day of mourning");
  expect((await reader.ask("/calendar", { method: "POST", headers, body: "--other" })).status).toBe(400);
  expect((await reader.send("/calendar", { text: file })).status).toBe(403);
});
