// The mode `all` as its process: what it promises to a test of a bank's side.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findServerSettings } from "./server-settings.ts";

const entry = fileURLToPath(new URL("../image/main.ts", import.meta.url));
const residentMiBMax = 200;
const operatorToken = "sample-operator-token";
const operatorTokenSha256 = "33d8f8bfb57f66d3901d1ad206f8dd77c3fb6a67c92efdf35f5942032b1e7e0e";
const start = "2026-11-20T07:59:00+02:00";
const minuteMs = 60_000;

const configuration = {
  partitionCount: 2,
  schemes: [{ id: "ZA_EFT", creditsFinal: "clock", processing: [{ opens: "08:00", closes: "16:00" }], reconciliation: "17:30" }],
  banks: [{ id: "first", name: "First", agents: [{ memberId: "250655" }], tokenSha256: ["0".repeat(64)], baseUrl: "https://bank.example" }],
  operators: [{ id: "thandi", name: "Thandi", roles: ["read"], tokenSha256: [operatorTokenSha256] }],
};

interface Listening {
  readonly port: number;
  readonly controlPort: number;
  readonly opsPort: number;
}

const opened: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** Our own environment, which may name servers for other tests. */
function withoutServers(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(KAFKA|SCHEMA_REGISTRY|MONGO|SLUICE)_/.test(name)));
}

/** Starts the mode as the image does. */
async function startAll(environment: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "sluice-all-"));
  opened.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "sluice.json");
  await writeFile(file, JSON.stringify(configuration));
  const child = spawn(process.execPath, [entry, "all"], {
    env: { ...withoutServers(), SLUICE_CONFIG: file, SLUICE_OPS_PORT: "0", SLUICE_CLOCK_START: start, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  opened.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const lines: string[] = [];
  const listening = new Promise<Listening | null>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      if (line.includes('"service.listening"')) resolve(JSON.parse(line));
    });
    void exited.then(() => resolve(null));
  });
  return { child, lines, exited, ports: await listening };
}

async function startReady() {
  const { child, ports } = await startAll();
  if (ports === null) throw new Error("it did not start");
  const { port, controlPort, opsPort } = ports;
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200), { timeout: 20_000 });
  const call = async (method: "GET" | "POST", path: string, body = "") => {
    const answer = await fetch(`http://127.0.0.1:${controlPort}${path}`, method === "GET" ? {} : { method, body });
    return { status: answer.status, body: (await answer.json()) as { readonly now: string; readonly windows: readonly unknown[] } };
  };
  return { child, bank: `http://127.0.0.1:${port}`, control: `http://127.0.0.1:${controlPort}`, call };
}

describe("the mode `all`", () => {
  let all: Awaited<ReturnType<typeof startReady>>;
  beforeAll(async () => {
    all = await startReady();
  }, 60_000);

  it("is ready with all services in one process, in less than 200 MiB", async () => {
    const status = await readFile(`/proc/${all.child.pid}/status`, "utf8");
    const residentMiB = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
    expect(residentMiB).toBeGreaterThan(0);
    expect(residentMiB).toBeLessThan(residentMiBMax);
  });

  it("serves banks at one address: messages, their transactions and the documents; and operators at another", async () => {
    const { bank, control } = all;
    const statusOf = async (url: string, more: RequestInit = {}) => (await fetch(url, more)).status;
    expect(await statusOf(`${bank}/openapi.json`)).toBe(200);
    expect(await statusOf(`${bank}/transactions/outbound/direct-debit`, { method: "POST", body: "{}" })).toBe(401);
    expect(await statusOf(`${bank}/transactions/6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11`)).toBe(401);
    const headers = { authorization: `Bearer ${operatorToken}` };
    expect(await statusOf(`${control}/control/v1/windows`, { headers })).toBe(200);
    expect(await statusOf(`${bank}/clock`)).toBe(404);
  });

  it.each(["", "{}", '{"ms":-1}', '{"ms":"1"}', '{"ms":2419200001}', "x"])("refuses to move the clock by %j", async (body) => {
    expect(await all.call("POST", "/clock/advance", body)).toMatchObject({ status: 400 });
  });

  it("opens the next window on demand, and does not move the clock while a window is open", async () => {
    const before = await all.call("GET", "/clock");
    expect(before.body.windows[0]).toMatchObject({ day: "ZA_EFT:2026-11-20", number: 1, isOpen: false, opens: "2026-11-20T06:00:00.000Z" });
    const opening = await all.call("POST", "/clock/open-window");
    expect(opening.body.windows[0]).toMatchObject({ day: "ZA_EFT:2026-11-20", isOpen: true });
    expect(Date.parse(opening.body.now) - Date.parse("2026-11-20T06:00:00Z")).toBeLessThan(minuteMs);
    const again = await all.call("POST", "/clock/open-window");
    expect(Date.parse(again.body.now) - Date.parse(opening.body.now)).toBeLessThan(minuteMs);
  });

  it("lets a whole day pass within seconds: the window closes, and the day is reconciled", async () => {
    const after = await all.call("POST", "/clock/advance", JSON.stringify({ ms: 10 * 60 * minuteMs }));
    expect(Date.parse(after.body.now)).toBeGreaterThanOrEqual(Date.parse(start) + 10 * 60 * minuteMs);
    expect(after.body.windows[0]).toMatchObject({ day: "ZA_EFT:2026-11-21" });
  });

  it("I1: does not start beside real servers, because what it answers 202 for is kept in memory alone [D10.38]", async () => {
    const servers = { KAFKA_BROKERS: "kafka:9092", MONGO_URL_FILE: "/etc/sluice/mongo-url", SCHEMA_REGISTRY_URL: "http://registry:8080" };
    const { lines, exited } = await startAll(servers);
    expect(await exited).toBe(1);
    expect(lines[0]).toContain("real servers are named: KAFKA_BROKERS, SCHEMA_REGISTRY_URL, MONGO_URL_FILE.");
    for (const value of Object.values(servers)) expect(lines[0]).not.toContain(value);
  });
});

it("I1: each setting of a server alone is enough for the refusal; one that is empty counts as not set [D10.38]", () => {
  const names = ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "MONGO_URL_FILE"];
  for (const name of names) expect(findServerSettings({ [name]: "value" }, names)).toContain(`real servers are named: ${name}.`);
  expect(findServerSettings({ KAFKA_BROKERS: "", OTHER: "value" }, names)).toBeNull();
});
