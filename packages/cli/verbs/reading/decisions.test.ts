// What operators decided, against a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import { runDecisions } from "./decisions.ts";

const row = {
  key: "bank:sample",
  kind: "BankPauseRequested",
  result: "refused",
  why: "end-reached",
  at: "2026-11-17T08:00:00.000Z",
  operator: "thandi",
  confirmedBy: null,
  reason: "maintenance",
};

test("what one operator decided on a day is one question, and a list that is cut off says so", async () => {
  const { where, asked, text } = createFakeConsole([{ schema: "Actions", rows: [row], isWhole: false }]);
  const options = { operator: "thandi", from: "2026-11-17T00:00:00+02:00", to: "2026-11-18T00:00:00+02:00" };
  expect(await runDecisions(buildCall(options), where)).toBe(0);
  expect(asked.map(({ url }) => new URL(url).search)).toEqual([
    "?operator=thandi&from=2026-11-17T00%3A00%3A00%2B02%3A00&to=2026-11-18T00%3A00%3A00%2B02%3A00",
  ]);
  const lines = text().split("\n");
  expect(lines[1]).toMatch(/^2026-11-17 08:00:00Z {2}thandi +- +BankPauseRequested {2}bank:sample {2}refused: end-reached {2}maintenance$/);
  expect(lines[2]).toContain("--from and --to");
});

test("nothing decided is said in words", async () => {
  const { where, text } = createFakeConsole([{ schema: "Actions", rows: [], isWhole: true }]);
  await runDecisions(buildCall(), where);
  expect(text()).toBe("nobody decided anything in this time\n");
});
