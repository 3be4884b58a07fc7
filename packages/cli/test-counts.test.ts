import { expect, test } from "vitest";
import { countsOf, sumCounts } from "./test-counts.ts";
import type { VitestReport } from "./test-counts.ts";

const good: VitestReport = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  success: true,
  testResults: [{ status: "passed", assertionResults: [{ status: "passed" }] }],
};

test("a good run counts its tests", () => {
  expect(countsOf(good, 0)).toEqual({ passed: 5, failed: 0, skipped: 0 });
});

test("skipped and todo tests are counted as skipped", () => {
  expect(countsOf({ ...good, numPendingTests: 2, numTodoTests: 1 }, 0).skipped).toBe(3);
});

test("a file that could not be loaded is a failure", () => {
  const testResults = [...good.testResults, { status: "failed", assertionResults: [] }];
  expect(countsOf({ ...good, success: false, testResults }, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
});

test("a run that ended badly without a failed test is a failure", () => {
  expect(countsOf(good, 1).failed).toBe(1);
  expect(countsOf(good, null).failed).toBe(1);
});

test("no report, or a report without a test, is a failure", () => {
  expect(countsOf(null, 0).failed).toBe(1);
  expect(countsOf({ ...good, numPassedTests: 0, testResults: [] }, 0).failed).toBe(1);
});

test("counts add up", () => {
  expect(sumCounts([countsOf(good, 0), countsOf(null, 1), countsOf(good, 0)])).toEqual({ passed: 10, failed: 1, skipped: 0 });
});
