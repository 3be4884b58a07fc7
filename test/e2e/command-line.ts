// Runs `./sluice` as a person does, in a process of its own.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { environmentWithoutServers } from "./servers.fixture.ts";

export interface SluiceResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const cli = fileURLToPath(new URL("../../packages/cli/main.ts", import.meta.url));

export async function runSluice(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<SluiceResult> {
  const env = { ...environmentWithoutServers(), ...environment };
  const child = spawn(process.execPath, [cli, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
