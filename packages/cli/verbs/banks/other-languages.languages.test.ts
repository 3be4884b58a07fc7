// The banks in Java and Python of `packages/receiver/languages` against the conformance kit. A language that is not
// there on this machine is left out; `./sluice test languages` says so.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";

const folder = fileURLToPath(new URL("../../../receiver/languages/", import.meta.url));
const commandLine = fileURLToPath(new URL("../../main.ts", import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const { SLUICE_TEST_PYTHON: python = "", SLUICE_TEST_CLASSPATH: classPath = "" } = process.env;

const banks = [
  { language: "Python", isThere: python !== "", words: [python, join(folder, "bank.py")] },
  { language: "Java", isThere: classPath !== "", words: ["java", "-cp", classPath, join(folder, "Bank.java")] },
].filter(({ isThere }) => isThere);

test.each(banks)(
  "the bank in $language takes what it must and refuses what is not signed, each message once",
  async ({ words: [program = "", ...words] }) => {
    await using opened = new AsyncDisposableStack();
    const temporary = await mkdtemp(join(tmpdir(), "sluice-bank-"));
    opened.defer(() => rm(temporary, { recursive: true }));
    const [secrets, own, database] = [join(temporary, "secrets"), join(temporary, "secret"), join(temporary, "inbox.db")];
    await writeFile(secrets, `${other}\n${secret}\n`);
    await writeFile(own, secret);
    const port = await findPort();
    const child = spawn(program, [...words, String(port), secrets, database], { stdio: ["ignore", "ignore", "inherit"] });
    opened.defer(async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401), {
      timeout: 60_000,
      interval: 100,
    });
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, "conformance", url, "--secret-file", own, "--json"]).catch(
      (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? "" }),
    );
    const { cases }: { readonly cases: readonly { readonly name: string; readonly wrong: string | null }[] } = JSON.parse(stdout);
    expect(cases.filter(({ wrong }) => wrong !== null)).toEqual([]);
    expect(cases.length).toBeGreaterThan(8);
    using inbox = new DatabaseSync(database, { readOnly: true });
    // 64 at once, a debit, a repeat, an unknown member, a second signature, and two times three events.
    expect(inbox.prepare("SELECT count(*) AS count FROM inbox").get()).toEqual({ count: 74 });
  },
  180_000,
);

async function findPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address !== null ? address.port : 0;
}
