// Installs Python programs in an environment of their own below `.sluice`, when a run asks for them.
//
// #1 Every program in it is pinned by a requirements file; other pins are another environment.
// #2 Only a finished environment is used; an interrupted installation is repeated.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment";

export interface PythonPrograms {
  /** What is brought, for people: its name, and what needs it. */
  readonly name: string;
  readonly neededBy: string;
  /** The file that pins everything. */
  readonly requirements: string;
  /** The folder below `.sluice` that has the environments. */
  readonly folder: string;
}

/** Returns the environment's folder. Rejects with Fault `cli.no-python` or `cli.python-not-installed`. */
export async function bringPythonEnvironment(programs: PythonPrograms, progress: (text: string) => void): Promise<string> {
  const { name, requirements } = programs;
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(programs.folder, pins);
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  await requirePython(programs);
  progress(`bringing ${name} into ${relative(projectRoot, programs.folder)}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(programs.folder, { recursive: true });
  await expectSuccess("python3", ["-m", "venv", folder], "python3 has no venv module: install it (python3-venv)");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "-r", requirements];
  await expectSuccess(join(folder, "bin", "python"), pip, `pip could not install ${relative(projectRoot, requirements)}`);
  writeFileSync(done, "");
  return folder;
}

async function requirePython({ name, neededBy }: PythonPrograms): Promise<void> {
  const isThere = await runToExit("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).catch(() => null);
  if (isThere === 0) return;
  throw new Fault("cli.no-python", `${neededBy} needs python3, 3.10 or later, on the PATH: ${name} is a Python program`, {
    isRetryable: false,
  });
}

async function expectSuccess(program: string, args: readonly string[], otherwise: string): Promise<void> {
  const code = await runToExit(program, args).catch(() => null);
  if (code !== 0) throw new Fault("cli.python-not-installed", otherwise, { isRetryable: false });
}

/** Runs a program with our own output. Resolves with its exit code; null: a signal ended it. */
export function runToExit(program: string, args: readonly string[], environment = process.env, cwd = projectRoot): Promise<number | null> {
  const child = spawn(program, args, { cwd, env: environment, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
}
