import { expect, test } from "vitest";
import { readCalendarFile } from "./read-calendar-file.ts";

const onDate = "2026-11-20";
const read = (text: string) => readCalendarFile(text, onDate);
const problemsOf = (text: string) => {
  const reading = read(text);
  return reading.ok ? [] : reading.problems.map(({ line, path, text: said }) => `${line} ${path}: ${said}`);
};

const calendars = `calendars:
  closed:
    extends: za
    version: closed/1
    holidays:
      - { name: Day of mourning, dates: ["2026-11-27"] }
`;
const schemes = `schemes:
  - { calendar: closed, processing: [{ opens: "08:00", closes: "15:00" }] }
`;

test("calendars and schemes are read, and whatever else a configuration file has is not", () => {
  for (const more of ["", 'banks: [{ id: "X", bearerToken: "${SECRET}" }]\noperators: 7\n']) {
    const reading = read(calendars + schemes + more);
    expect(reading).toMatchObject({ ok: true, schemes: [{ id: "ZA_EFT", times: { processing: [{ opens: "08:00", closes: "15:00" }] } }] });
  }
});

test("each problem is said with its line, and without a value of the file", () => {
  const text = calendars.replace("2026-11-27", "2026-11-31") + schemes.replace("calendar: closed", "calendar: none");
  expect(problemsOf(text)).toEqual([
    "6 calendars.closed.holidays[0].dates[0]: a date, YYYY-MM-DD, in quotes",
    "8 schemes[0].calendar: no such calendar",
  ]);
  expect(problemsOf("calendars:\n  a: [\n")).toEqual([expect.stringMatching(/^3 : not YAML/)]);
});

test("a misspelt member, no member at all and a variable are refused", () => {
  expect(problemsOf(`calender: {}\n${schemes}`)).toContain("1 calender: unknown member");
  for (const nothing of ["", "banks: []", "7", "[]"])
    expect([nothing, problemsOf(nothing)]).toEqual([nothing, ["null : the file has neither calendars nor schemes"]]);
  expect(problemsOf('schemes: [{ calendar: "${PATH}" }]')).toContain("1 schemes[0].calendar: the environment has no PATH");
});

test("at most a hundred problems are answered", () => {
  const many = Array.from({ length: 200 }, (_, index) => `  c${index}: { version: "" }`).join("\n");
  expect(problemsOf(`calendars:\n${many}\n`)).toHaveLength(100);
});

test("a part that has itself in it is refused, as too many aliases are", () => {
  for (const text of ["calendars: &a\n  own: *a\n", "schemes: &a [*a]\n"])
    expect(problemsOf(text)).toEqual(["null : not YAML: too many aliases, or one of a part that it is in"]);
});
