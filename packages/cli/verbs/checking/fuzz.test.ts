import { expect, test } from "vitest";
import { fuzzCounts } from "./fuzz.ts";

const good = { operations: { tested: 5, errored: 0 }, failures: [] };

test("an operation of a fuzz run counts as one test, whatever was wrong with it", () => {
  expect(fuzzCounts(good, 0)).toEqual({ passed: 5, failed: 0, skipped: 0 });
  const failures = [{ operations: ["POST /a", "POST /b"] }, { operations: ["POST /a"] }];
  expect(fuzzCounts({ ...good, failures }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 });
});

test("a fuzz run without a report or an operation, or one that ended badly, is a failure", () => {
  expect(fuzzCounts(null, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(fuzzCounts({ ...good, operations: { tested: 0, errored: 0 } }, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(fuzzCounts(good, null)).toEqual({ passed: 4, failed: 1, skipped: 0 });
  expect(fuzzCounts({ ...good, operations: { tested: 5, errored: 2 } }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 });
});
