// Brings Schemathesis in a Python environment of its own, `.sluice/fuzz`, when a fuzz run asks for it, and runs it.

import { join } from "node:path";
import { projectRoot } from "@sluice/environment";
import { bringPythonEnvironment, runToExit } from "./python-environment.ts";

export const fuzzFolder = join(projectRoot, "tools", "fuzz");
const workFolder = join(projectRoot, ".sluice", "fuzz");
const programs = {
  name: "schemathesis",
  neededBy: "the fuzz run",
  requirements: join(fuzzFolder, "requirements.txt"),
  folder: workFolder,
};

/** Returns the path of the program. Rejects with Fault `cli.no-python` or `cli.python-not-installed`. */
export async function bringSchemathesis(progress: (text: string) => void): Promise<string> {
  return join(await bringPythonEnvironment(programs, progress), "bin", "schemathesis");
}

/** Runs the program in a folder where it may leave files. Resolves with its exit code. */
export function runSchemathesis(program: string, args: readonly string[]): Promise<number | null> {
  const environment = { ...process.env, PYTHONPATH: fuzzFolder, PYTHONDONTWRITEBYTECODE: "1" };
  return runToExit(program, args, environment, workFolder);
}
