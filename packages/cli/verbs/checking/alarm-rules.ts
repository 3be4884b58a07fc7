// The part `alarms` of `./sluice test`: promtool checks the alarm rules and the rules of the objectives, and plays
// their cases (`infra/alarms/sluice.cases.yaml`, `infra/alarms/sluice.slo.cases.yaml`).
//
// #1 promtool is taken from the PATH, else from `.sluice/promtool`, else from Debian's package `prometheus`, which is
//    unpacked there and not installed.
// #2 Each case counts as one test. A run that ended badly fails as a whole, and says why.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment";
import { parse } from "yaml";
import { noCounts, type TestCounts } from "./test-counts.ts";

const alarmsFolder = join(projectRoot, "infra", "alarms");
const files = [
  { rules: "sluice.rules.yaml", cases: "sluice.cases.yaml" },
  { rules: "sluice.slo.rules.yaml", cases: "sluice.slo.cases.yaml" },
] as const;
const toolFolder = join(projectRoot, ".sluice", "promtool");
const unpacked = join(toolFolder, "usr", "bin", "promtool");

const howToGet =
  "the alarm rules need promtool. It is part of Prometheus: put it on the PATH, or on Debian run `apt-get update` once, so that its package can be unpacked into .sluice/promtool";

export async function testAlarmRules(progress: (text: string) => void): Promise<TestCounts> {
  const program = await bringPromtool(progress);
  let passed = 0;
  for (const { rules, cases } of files) {
    const checked = await runToExit(program, ["check", "rules", rules], alarmsFolder);
    const played = checked === 0 ? await runToExit(program, ["test", "rules", cases], alarmsFolder) : checked;
    if (played !== 0) return { ...noCounts, passed, failed: 1 };
    const { tests }: { readonly tests: readonly unknown[] } = parse(readFileSync(join(alarmsFolder, cases), "utf8"));
    passed += tests.length;
  }
  return { ...noCounts, passed };
}

/** #1. Rejects with Fault `cli.no-promtool`. */
async function bringPromtool(progress: (text: string) => void): Promise<string> {
  if ((await runToExit("promtool", ["--version"], projectRoot, "ignore")) === 0) return "promtool";
  if (existsSync(unpacked)) return unpacked;
  progress("unpacking promtool into .sluice/promtool");
  const work = `${toolFolder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  if ((await runToExit("apt-get", ["download", "prometheus"], work)) !== 0) throw noPromtool();
  const archive = readdirSync(work).find((name) => name.endsWith(".deb"));
  if (archive === undefined || (await runToExit("dpkg-deb", ["-x", archive, "."], work)) !== 0) throw noPromtool();
  rmSync(join(work, archive));
  // Only a whole folder gets the name.
  rmSync(toolFolder, { recursive: true, force: true });
  renameSync(work, toolFolder);
  if (!existsSync(unpacked)) throw noPromtool();
  return unpacked;
}

function noPromtool(): Fault {
  return new Fault("cli.no-promtool", howToGet, { isRetryable: false });
}

/** Resolves with the exit code; null: there is no such program, or a signal ended it. */
function runToExit(program: string, args: readonly string[], cwd: string, stdio: "inherit" | "ignore" = "inherit"): Promise<number | null> {
  const child = spawn(program, args, { cwd, stdio });
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", resolve);
  });
}
