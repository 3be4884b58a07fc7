// Any one service is killed in the middle of a day, and nothing in the final table is different.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { serviceNames } from "@sluice/cli";
import { expect, test } from "vitest";

const cli = fileURLToPath(new URL("../../packages/cli/main.ts", import.meta.url));
const debits = "60";

test.each(serviceNames)("I1 I3 I5: SIGKILL of %s in the middle of a day loses no debit and gives none a second effect", async (service) => {
  const { code, stdout, stderr } = await demo(["--json", "--debits", debits, "--kill", service]);
  const result: unknown = code === 0 || code === 1 ? JSON.parse(stdout) : { stdout };
  expect({ code, result, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toMatchObject({ code: 0, result: { problems: [] }, stderr: "" });
  expect(stderr).toContain("SIGKILL");
});

async function demo(
  options: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, MONGO_URL: _mongo, ...environment } = process.env;
  const child = spawn(process.execPath, [cli, "demo", ...options], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
