// The fixture is run as a process, because a service's readiness is what `/readyz` answers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { machineTime } from "@sluice/kernel";
import { type Certificate, certificateSha256, createCertificateAuthority } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";

interface Line {
  readonly event: string;
  readonly opsPort?: number;
  readonly port?: number;
  readonly callers?: string;
  readonly error?: { readonly message: string };
}

const local = readFileSync(fileURLToPath(new URL("../../infra/local/sluice.yaml", import.meta.url)), "utf8");

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

async function run(configuration: string, environment: Readonly<Record<string, string>> = {}, nodeArguments: readonly string[] = []) {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-")), "sluice.yaml");
  writeFileSync(file, configuration);
  const child = spawn(process.execPath, [...nodeArguments, fileURLToPath(new URL("run-service.fixture.ts", import.meta.url))], {
    env: { ...process.env, SLUICE_OPS_PORT: "0", SLUICE_CONFIG: file, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  const collections: string[] = [];
  for await (const written of createInterface({ input: child.stdout })) {
    if (!written.startsWith("{")) {
      collections.push(written);
      continue;
    }
    const line = JSON.parse(written) as Line;
    lines.push(line);
    if (line.event === "service.listening") break;
  }
  running.add(child);
  async function stop(): Promise<number | null> {
    const ended = once(child, "close");
    child.kill("SIGTERM");
    return (await ended)[0] as number | null;
  }
  return { lines, collections, stop };
}

async function askReadiness(partitionCount: number) {
  const { lines, stop } = await run(`${local}\npartitionCount: ${partitionCount}\n`);
  const answer = await fetch(`http://127.0.0.1:${lines.at(-1)?.opsPort}/readyz`);
  const body: unknown = await answer.json();
  return { status: answer.status, body, lines, code: await stop() };
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

test("a service gives back what only the loading of its code needed before it listens, if its flags allow it", async () => {
  const configuration = `${local}\npartitionCount: 12\n`;
  const isReducing = (line: string): boolean => line.includes("Mark-Compact (reduce)");
  const [allowed, other] = [await run(configuration, {}, ["--trace-gc", "--expose-gc"]), await run(configuration, {}, ["--trace-gc"])];
  expect(allowed.collections.some(isReducing)).toBe(true);
  expect(other.collections.some(isReducing)).toBe(false);
  expect([await allowed.stop(), await other.stop()]).toEqual([0, 0]);
});

const authority = createCertificateAuthority("Ours", machineTime.nowMs());
const ours = authority.issue({ name: "listener", hosts: ["127.0.0.1"] });
const callers = createCertificateAuthority("Of nobody that we trust", machineTime.nowMs());
const shown = callers.issue({ name: "caller" });
const sha256 = certificateSha256(shown.certificatePem);
const bound = local.replace("tokenSha256: [", `certificates: [{ sha256: "${sha256}" }]\n    tokenSha256: [`);

async function askOver(port: number | undefined, certificate: Certificate | null): Promise<string> {
  const own = certificate === null ? {} : { cert: certificate.certificatePem, key: certificate.keyPem };
  const asked = request({ host: "127.0.0.1", port, ca: authority.pem, agent: false, ...own }).end();
  const [answer]: IncomingMessage[] = await once(asked, "response");
  if (answer === undefined) throw new Error("no answer");
  return await text(answer);
}

test("a process asks callers for certificates if its environment says so, also for those of no authority [D10.88]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-"));
  const [certificate, key] = [join(folder, "certificate"), join(folder, "key")];
  writeFileSync(certificate, ours.certificatePem);
  writeFileSync(key, ours.keyPem);
  const tls = { SLUICE_TLS_CERTIFICATE_FILE: certificate, SLUICE_TLS_KEY_FILE: key, SLUICE_TLS_CLIENT_CERTIFICATE: "asked" };
  const { lines, stop } = await run(`${bound}\npartitionCount: 12\n`, tls);
  const port = lines.at(-1)?.port;
  expect([await askOver(port, shown), await askOver(port, null)]).toEqual([sha256.slice(0, 12), "none"]);
  expect(lines.some(({ event }) => event === "listener.certificates-not-asked")).toBe(false);
  expect(await stop()).toBe(0);
});

test("what a service answers without the Fetch API is answered so, and all else by it", async () => {
  const { lines, stop } = await run(`${local}\npartitionCount: 12\n`);
  const ask = async (path: string) => await fetch(`http://127.0.0.1:${lines.at(-1)?.port}${path}`, { method: "POST" });
  const [direct, other] = [await ask("/direct"), await ask("/other")];
  expect([direct.status, other.status, await other.text()]).toEqual([202, 200, "none"]);
  expect(await stop()).toBe(0);
});

test("a process that asks for no certificates names the callers that are bound to one [D10.88]", async () => {
  const { lines, stop } = await run(`${bound}\npartitionCount: 12\n`);
  expect(lines.filter(({ event }) => event === "listener.certificates-not-asked")).toMatchObject([
    { callers: expect.any(String) as unknown },
  ]);
  expect(await stop()).toBe(0);
});
