// The fixture is run as a process, because a service's readiness is what `/readyz` answers.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Line {
  readonly event: string;
  readonly opsPort?: number;
  readonly error?: { readonly message: string };
}

async function askReadiness(partitionCount: number) {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-")), "sluice.yaml");
  const local = readFileSync(fileURLToPath(new URL("../../infra/local/sluice.yaml", import.meta.url)), "utf8");
  writeFileSync(file, `${local}\npartitionCount: ${partitionCount}\n`);
  const child = spawn(process.execPath, [fileURLToPath(new URL("run-service.fixture.ts", import.meta.url))], {
    env: { ...process.env, SLUICE_OPS_PORT: "0", SLUICE_CONFIG: file },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.event === "service.listening") break;
  }
  const answer = await fetch(`http://127.0.0.1:${lines.at(-1)?.opsPort}/readyz`);
  const body: unknown = await answer.json();
  const ended = once(child, "close");
  child.kill("SIGTERM");
  return { status: answer.status, body, lines, code: (await ended)[0] as number | null };
}

test("a service whose topics have the configured number of partitions is ready", async () => {
  expect(await askReadiness(12)).toMatchObject({ status: 200, code: 0 });
});

test("a service that finds topics with another number of partitions does not start, and /readyz names them", async () => {
  const { status, body, lines, code } = await askReadiness(6);
  expect([status, body]).toMatchObject([
    503,
    { reasons: [expect.stringMatching(/^partitionCount is 6, but sluice\.journal\.v1 has 12, /)] },
  ]);
  expect(lines[0]).toMatchObject({
    event: "service.refused",
    error: { message: expect.stringContaining("partitionCount is 6") as unknown },
  });
  expect(code).toBe(0);
});
