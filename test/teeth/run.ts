// Plants one bug after another in copies of the tree and runs the checks: which one catches it, and how soon.
//
// #1 A bug that no check catches is a hole in the checks, unless it is called harmless with a reason. A harmless bug
//    that is caught is not harmless.
// #2 A bug that no longer applies, or that keeps files from being loaded, tests nothing and is reported as broken.
// #3 The nearest tests are run without any bug first: a red tree would catch everything. What another test has caught
//    must fail again with the bug, and pass without it.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault, machineTime } from "@sluice/kernel";
import { copyTree } from "./copy-tree.ts";
import { type PlantedBug, plant } from "./planted-bug.ts";
import { type CheckedTree, runStage, type Stage, stages } from "./run-checks.ts";

export interface TeethOptions {
  readonly bugs: readonly PlantedBug[];
  readonly root: string;
  /** Copies of the tree that are worked on at the same time. */
  readonly jobs: number;
}

type Outcome =
  | { readonly kind: "caught"; readonly by: string; readonly stage: Stage; readonly afterMs: number }
  | { readonly kind: "survived" }
  | { readonly kind: "broken"; readonly reason: string };

export interface BugResult {
  readonly bug: PlantedBug;
  readonly outcome: Outcome;
}

export interface TeethReport {
  readonly results: readonly BugResult[];
  readonly tookMs: number;
  readonly isRight: boolean;
}

export async function runTeeth({ bugs, root, jobs }: TeethOptions, say: (text: string) => void, signal: AbortSignal): Promise<TeethReport> {
  const startedMs = machineTime.monotonicMs();
  const queue = [...bugs];
  const results: BugResult[] = [];
  const trees = Array.from({ length: Math.min(jobs, Math.max(1, bugs.length)) }, (_, index) => ({
    folder: join(root, ".sluice", "teeth", `${process.pid}-${index + 1}`),
    root,
    signal,
  }));
  // The folders are of this process alone: two runs at the same time would spoil each other's trees.
  using _ = { [Symbol.dispose]: () => trees.forEach(({ folder }) => rmSync(folder, { recursive: true, force: true })) };
  for (const { folder } of trees) copyTree(root, folder);
  say(`${trees.length} copies of the tree`);
  await requireGreen(bugs, trees[0] ?? { folder: root, root, signal });
  say("the nearest tests are green without a bug");
  const work = async (tree: CheckedTree): Promise<void> => {
    for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
      const outcome = await tryBug(bug, tree);
      results.push({ bug, outcome });
      say(`${String(results.length).padStart(3)}/${bugs.length}  ${formatOutcome(outcome)}  ${bug.id}`);
    }
  };
  await Promise.all(trees.map(work));
  const ordered = bugs.flatMap((bug) => results.filter((one) => one.bug === bug));
  return { results: ordered, tookMs: machineTime.monotonicMs() - startedMs, isRight: ordered.every(isAsExpected) };
}

/** #3 */
async function requireGreen(bugs: readonly PlantedBug[], tree: CheckedTree): Promise<void> {
  const { failed } = await runStage("nearest", [...new Set(bugs.flatMap(({ nearest }) => nearest))], tree);
  if (failed !== null) throw new Fault("teeth.red-tree", `red without a bug: ${failed}`, { isRetryable: false });
}

async function tryBug(bug: PlantedBug, tree: CheckedTree): Promise<Outcome> {
  const read = (file: string): string => readFileSync(join(tree.folder, file), "utf8");
  const planted = plant(bug, read);
  if (planted === null) return { kind: "broken", reason: "one of its edits no longer applies" };
  const before = new Map([...planted.keys()].map((file) => [file, read(file)]));
  const startedMs = machineTime.monotonicMs();
  try {
    write(tree, planted);
    for (const stage of stages) {
      const { failed } = await runStage(stage, bug.nearest, tree);
      const afterMs = machineTime.monotonicMs() - startedMs;
      if (failed === null || (stage === "pure" && (await isRedAnyway(failed, tree, { planted, before })))) continue;
      return { kind: "caught", by: failed, stage, afterMs };
    }
    return { kind: "survived" };
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "teeth.interrupted") throw error;
    return { kind: "broken", reason: error.message };
  } finally {
    write(tree, before);
  }
}

/** #3: whether the test also fails without the bug, because the machine is busy. */
async function isRedAnyway(
  failed: string,
  tree: CheckedTree,
  { planted, before }: { readonly planted: ReadonlyMap<string, string>; readonly before: ReadonlyMap<string, string> },
): Promise<boolean> {
  const file = failed.split(" > ")[0] ?? failed;
  if ((await runStage("nearest", [file], tree)).failed === null) return true;
  write(tree, before);
  const { failed: again } = await runStage("nearest", [file], tree);
  write(tree, planted);
  return again !== null;
}

function write({ folder }: CheckedTree, files: ReadonlyMap<string, string>): void {
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
}

/** #1, #2 */
export function isAsExpected({ bug, outcome }: BugResult): boolean {
  return outcome.kind === (bug.harmlessBecause === undefined ? "caught" : "survived");
}

function formatOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case "caught":
      return `${outcome.stage.padEnd(10)} ${(outcome.afterMs / 1_000).toFixed(1).padStart(6)} s`;
    case "survived":
      return "SURVIVED".padEnd(19);
    case "broken":
      return "BROKEN".padEnd(19);
    default:
      throw new Error(`no such outcome: ${String(outcome satisfies never)}`);
  }
}

/** One line for each bug with the test that caught it, then the sums. */
export function formatTeethReport({ results, tookMs }: TeethReport): string {
  const lines = results.flatMap(({ bug, outcome }) => [
    `${formatOutcome(outcome)}  ${bug.id}: ${bug.breaks}`,
    ...(outcome.kind === "caught" ? [`    ${outcome.by}`] : []),
    ...(outcome.kind === "broken" ? [`    ${outcome.reason}`] : []),
    ...(bug.harmlessBecause === undefined ? [] : [`    called harmless: ${bug.harmlessBecause}`]),
  ]);
  const count = (kind: Outcome["kind"]): number => results.filter(({ outcome }) => outcome.kind === kind).length;
  const unexpected = results.filter((one) => !isAsExpected(one)).length;
  const sums = `${results.length} planted, ${count("caught")} caught, ${count("survived")} survived, ${count("broken")} broken; ${unexpected} not as expected`;
  return [...lines, "", `${sums}; ${(tookMs / 60_000).toFixed(1)} min`].join("\n");
}
