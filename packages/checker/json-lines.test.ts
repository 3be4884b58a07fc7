import { expect, test } from "vitest";
import { goodDay } from "./given.ts";
import { formatEntry, parseHistory } from "./json-lines.ts";

test("a history comes back from its lines as it was written", () => {
  const lines = goodDay.map((entry) => formatEntry(entry));
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  expect([...parseHistory(`${lines.join("\n")}\n`)]).toEqual(goodDay);
  expect([...parseHistory(lines)]).toEqual(goodDay);
});

test("a line that is no entry is named by its number", () => {
  const line = formatEntry({ kind: "fault", atMs: 1, what: "killed" });
  expect(() => [...parseHistory([line, "", "{"])]).toThrow("line 3 is not JSON");
  expect(() => [...parseHistory([line, "[]"])]).toThrow("line 2 is no entry");
  expect(() => [...parseHistory(['{"kind":"other"}'])]).toThrow("line 1 is no entry");
});
