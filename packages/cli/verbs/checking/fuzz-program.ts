// Installs Schemathesis in its own Python environment, `.sluice/fuzz`, when a fuzz run asks for it.
//
// #1 Every program in it is pinned (`tools/fuzz/requirements.txt`); other pins are another environment.
// #2 Only a finished environment is used; an interrupted installation is repeated.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment";

export const fuzzFolder = join(projectRoot, "tools", "fuzz");
const workFolder = join(projectRoot, ".sluice", "fuzz");
const requirements = join(fuzzFolder, "requirements.txt");

/** Returns the path of the program. Rejects with Fault `cli.no-python` or `cli.fuzz-not-installed`. */
export async function bringSchemathesis(progress: (text: string) => void): Promise<string> {
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(workFolder, pins);
  const program = join(folder, "bin", "schemathesis");
  const done = join(folder, "installed");
  if (existsSync(done)) return program;
  await requirePython();
  progress("bringing schemathesis into .sluice/fuzz");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  await expectSuccess("python3", ["-m", "venv", folder], "python3 has no venv module: install it (python3-venv)");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "-r", requirements];
  await expectSuccess(join(folder, "bin", "python"), pip, "pip could not install tools/fuzz/requirements.txt");
  writeFileSync(done, "");
  return program;
}

/** Runs the program in a folder where it may leave files. Resolves with its exit code. */
export function runSchemathesis(program: string, args: readonly string[]): Promise<number | null> {
  const environment = { ...process.env, PYTHONPATH: fuzzFolder, PYTHONDONTWRITEBYTECODE: "1" };
  return runToExit(program, args, environment, workFolder);
}

async function requirePython(): Promise<void> {
  const isThere = await runToExit("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).catch(() => null);
  if (isThere === 0) return;
  throw new Fault("cli.no-python", "the fuzz run needs python3, 3.10 or later, on the PATH: schemathesis is a Python program", {
    isRetryable: false,
  });
}

async function expectSuccess(program: string, args: readonly string[], otherwise: string): Promise<void> {
  const code = await runToExit(program, args).catch(() => null);
  if (code !== 0) throw new Fault("cli.fuzz-not-installed", otherwise, { isRetryable: false });
}

function runToExit(program: string, args: readonly string[], environment = process.env, cwd = projectRoot): Promise<number | null> {
  const child = spawn(program, args, { cwd, env: environment, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
}
