// A program of the workspace (turbo, vitest) run in the project's root, its output as it comes.
//
// 1. A Ctrl-C reaches it too, as it is in our process group; we wait for it to end.

import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/** Resolves with the exit code; null if a signal ended it. */
export function runProgram(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const programs = join(projectRoot, "node_modules", ".bin");
  const tools = join(projectRoot, ".sluice", "tools", "node_modules", ".bin");
  const path = [programs, process.env["PATH"] ?? "", tools].join(delimiter);
  const child = spawn(join(programs, name), args, {
    cwd: projectRoot,
    env: { ...process.env, PATH: path, ...environment },
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
}
