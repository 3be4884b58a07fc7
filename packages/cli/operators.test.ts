// The operators' command line as operators have it: installed by npm in a folder with nothing else, against a console.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machineRandom, machineTime } from "@sluice/kernel";
import { startSandbox } from "@sluice/sandbox";
import { sandboxClient } from "@sluice/sandbox/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const project = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
const opened = new AsyncDisposableStack();
let folder = "";
let command = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-operators-"));
  opened.defer(() => rm(folder, { recursive: true }));
  await run(process.execPath, [join(project, "tools", "build", "operators-cli.ts")]);
  const { stdout } = await run("npm", ["pack", "./dist", "--json", "--pack-destination", folder], {
    cwd: join(project, "packages", "cli"),
  });
  const [packed]: readonly { readonly filename: string }[] = JSON.parse(stdout);
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, packed?.filename ?? "")], { cwd: folder });
  command = join(folder, "node_modules", ".bin", "sluice");
}, 120_000);
afterAll(() => opened.disposeAsync());

/** Calls the command without any setting of this process. */
async function call(...words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const environment = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const ended = await run(command, words, { cwd: folder, env: environment }).catch(
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error,
  );
  return { code: "code" in ended ? ended.code : 0, out: ended.stdout, err: ended.stderr };
}

test("it is installed alone, and lists the verbs that need a console and nothing else", async () => {
  expect(await readdir(join(folder, "node_modules"))).toEqual(expect.not.arrayContaining(["kafkajs", "mongodb", "zod"]));
  const { code, out } = await call("--help");
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}held /m);
  expect(out).not.toMatch(/\.\/sluice|^ {2}(up|demo|test|logs) /m);
  expect((await call("--version")).out).toMatch(/^sluice \d+\.\d+\.\d+, /);
  expect((await call("held")).err).toMatch(/no console is up: name the console by --console URL/);
  expect((await call("completion", "bash")).out).toContain("complete -F _sluice sluice");
});

test("it asks a running console, by an address and by a profile", async () => {
  await using sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    controlPort: 0,
    random: machineRandom,
    startAtMs: machineTime.nowMs(),
    log: () => {},
    stopping: new AbortController().signal,
  });
  const url = `http://127.0.0.1:${sandbox.controlPort}`;
  const uetr = String((await sandboxClient(url).post("/trigger", { name: "paid" }))["uetr"]);
  await vi.waitFor(async () => expect((await call("held", "--console", url)).out).toContain("100.00"), { timeout: 120_000 });
  expect((await call("tx", uetr, "--console", url)).out).toContain("HELD");
  await writeFile(join(folder, "token"), "sample-operator-token\n", { mode: 0o600 });
  expect(await call("profile", "add", "box", "--url", url, "--token-file", join(folder, "token"))).toMatchObject({ code: 0 });
  expect(await call("status", "--profile", "box", "--json")).toMatchObject({ code: 0, out: expect.stringContaining('"schema"') });
  expect(await call("search", "--state", "HELD", "--profile", "box")).toMatchObject({ code: 0, out: expect.stringContaining(uetr) });
}, 300_000);
