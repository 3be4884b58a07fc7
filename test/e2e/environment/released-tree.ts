// Brings the tree of a release, with the packages of its own lock file, so that its services run beside those of today.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";

const run = promisify(execFile);
const releases = join(projectRoot, ".sluice", "versions");
const pnpm = join(projectRoot, ".sluice", "tools", "node_modules", ".bin", "pnpm");
const archiveBytesMax = 64 * 1024 * 1024;

/** Returns the folder of a tag's tree. It is made once for each commit. */
export async function openReleasedTree(tag: string): Promise<string> {
  const commit = await readCommit(tag);
  const folder = join(releases, tag);
  const mark = join(folder, ".sluice-commit");
  if (existsSync(mark) && readFileSync(mark, "utf8") === commit) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = await run("git", ["archive", commit], { cwd: projectRoot, encoding: "buffer", maxBuffer: archiveBytesMax });
  const unpacked = run("tar", ["-x"], { cwd: folder });
  unpacked.child.stdin?.end(archive.stdout);
  await unpacked;
  const environment = { ...process.env, CI: "true" };
  await run(pnpm, ["install", "--prod", "--frozen-lockfile", "--prefer-offline"], { cwd: folder, env: environment });
  writeFileSync(mark, commit);
  return folder;
}

async function readCommit(tag: string): Promise<string> {
  try {
    return (await run("git", ["rev-parse", "--verify", `${tag}^{commit}`], { cwd: projectRoot })).stdout.trim();
  } catch (cause) {
    throw new Fault("e2e.no-release", `there is no tag ${tag} here: git fetch --tags`, { isRetryable: false, cause });
  }
}
