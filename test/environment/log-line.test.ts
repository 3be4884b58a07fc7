import { expect, test } from "vitest";
import { formatLogLine, type LogFilter, matchesLogFilter } from "./log-line.ts";

const all: LogFilter = { fromMs: null, level: "debug", uetr: null, event: null };
const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
const raw = `{"level":"warn","time":1000,"at":"2026-11-20T06:00:00.123Z","service":"scheduler","pid":7,"event":"gate.closed","uetr":"${uetr}","banks":["a b"],"partition":3}`;

test("a line shows time, level, service, event and its fields", () => {
  const text = `06:00:00.123 WARN  scheduler       gate.closed uetr=${uetr} banks=["a b"] partition=3`;
  expect(formatLogLine(raw).text).toBe(text);
  expect(formatLogLine('{"level":"info","at":"2026-11-20T06:00:00.123Z","service":"a","event":"b","why":"two words"}').text).toContain(
    'why="two words"',
  );
});

test("a line that is not JSON is shown unchanged, whatever level is asked for", () => {
  const line = formatLogLine("#  Fatal error in , line 0");
  expect(line.text).toBe("#  Fatal error in , line 0");
  expect(matchesLogFilter(line, { ...all, level: "error" })).toBe(true);
});

test.each<[string, Partial<LogFilter>, boolean]>([
  ["a level that is worse", { level: "info" }, true],
  ["a level that is better", { level: "error" }, false],
  ["its event", { event: "gate.closed" }, true],
  ["the first word of its event", { event: "gate" }, true],
  ["half a word of its event", { event: "ga" }, false],
  ["a UETR that it names, in any case", { uetr }, true],
  ["another UETR", { uetr: "00000000-0000-4000-8000-000000000000" }, false],
  ["a time before it", { fromMs: 999 }, true],
  ["a time after it", { fromMs: 1_001 }, false],
])("lines are selected by %s", (_what, wanted, isExpected) => {
  expect(matchesLogFilter(formatLogLine(raw), { ...all, ...wanted })).toBe(isExpected);
});
