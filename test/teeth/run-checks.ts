// Runs checks over a copy of the tree in which a bug is planted, the cheapest first, until one fails.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { Fault } from "@sluice/kernel";

/** Test files near the bug, then all pure tests, then model and simulation. */
export const stages = ["nearest", "pure", "simulation"] as const;
const notRetryable = { isRetryable: false } as const;
export type Stage = (typeof stages)[number];

/** Where the pure tests of behaviour are; the rules about text in `tools` would find a bug by its words. */
const behaviour = ["packages/", "services/", "infra/"];

export interface CheckedTree {
  readonly folder: string;
  /** The project's root: its tools are used. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/** What a stage found: the test that failed, or null if all passed. */
export interface StageResult {
  readonly failed: string | null;
}

/** Rejects with `teeth.not-loaded` if the bug keeps files from being loaded, so that no test could fail. */
export async function runStage(stage: Stage, nearest: readonly string[], tree: CheckedTree): Promise<StageResult> {
  const { folder } = tree;
  const report = join(folder, "teeth-report.json");
  rmSync(report, { force: true });
  const project = stage === "simulation" ? "simulation" : "pure";
  const files = stage === "nearest" ? nearest : stage === "pure" ? behaviour : [];
  await runVitest(["run", "--project", project, "--bail", "1", "--reporter=json", `--outputFile=${report}`, ...files], tree);
  if (tree.signal.aborted) throw new Fault("teeth.interrupted", "interrupted", notRetryable);
  if (!existsSync(report)) throw new Fault("teeth.no-report", `${stage}: vitest ended without a report`, notRetryable);
  return readStage(JSON.parse(readFileSync(report, "utf8")), folder);
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export function readStage({ numPassedTests, testResults }: Report, folder: string): StageResult {
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed !== undefined) return { failed: `${relative(folder, name)} > ${failed.fullName}` };
  }
  const unloaded = testResults.find(({ status }) => status === "failed");
  if (unloaded !== undefined)
    throw new Fault("teeth.not-loaded", `${relative(folder, unloaded.name)}: ${unloaded.message ?? "not loaded"}`, notRetryable);
  if (numPassedTests === 0) throw new Fault("teeth.no-tests", "no test was run: are the nearest test files still there?", notRetryable);
  return { failed: null };
}

async function runVitest(args: readonly string[], { folder, root, signal }: CheckedTree): Promise<void> {
  const programs = [
    join(folder, "node_modules", ".bin"),
    join(root, ".sluice", "tools", "node_modules", ".bin"),
    process.env["PATH"] ?? "",
  ];
  // The run's own vitest must not be taken for the parent of this one.
  const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...environment } = process.env;
  const child = spawn("vitest", args, { cwd: folder, env: { ...environment, PATH: programs.join(delimiter) }, stdio: "ignore", signal });
  await new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}
