// The demo as a newcomer runs it, only smaller, with a service killed in the middle.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { environmentWithoutServers } from "./given.ts";

const cli = fileURLToPath(new URL("../../packages/cli/main.ts", import.meta.url));

test("I1, I3, I5: ./sluice demo --kill scheduler plays its day, checks it, and says so to machines", async () => {
  const { code, stdout, stderr } = await demo(["--json", "--debits", "20", "--kill", "scheduler"]);
  expect({ code, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  expect(stderr).toContain("SIGKILL");
});

async function demo(
  options: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [cli, "demo", ...options], { env: environmentWithoutServers(), stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
