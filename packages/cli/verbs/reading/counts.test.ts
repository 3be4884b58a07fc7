// The verbs that show numbers of transactions, against a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole, runAndRead } from "../../terminal/console.fixture.ts";
import { runCounts } from "./counts.ts";
import { runRates } from "./rates.ts";

const counted = {
  schema: "TransactionCounts",
  count: 1_203,
  rows: [
    { state: "HELD", bank: "sample", count: 1_200, currency: "ZAR", sum: "1500600.00" },
    { state: "ORPHAN", bank: null, count: 3, currency: null, sum: null },
  ],
};

test("counts asks with the terms of a search, and prints each state with its bank, number and sum, and all of them", async () => {
  const { where, asked, text } = createFakeConsole([counted]);
  expect(await runCounts(buildCall({ bank: "sample", "business-date": "2026-11-20" }), where)).toBe(0);
  expect(asked.map(({ url }) => new URL(url))).toMatchObject([
    { pathname: "/control/v1/transactions/counts", search: "?bank=sample&businessDate=2026-11-20" },
  ]);
  expect(text().split("\n")).toEqual([
    "STATE   BANK    COUNT         SUM  CURRENCY",
    "HELD    sample   1200  1500600.00  ZAR",
    "ORPHAN  -           3           -  -",
    "in all: 1203",
    "",
  ]);
});

test("counts --json prints the answer unchanged, and nothing that matches is said in words", async () => {
  expect(JSON.parse(await runAndRead(runCounts, [counted], buildCall({ json: true })))).toEqual(counted);
  expect(await runAndRead(runCounts, [{ ...counted, count: 0, rows: [] }])).toBe("nothing is found\nin all: 0\n");
});

const point = { at: "2026-11-20T06:00:00.000Z", held: 40, waiting: 7, medianMs: null, slowMs: null };
const series = {
  schema: "Series",
  points: [
    { ...point, accepted: 12.5, delivered: 3 },
    { ...point, at: "2026-11-20T06:01:00.000Z", accepted: null, delivered: null, medianMs: 8, slowMs: 90 },
  ],
  heldTrend: { perMinute: 20, emptyAt: "2026-11-20T06:03:00.000Z" },
  waitingTrend: null,
};

test("rates prints a line a minute, and when nothing is held any more at this rate", async () => {
  const { where, asked, text } = createFakeConsole([series]);
  expect(await runRates(buildCall({ bank: "sample" }), where)).toBe(0);
  expect(asked.map(({ url }) => new URL(url))).toMatchObject([{ pathname: "/control/v1/series", search: "?bank=sample" }]);
  const [head, first, second, ...rest] = text().split("\n");
  expect(head).toMatch(/^AT +ACCEPTED {2}DELIVERED {2}HELD {2}WAITING {2}MEDIAN MS {2}SLOW MS$/);
  expect(first).toMatch(/^2026-11-20 06:00:00Z +12\.5 +3 +40 +7 +- +-$/);
  expect(second).toMatch(/^2026-11-20 06:01:00Z +- +- +40 +7 +8 +90$/);
  expect(rest).toEqual(["held: 20 fewer each minute, none left at 2026-11-20 06:03:00Z", ""]);
});

test("a console that has just started says that it has looked for too short a time", async () => {
  const text = await runAndRead(runRates, [{ ...series, points: [], heldTrend: null }]);
  expect(text).toBe("this console has looked for less than a minute: ask again\n");
});
