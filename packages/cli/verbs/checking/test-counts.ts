// Counts from vitest's JSON report how many tests passed, failed and were skipped, and names those that failed.
//
// #1 No failure is lost: a file that could not be loaded, and a run that ended badly without a failed test, count as
//    one failure each.
// #2 A project that ran no test at all is a failure: it would look like a good one.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly success: boolean;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be loaded. */
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  }[];
}

/** A failure for the end of a long output: a reader of only the last lines must find it. */
export interface TestFailure {
  /** A test with its file, or what else failed. */
  readonly name: string;
  /** First lines of its message. */
  readonly said: readonly string[];
}

const saidLines = 6;
const saidCharacters = 200;

export const noCounts: TestCounts = { passed: 0, failed: 0, skipped: 0 };

export function sumCounts(counts: readonly TestCounts[]): TestCounts {
  return counts.reduce(
    (sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed, skipped: sum.skipped + one.skipped }),
    noCounts,
  );
}

/** `report` is null if there is none. */
export function countTests(report: VitestReport | null, exitCode: number | null): TestCounts {
  if (report === null) return { ...noCounts, failed: 1 };
  const skipped = report.numPendingTests + report.numTodoTests;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((one) => one.status === "failed"),
  ).length;
  const failed = report.numFailedTests + unloaded;
  const isEmpty = report.numPassedTests + failed + skipped === 0;
  const isBadEnd = failed === 0 && (exitCode !== 0 || !report.success || isEmpty);
  return { passed: report.numPassedTests, failed: isBadEnd ? 1 : failed, skipped };
}

export function readReport(file: string): VitestReport | null {
  try {
    const report: VitestReport = JSON.parse(readFileSync(file, "utf8"));
    return report;
  } catch {
    return null;
  }
}

/** Lists failed tests; a run that ended badly may have none. `root` is removed from file names. */
export function listFailures(report: VitestReport | null, root: string): readonly TestFailure[] {
  return (report?.testResults ?? []).flatMap((file) => {
    if (file.status !== "failed") return [];
    const name = relative(root, file.name);
    const tests = file.assertionResults.filter(({ status }) => status === "failed");
    if (tests.length === 0) return [{ name, said: firstLines(file.message ?? "") }];
    return tests.map((one) => ({ name: `${name} > ${one.fullName}`, said: firstLines(one.failureMessages?.[0] ?? "") }));
  });
}

function firstLines(text: string): readonly string[] {
  const lines = stripVTControlCharacters(text).split("\n");
  return lines.slice(0, saidLines).map((line) => line.slice(0, saidCharacters));
}
