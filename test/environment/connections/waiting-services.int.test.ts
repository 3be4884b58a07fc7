// A service that starts before what it needs: it lives, says what it waits for, and starts by itself.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePorts } from "@sluice/local-servers";
import { registerSchemas } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { projectRoot } from "../run-program.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";

const { KAFKA_BROKERS: kafkaBrokers = "", SCHEMA_REGISTRY_URL: schemaRegistryUrl = "", MONGO_URL: mongoUrl = "" } = process.env;
const configurationFile = join(projectRoot, "infra", "local", "sluice.yaml");
const opened: (() => Promise<unknown>)[] = [];
// Else each of them waits for schemas first.
beforeAll(() => registerSchemas({ url: schemaRegistryUrl, time: machineTime }));
afterEach(async () => {
  for (const end of opened.splice(0)) await end();
});

async function start(service: string, changed: Readonly<Record<string, string>>) {
  const [opsPort = 0] = await freePorts(1);
  const servers = { kafkaBrokers, schemaRegistryUrl, mongoUrl };
  const own = serviceEnvironment({ servers, configurationFile, database: `waiting_${process.pid}` });
  const child = spawn(process.execPath, [join(projectRoot, "services", service, "main.ts")], {
    env: { ...process.env, ...own, SLUICE_OPS_PORT: String(opsPort), ...changed },
    cwd: mkdtempSync(join(tmpdir(), "sluice-")),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: { readonly event: string; readonly problem?: string }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const exit = once(child, "exit").then(([code]) => code as number | null);
  opened.push(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  return {
    child,
    lines,
    exit,
    reasons: async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
      const { reasons }: { readonly reasons: readonly string[] } = JSON.parse(await answer.text());
      return reasons.join("; ");
    },
  };
}

const soon = { timeout: 30_000, interval: 200 };

test.for<readonly [string, string, Readonly<Record<string, string>>, RegExp]>([
  ["the broker", "validator", { KAFKA_BROKERS: "127.0.0.1:1" }, /^starting: messaging: no broker can be reached: .*ECONNREFUSED/],
  [
    "the registry",
    "validator",
    { SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" },
    /^starting: registry: the registry at .* does not answer: .*ECONNREFUSED/,
  ],
  ["the store", "console", { MONGO_URL: "mongodb://127.0.0.1:1" }, /^starting: store: store.ping: no server found/],
  ["a password's file", "validator", passwordless(), /^starting: messaging: KAFKA_SASL_PASSWORD_FILE: its file cannot be read: ENOENT/],
])("while %s is away a service lives and says so, and ends when it is asked to", async ([, service, changed, reason]) => {
  const { reasons, child, exit, lines } = await start(service, changed);
  await vi.waitFor(async () => expect(await reasons()).toMatch(reason), soon);
  expect(lines.map(({ event }) => event)).toContain("service.waiting");
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
});

function passwordless(): Readonly<Record<string, string>> {
  return { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD_FILE: "/nowhere/password" };
}

test("a service waits for a schema that nobody has registered, and registers none itself", async () => {
  const requests: string[] = [];
  const empty = createServer(({ method, url }, answer) => {
    requests.push(`${method} ${url}`);
    answer.writeHead(404, { "content-type": "application/json" }).end('{"error_code":40401}');
  }).listen(0, "127.0.0.1");
  await once(empty, "listening");
  opened.push(async () => void empty.close());
  const address = empty.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { reasons } = await start("validator", { SCHEMA_REGISTRY_URL: `http://127.0.0.1:${port}` });
  const reason = /^starting: registry: sluice\.\S+: version 1 is not registered yet, which \.\/sluice provision does$/;
  await vi.waitFor(async () => expect(await reasons()).toMatch(reason), soon);
  expect(requests.filter((request) => !/^POST \/subjects\/[^/]+$/.test(request))).toEqual([]);
});

test("a service waits for topics, starts by itself when they are there, and says which may lose records", async () => {
  const { reasons, lines } = await start("validator", { KAFKA_FEW_REPLICAS: "said" });
  await vi.waitFor(async () => expect(await reasons()).toMatch(/^starting: messaging: there is no topic sluice|^$/), soon);
  await provision({ kafkaBrokers, schemaRegistryUrl, mongoUrl }, `waiting_${process.pid}`);
  await vi.waitFor(() => expect(lines.map(({ event }) => event)).toContain("service.listening"), soon);
  const unsafe = lines.filter(({ event }) => event === "topics.unsafe").map(({ problem }) => problem);
  expect(unsafe).toContain("sluice.journal.v1 has 1 replicas instead of 3 and min.insync.replicas 1 instead of 2");
});

test("a service waits for the indexes of its collections", async () => {
  const servers = { kafkaBrokers, schemaRegistryUrl, mongoUrl };
  await provision(servers, `waiting_${process.pid}`);
  const database = `waiting_indexes_${process.pid}`;
  const { reasons, lines } = await start("scheduler", { SLUICE_DATABASE: database });
  await vi.waitFor(async () => expect(await reasons()).toMatch(/^starting: store: the store has no index transactions: /), soon);
  await provision(servers, database);
  await vi.waitFor(() => expect(lines.map(({ event }) => event)).toContain("service.listening"), soon);
});
