import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noteProcess } from "@sluice/local-servers/running-record";
import { expect, test } from "vitest";
import { buildCall } from "../../terminal/console.fixture.ts";
import { runDown } from "./down.ts";

test("down says what it stopped, to a person and to a program", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sluice-down-"));
  const console = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)", directory]);
  await once(console, "spawn");
  noteProcess(directory, { kind: "service", name: "console", pid: console.pid ?? 0, mark: directory, ports: [] });
  const written: string[] = [];
  const down = async (options: Readonly<Record<string, true>>) =>
    await runDown(buildCall(options), directory, (text) => written.push(text));
  expect([await down({ json: true }), await down({ json: true }), await down({})]).toEqual([0, 0, 0]);
  expect(written.slice(0, 2).map((text): unknown => JSON.parse(text))).toEqual([
    { schema: "Down", stopped: ["console"] },
    { schema: "Down", stopped: [] },
  ]);
  expect(written[2]).toBe("sluice: nothing was up");
  rmSync(directory, { recursive: true });
});
