// The package as banks install it: by npm, in a folder with nothing else, where Node strips no types.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Webhook } from "standardwebhooks";

const folder = fileURLToPath(new URL(".", import.meta.url));
const project = join(folder, "..", "..");
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const at = new Date("2026-11-20T06:00:00Z");
const body = '{"amounts":{"instructedAmount":{"value":1250.50,"currency":"ZAR"}}}';
const consumer = `
import { createMemoryInbox, createReceiver, minorUnits, parseExact, readKeys, type Message } from "@sluice/receiver";
const [secret = "", signature = ""] = process.argv.slice(2);
const keys = await readKeys([secret]);
if (!keys.ok) throw new Error(keys.reason);
const taken: string[] = [];
const effect = ({ webhookId }: Message): void => void taken.push(webhookId);
const receive = createReceiver({ keys: keys.keys, inbox: createMemoryInbox({ idsMax: 10, effect }), nowMs: () => ${at.getTime()} });
const post = (given: string): Promise<Response> =>
  receive(
    new Request("http://bank.test/inbound/direct-debit", {
      method: "POST",
      headers: { "webhook-id": "m1", "webhook-timestamp": "${at.getTime() / 1_000}", "webhook-signature": given },
      body: ${JSON.stringify(body)},
    }),
  );
const statuses = [(await post(signature)).status, (await post(signature)).status, (await post("v1,AAAA")).status];
console.log(JSON.stringify({ statuses, taken, cents: typeof minorUnits, parsed: typeof parseExact }));
`;
const compilerOptions = { module: "nodenext", target: "esnext", strict: true, types: ["node"], skipLibCheck: false };

test("the package installs by npm alone, has types, and takes a signed posting once", async () => {
  await using opened = new AsyncDisposableStack();
  const temporary = await mkdtemp(join(tmpdir(), "sluice-package-"));
  opened.defer(() => rm(temporary, { recursive: true }));
  const run = (program: string, words: readonly string[], cwd: string) => execFileSync(program, words, { cwd, encoding: "utf8" });
  run(process.execPath, [join(project, "tools", "build", "package.ts"), folder], project);
  const [packed]: readonly { readonly filename: string }[] = JSON.parse(
    run("npm", ["pack", "./dist", "--json", "--pack-destination", temporary], folder),
  );
  await writeFile(join(temporary, "package.json"), JSON.stringify({ type: "module" }));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(temporary, packed?.filename ?? "")], temporary);
  const installed = join(temporary, "node_modules", "@sluice", "receiver");
  const files = await readdir(installed, { recursive: true });
  expect(files.filter((file) => /test\.|fixture|example|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  await symlink(join(project, "node_modules", "@types"), join(temporary, "node_modules", "@types"));
  await writeFile(join(temporary, "consumer.ts"), consumer);
  await writeFile(join(temporary, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  run(process.execPath, [join(project, "node_modules", "typescript", "bin", "tsc"), "-p", temporary], temporary);
  const signature = new Webhook(secret).sign("m1", at, body);
  const said: unknown = JSON.parse(run(process.execPath, [join(temporary, "consumer.js"), secret, signature], temporary));
  expect(said).toEqual({ statuses: [202, 202, 401], taken: ["m1"], cents: "function", parsed: "function" });
}, 120_000);
