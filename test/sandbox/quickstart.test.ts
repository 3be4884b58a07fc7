// Runs the commands of docs/sandbox.md as they are there, against a sandbox on other ports.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sandboxPorts } from "./address.ts";
import { openSandbox } from "./sandbox.fixture.ts";

const page = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const [, quickstart = ""] = page.split("## Three commands");
const commands = [...(quickstart.split("\n## ")[0] ?? "").matchAll(/```sh\n([^`]+)```/g)].map(([, command = ""]) => command);
const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";

test("the three commands of the quickstart take a debit from the bank's call to COMPLETED", async () => {
  await using sandbox = await openSandbox();
  const run = async (command: string): Promise<string> => {
    const here = command
      .replaceAll(`http://127.0.0.1:${sandboxPorts.banks}`, sandbox.url)
      .replaceAll(`http://127.0.0.1:${sandboxPorts.control}`, sandbox.controlUrl);
    return (await promisify(execFile)("sh", ["-c", here])).stdout;
  };
  expect(commands).toHaveLength(3);
  const [send = "", move = "", ask = ""] = commands;
  expect(await run(send)).toMatch(/^HTTP\/1\.1 202 /);
  await sandbox.until(uetr, "HELD");
  expect(JSON.parse(await run(move))).toMatchObject({ windows: expect.arrayContaining([expect.objectContaining({ isOpen: true })]) });
  await sandbox.until(uetr, "COMPLETED");
  expect(JSON.parse(await run(ask))).toMatchObject({ uetr, state: "COMPLETED" });
}, 300_000);
