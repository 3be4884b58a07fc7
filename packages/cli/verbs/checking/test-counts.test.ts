import { expect, test } from "vitest";
import { countTests, listFailures, sumCounts, type VitestReport } from "./test-counts.ts";

const good: VitestReport = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  success: true,
  testResults: [{ name: "/sluice/packages/a.test.ts", status: "passed", assertionResults: [{ status: "passed", fullName: "is good" }] }],
};

test("a good run counts its tests", () => {
  expect(countTests(good, 0)).toEqual({ passed: 5, failed: 0, skipped: 0 });
});

test("skipped and todo tests are counted as skipped", () => {
  expect(countTests({ ...good, numPendingTests: 2, numTodoTests: 1 }, 0).skipped).toBe(3);
});

test("a file that could not be loaded is a failure", () => {
  const testResults = [...good.testResults, { name: "/sluice/packages/b.test.ts", status: "failed", assertionResults: [] }];
  expect(countTests({ ...good, success: false, testResults }, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
});

test("a run that ended badly without a failed test is a failure", () => {
  expect(countTests(good, 1).failed).toBe(1);
  expect(countTests(good, null).failed).toBe(1);
});

test("no report, or a report without a test, is a failure", () => {
  expect(countTests(null, 0).failed).toBe(1);
  expect(countTests({ ...good, numPassedTests: 0, testResults: [] }, 0).failed).toBe(1);
});

test("counts add up", () => {
  expect(sumCounts([countTests(good, 0), countTests(null, 1), countTests(good, 0)])).toEqual({ passed: 10, failed: 1, skipped: 0 });
});

test("a failure is named with its file and its first lines, without colours", () => {
  const failed = {
    status: "failed",
    fullName: "a gate > stays closed",
    failureMessages: ["\u001B[31mAssertionError\u001B[39m: x\n1\n2\n3\n4\n5\n6"],
  };
  const testResults = [
    ...good.testResults,
    { name: "/sluice/packages/b.test.ts", status: "failed", assertionResults: [...good.testResults[0]!.assertionResults, failed] },
    { name: "/sluice/packages/c.test.ts", status: "failed", message: "no such module", assertionResults: [] },
  ];
  expect(listFailures({ ...good, success: false, testResults }, "/sluice")).toEqual([
    { name: "packages/b.test.ts > a gate > stays closed", said: ["AssertionError: x", "1", "2", "3", "4", "5"] },
    { name: "packages/c.test.ts", said: ["no such module"] },
  ]);
  expect(listFailures(null, "/sluice")).toEqual([]);
});
