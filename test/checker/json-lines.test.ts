import { expect, test } from "vitest";
import { goodDayHistory } from "./histories.fixture.ts";
import { formatEntry, parseHistory } from "./json-lines.ts";

test("a history that is formatted and parsed again is equal to the original", () => {
  const lines = goodDayHistory.map((entry) => formatEntry(entry));
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  expect([...parseHistory(`${lines.join("\n")}\n`)]).toEqual(goodDayHistory);
  expect([...parseHistory(lines)]).toEqual(goodDayHistory);
});

test("parseHistory names a line without an entry by its number", () => {
  const line = formatEntry({ kind: "fault", atMs: 1, what: "killed" });
  expect(() => [...parseHistory([line, "", "{"])]).toThrow("line 3 is not JSON");
  expect(() => [...parseHistory([line, "[]"])]).toThrow("line 2 is no entry");
  expect(() => [...parseHistory(['{"kind":"other"}'])]).toThrow("line 1 is no entry");
});
