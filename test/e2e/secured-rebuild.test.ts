// Provision and rebuild as an operator runs them where every connection is secured: three brokers with TLS,
// certificates on both sides and logins; the registry over TLS with a login; the store over TLS with certificates.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";
import { type SecuredBrokers, startSecuredBrokers } from "@sluice/environment";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type E2eEnvironment, openE2eEnvironment } from "./environment/environment.ts";
import { openSecuredServers, type SecuredServers } from "./environment/secured-servers.ts";
import { createCases } from "./parties/cases.ts";
import { untilState } from "./recorded/evidence.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const debits = 12;
const opened = new AsyncDisposableStack();
let brokers: SecuredBrokers;
let servers: SecuredServers;
let environment: E2eEnvironment;
const { caseFor, submit } = createCases(() => environment, banks);

beforeAll(async () => {
  brokers = await startSecuredBrokers(opened);
  environment = opened.use(await openE2eEnvironment(banks, "bank", { brokers }));
  const { SCHEMA_REGISTRY_URL: registryUrl = "" } = environment.services.environment;
  servers = await openSecuredServers(opened, { registryUrl, storeUrl: environment.storeUrl });
}, 300_000);
afterAll(() => opened.disposeAsync());

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** The services reach the registry and the store without TLS; the program has only the secured ways. */
async function run(...words: readonly string[]): Promise<Ended> {
  const { MONGO_URL: _, ...others } = { ...process.env, ...environment.services.environment };
  return await new Promise((resolve) => {
    execFile(process.execPath, words, { env: { ...others, ...servers.variables }, timeout: 60_000 }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : typeof failure.code === "number" ? failure.code : -1, out, error });
    });
  });
}

const rebuild = (...flags: readonly string[]): Promise<Ended> =>
  run(join(projectRoot, "services", "scheduler", "rebuild", "main.ts"), ...flags);
const provision = (...flags: readonly string[]): Promise<Ended> =>
  run(join(projectRoot, "packages", "cli", "main.ts"), "provision", ...flags);

interface PartitionLine {
  readonly event: string;
  readonly documents: number;
  readonly differences: readonly unknown[];
  readonly isSwitched: boolean;
}

function partitionsOf({ out }: Ended): readonly PartitionLine[] {
  const lines = out.split("\n").flatMap((line): PartitionLine[] => (line === "" ? [] : [JSON.parse(line)]));
  return lines.filter(({ event }) => event === "partition");
}

test("provision --check finds topics, schemas and indexes over secured connections", async () => {
  const before = { ...servers.counts };
  const file = environment.services.environment["SLUICE_CONFIG"] ?? "";
  const checked = await provision("--config", file, "--check");
  expect(checked).toMatchObject({ code: 0, out: "everything is there, as the configuration says\n" });
  expect(servers.counts.registry).toBeGreaterThan(before.registry);
  expect(servers.counts.store).toBeGreaterThan(before.store);
});

test("I11: a rebuild over secured connections reads the journal, finds the store equal, and switches to the new build", async () => {
  const cases = Array.from({ length: debits }, (_, n) => caseFor("on-us", `secured ${n}`));
  await Promise.all(cases.map(submit));
  for (const { uetr } of cases) await untilState(environment, uetr, "HELD");
  const before = { ...servers.counts };
  const rebuilt = await rebuild();
  const partitions = partitionsOf(rebuilt);
  expect([rebuilt.code, partitions.flatMap(({ differences }) => differences)]).toEqual([0, []]);
  expect(partitions.every(({ isSwitched }) => isSwitched)).toBe(true);
  expect(partitions.reduce((sum, { documents }) => sum + documents, 0)).toBe(debits);
  expect(servers.counts.registry).toBeGreaterThan(before.registry);
  expect(servers.counts.store).toBeGreaterThan(before.store);
});

test("a rebuild that the registry refuses ends, changes nothing, and does not print the password", async () => {
  await writeFile(servers.passwordFile, "secret-wrong");
  const refused = await rebuild("--dry-run");
  expect(refused.code).not.toBe(0);
  expect(partitionsOf(refused)).toEqual([]);
  expect(`${refused.out}${refused.error}`).not.toContain("secret-wrong");
  expect(refused.error).toMatch(/registry answers 401/);
});
