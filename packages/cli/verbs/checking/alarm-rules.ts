// The part `alarms` of `./sluice test`: promtool checks the alarm rules and the rules of the objectives, and plays
// their cases (`infra/alarms/sluice.cases.yaml`, `infra/alarms/sluice.slo.cases.yaml`). amtool checks who hears of an
// alarm (`infra/alarms/alertmanager.yaml`), and plays its cases.
//
// #1 Both are taken from the PATH, else from `.sluice`, else from Debian's packages, which are unpacked there and not
//    installed.
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
const notices = "alertmanager.yaml";

interface Tool {
  readonly name: string;
  readonly debianPackage: string;
}

const promtool: Tool = { name: "promtool", debianPackage: "prometheus" };
const amtool: Tool = { name: "amtool", debianPackage: "prometheus-alertmanager" };

export async function testAlarmRules(progress: (text: string) => void): Promise<TestCounts> {
  const program = await bringTool(promtool, progress);
  let passed = 0;
  for (const { rules, cases } of files) {
    const checked = await runToExit(program, ["check", "rules", rules], alarmsFolder);
    const played = checked === 0 ? await runToExit(program, ["test", "rules", cases], alarmsFolder) : checked;
    if (played !== 0) return { ...noCounts, passed, failed: 1 };
    const { tests }: { readonly tests: readonly unknown[] } = parse(readFileSync(join(alarmsFolder, cases), "utf8"));
    passed += tests.length;
  }
  return await testNotices(passed, progress);
}

interface NoticeCase {
  readonly labels: readonly string[];
  readonly receiver: string;
}

async function testNotices(passedBefore: number, progress: (text: string) => void): Promise<TestCounts> {
  const program = await bringTool(amtool, progress);
  const checked = await runToExit(program, ["check-config", notices], alarmsFolder);
  const { cases }: { readonly cases: readonly NoticeCase[] } = parse(readFileSync(join(alarmsFolder, "alertmanager.cases.yaml"), "utf8"));
  let failed = checked === 0 ? 0 : 1;
  for (const { labels, receiver } of failed === 0 ? cases : []) {
    const routed = ["config", "routes", "test", `--config.file=${notices}`, `--verify.receivers=${receiver}`, ...labels];
    if ((await runToExit(program, routed, alarmsFolder)) !== 0) failed += 1;
  }
  return { ...noCounts, passed: passedBefore + cases.length - failed, failed };
}

/** #1. Rejects with Fault `cli.no-promtool`. */
async function bringTool({ name, debianPackage }: Tool, progress: (text: string) => void): Promise<string> {
  const toolFolder = join(projectRoot, ".sluice", name);
  const unpacked = join(toolFolder, "usr", "bin", name);
  if ((await runToExit(name, ["--version"], projectRoot, "ignore")) === 0) return name;
  if (existsSync(unpacked)) return unpacked;
  progress(`unpacking ${name} into .sluice/${name}`);
  const work = `${toolFolder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  if ((await runToExit("apt-get", ["download", debianPackage], work)) !== 0) throw noTool(name);
  const archive = readdirSync(work).find((name) => name.endsWith(".deb"));
  if (archive === undefined || (await runToExit("dpkg-deb", ["-x", archive, "."], work)) !== 0) throw noTool(name);
  rmSync(join(work, archive));
  // Only a whole folder gets the name.
  rmSync(toolFolder, { recursive: true, force: true });
  renameSync(work, toolFolder);
  if (!existsSync(unpacked)) throw noTool(name);
  return unpacked;
}

function noTool(name: string): Fault {
  const text = `the alarm rules need ${name}. It is part of Prometheus: put it on the PATH, or on Debian run \`apt-get update\` once, so that its package can be unpacked into .sluice/${name}`;
  return new Fault("cli.no-promtool", text, { isRetryable: false });
}

/** Resolves with the exit code; null: there is no such program, or a signal ended it. */
function runToExit(program: string, args: readonly string[], cwd: string, stdio: "inherit" | "ignore" = "inherit"): Promise<number | null> {
  const child = spawn(program, args, { cwd, stdio });
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", resolve);
  });
}
