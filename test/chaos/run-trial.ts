// A trial as anyone may run it: a process of its own, by the entry of the command line.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface TrialEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const cli = fileURLToPath(new URL("../../packages/cli/main.ts", import.meta.url));

export async function runTrial(words: readonly string[]): Promise<TrialEnd> {
  const child = spawn(process.execPath, [cli, "trial", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
