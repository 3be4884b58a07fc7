// Runs a program of the workspace (turbo, vitest) in the project's root and shows its output.
//
// #1 A Ctrl-C also reaches the program, as it is in our process group; we wait for its end.
// #2 A SIGTERM reaches us alone, so it is passed on. Otherwise the program would go on without us.

import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Resolves with the exit code; null: a signal ended the program. `through` is a program outside the workspace that is
 * given the program and its words, and runs it.
 */
export function runProgram(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  through: string | null = null,
): Promise<number | null> {
  const programs = join(projectRoot, "node_modules", ".bin");
  const tools = join(projectRoot, ".sluice", "tools", "node_modules", ".bin");
  const path = [programs, process.env["PATH"] ?? "", tools].join(delimiter);
  const program = join(programs, name);
  const child = spawn(through ?? program, through === null ? args : [program, ...args], {
    cwd: projectRoot,
    env: { ...process.env, PATH: path, ...environment },
    stdio: "inherit",
  });
  const passOn = (): void => void child.kill("SIGTERM");
  process.on("SIGTERM", passOn);
  return new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => process.off("SIGTERM", passOn));
}
