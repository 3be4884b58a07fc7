// Brings the tree of a release, with the packages of its own lock file, so that its services run beside those of today.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "@sluice/environment/run-program";

const run = promisify(execFile);
const releases = join(projectRoot, ".sluice", "versions");
const pnpm = join(projectRoot, ".sluice", "tools", "node_modules", ".bin", "pnpm");
const archiveBytesMax = 64 * 1024 * 1024;

/** Returns the folder of a commit's tree. It is made once. */
export async function openReleasedTree(commit: string): Promise<string> {
  const folder = join(releases, commit);
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
