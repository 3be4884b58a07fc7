import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning, readRecord, stopRecordedProcesses } from "@sluice/local-servers";
import { readiness, startService } from "./processes.ts";
import { provision } from "./provision.ts";
import { serviceEnvironment } from "./service-environment.ts";

const servers = {
  kafkaBrokers: process.env["KAFKA_BROKERS"] ?? "",
  schemaRegistryUrl: process.env["SCHEMA_REGISTRY_URL"] ?? "",
  mongoUrl: process.env["MONGO_URL"] ?? "",
};
const database = `sluice_processes_${process.pid}`;
const configurationFile = fileURLToPath(new URL("../../infra/local/sluice.yaml", import.meta.url));
const environment = serviceEnvironment({ servers, configurationFile, database });

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sluice processes-"));
  await provision(servers, database);
});
afterAll(async () => rm(directory, { recursive: true }));

test("provisioning twice changes nothing and succeeds", async () => {
  await expect(provision(servers, database)).resolves.toBeUndefined();
});

test("ingress reports its ports, becomes ready, refuses an unknown caller, and ends with 0 when asked", async () => {
  const ingress = await startService("ingress", environment, join(directory, "ingress.log"));
  await ingress.ready();
  const answer = await fetch(`http://127.0.0.1:${ingress.port}/transactions/outbound/direct-debit`, { method: "POST", body: "{}" });
  expect([answer.status, await answer.json()]).toMatchObject([401, { schema: "ErrorDetail" }]);
  expect(await ingress.stop()).toEqual({ code: 0, signal: null });
  expect(await readiness(ingress.opsPort)).toBeNull();
});

test("a killed service ends at once", async () => {
  const ingress = await startService("ingress", environment, join(directory, "killed.log"));
  expect(await ingress.kill()).toEqual({ code: null, signal: "SIGKILL" });
});

test("a service that its starter left behind is found by its record and ended", async () => {
  const ingress = await startService("ingress", environment, join(directory, "forgotten.log"), { directory });
  const [noted] = readRecord(directory)?.processes ?? [];
  expect(noted).toMatchObject({ kind: "service", name: "ingress", pid: ingress.pid });
  expect(noted !== undefined && (await isRunning(noted))).toBe(true);
  expect(await stopRecordedProcesses(directory)).toEqual(["ingress"]);
  expect(await ingress.exited).toEqual({ code: 0, signal: null });
});
