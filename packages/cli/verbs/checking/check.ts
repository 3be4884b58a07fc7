// `./sluice check`: format, lint (code, and the interface's documents), types, what nothing uses (knip), and the pure
// tests (with tidy) through turbo, which runs them in parallel and skips steps whose inputs have not changed.

import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, runProgram } from "@sluice/environment/run-program";
import { countTests, listFailures, readReport, type TestCounts, type TestFailure } from "./test-counts.ts";
import type { Verb } from "../../terminal/verb.ts";

interface StepResult {
  readonly name: string;
  readonly isGood: boolean;
  readonly tookMs: number;
  readonly isCached: boolean;
}

const steps = ["format:check", "lint", "lint:documents", "types", "unused", "test:pure"] as const;
const pureReport = join(projectRoot, ".sluice", "reports", "pure.json");

export const checkVerb: Verb = {
  name: "check",
  summary: "format, lint, types, tidy and pure tests, to run before each commit",
  arguments: [],
  options: {},
  notes: ["Steps whose inputs are unchanged are not run again."],
  examples: ["check"],
  async run() {
    const { counts } = await runCheck();
    return counts.failed === 0 && counts.skipped === 0 ? 0 : 1;
  },
};

/** Runs all steps and prints one line for each. Format, lint and types count as one test each. */
export async function runCheck(): Promise<{ readonly counts: TestCounts; readonly failures: readonly TestFailure[] }> {
  rmSync(pureReport, { force: true });
  const summaries = join(projectRoot, ".turbo", "runs");
  rmSync(summaries, { recursive: true, force: true });
  process.stdout.write(`checking: ${steps.join(", ")}\n`);
  const environment = { TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1", TURBO_PRINT_VERSION_DISABLED: "1" };
  const exitCode = await runProgram("turbo", ["run", ...steps, "--output-logs=errors-only", "--continue", "--summarize"], environment);
  const results = readSummary(summaries);
  const report = readReport(pureReport);
  const pure = countTests(report, results.find(({ name }) => name === "test:pure")?.isGood === true ? 0 : 1);
  const others = results.filter(({ name }) => name !== "test:pure");
  const bad = others.filter(({ isGood }) => !isGood);
  const isUnknown = results.length < steps.length;
  for (const result of results) process.stdout.write(`${stepLine(result, result.name === "test:pure" ? pure : null)}\n`);
  if (isUnknown) process.stdout.write(`turbo ended with ${exitCode} before every step had run\n`);
  const counts = {
    passed: pure.passed + others.length - bad.length,
    failed: pure.failed + bad.length + (isUnknown ? 1 : 0),
    skipped: pure.skipped,
  };
  return { counts, failures: [...bad.map(({ name }) => ({ name, said: [] })), ...listFailures(report, projectRoot)] };
}

function stepLine({ name, isGood, tookMs, isCached }: StepResult, counts: TestCounts | null): string {
  const took = isCached ? "unchanged" : `${(tookMs / 1_000).toFixed(1)} s`;
  const tests = counts === null ? "" : `  ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  return `${isGood ? "good" : "BAD "}  ${name.padEnd(14)} ${took.padStart(9)}${tests}`;
}

interface TurboTask {
  readonly taskId: string;
  readonly cache?: { readonly status: string };
  readonly execution?: { readonly startTime: number; readonly endTime: number; readonly exitCode: number | null };
}

function readSummary(folder: string): readonly StepResult[] {
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (file === undefined) return [];
  const summary: { readonly tasks?: readonly TurboTask[] } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  return steps.flatMap((name) => {
    const task = summary.tasks?.find(({ taskId }) => taskId === name);
    if (task?.execution === undefined) return [];
    const { startTime, endTime, exitCode } = task.execution;
    return [{ name, isGood: exitCode === 0, tookMs: endTime - startTime, isCached: task.cache?.status === "HIT" }];
  });
}
