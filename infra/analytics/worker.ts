// Runs the worker that copies the topics of analysts into tables: Kafka Connect with the Iceberg sink, one connector
// for each table, in one Java process.
//
// #1 It outlives the process that started it, and is recorded in its directory: `stopWorker` ends it, also after a
//    crash of its starter.
// #2 It is ready when every connector and its task run.
// #3 What it needs is brought once, by Maven, from one pinned pom.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault, machineTime, silentLogger, sleep } from "@sluice/kernel";
import { buildFolder, downloadPackages, findJava, findMaven, freePorts, type ReportProgress } from "@sluice/local-servers";
import { beginRecord, isRunning, noteProcess, readRecord, stopRecordedProcesses } from "@sluice/local-servers/running-record";
import { provisionTopics } from "@sluice/messaging";
import { lakeTables } from "./tables.ts";
import { connectorName, connectorSettings, controlTopic, propertiesText, registryApi, workerSettings } from "./worker-settings.ts";

export interface WorkerOptions {
  readonly kafkaBrokers: string;
  readonly schemaRegistryUrl: string;
  /** Absolute folder of the worker: its record, its log, its offsets and the lake. */
  readonly directory: string;
  /** Absolute, ignored folder of the project for what is installed. */
  readonly packages: string;
  /** Milliseconds between two commits of a table; 10 s if it is not given. */
  readonly commitIntervalMs?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly progress: ReportProgress;
}

const commitIntervalDefaultMs = 10_000;
const readyMaxMs = 180_000;
const checkMs = 500;
const answerMaxMs = 5_000;
const tailLines = 15;
const hourMs = 3_600_000;
const heapMax = "-Xmx512m";
const mark = (directory: string): string => `-Dsluice.directory=${directory}`;

/**
 * Returns the worker's process id. Rejects with Fault `analytics.other-registry` or `analytics.not-up`, or as the local
 * servers do.
 */
export async function startWorker(options: WorkerOptions): Promise<number> {
  const { kafkaBrokers, schemaRegistryUrl, directory, commitIntervalMs = commitIntervalDefaultMs, environment = process.env } = options;
  const registryUrl = registryApi(schemaRegistryUrl);
  if (registryUrl === null) throw otherRegistry(schemaRegistryUrl);
  const { java } = await findJava(environment);
  const libs = await installWorker(options.packages, environment, options.progress);
  await stopWorker(directory);
  await mkdir(join(directory, "lake"), { recursive: true });
  await beginRecord(directory, { isOwned: false });
  await createControlTopic(kafkaBrokers);
  const [restPort = 0] = await freePorts(1);
  const place = { kafkaBrokers, registryUrl, restPort, directory, lake: lakeFolder(directory), commitIntervalMs };
  const files = await writeSettings(place);
  options.progress("starting the worker");
  const pid = await spawnWorker(java, libs, directory, files);
  await becomeReady(pid, restPort, directory);
  return pid;
}

/** Ends the worker of a directory, if it runs. Returns whether it did. */
export async function stopWorker(directory: string): Promise<boolean> {
  return (await stopRecordedProcesses(directory)).length > 0;
}

/** The folder of the catalog. */
export function lakeFolder(directory: string): string {
  return join(directory, "lake");
}

/** #3. Returns the class path. */
async function installWorker(packages: string, environment: NodeJS.ProcessEnv, progress: ReportProgress): Promise<string> {
  const pom = fileURLToPath(new URL("pom.xml", import.meta.url));
  const folder = join(
    packages,
    createHash("sha256")
      .update(await readFile(pom))
      .digest("hex")
      .slice(0, 12),
  );
  await buildFolder(packages, folder, async (into) => {
    const what = "the worker's packages";
    progress(`downloading ${what} by Maven (about 120 MB, once)`);
    await downloadPackages({ maven: await findMaven(environment), pom, into, what, environment, progress });
  });
  return join(folder, "libs", "*");
}

async function createControlTopic(kafkaBrokers: string): Promise<void> {
  const config = { "cleanup.policy": "delete", "retention.ms": String(24 * hourMs) };
  const connection = { brokers: kafkaBrokers.split(","), clientId: "sluice-analytics" };
  await provisionTopics({ connection, specs: [{ topic: controlTopic, partitions: 1, replication: 1, config }], logger: silentLogger });
}

async function writeSettings(place: Parameters<typeof workerSettings>[0]): Promise<readonly string[]> {
  const all = [
    ["worker.properties", workerSettings(place)] as const,
    ...lakeTables.map((table) => [`${connectorName(table)}.properties`, connectorSettings(table, place)] as const),
  ];
  for (const [name, settings] of all) await writeFile(join(place.directory, name), propertiesText(settings));
  return all.map(([name]) => name);
}

async function spawnWorker(java: string, libs: string, directory: string, files: readonly string[]): Promise<number> {
  const log = await open(join(directory, "worker.log"), "a");
  const flags = [
    heapMax,
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    mark(directory),
  ];
  const child = spawn(java, [...flags, "-cp", libs, "org.apache.kafka.connect.cli.ConnectStandalone", ...files], {
    cwd: directory,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  await log.close();
  const { pid } = child;
  if (pid === undefined) throw new Fault("analytics.not-up", "Java could not be started", { isRetryable: false });
  noteProcess(directory, { kind: "server", name: "worker", pid, mark: mark(directory), ports: [] });
  child.unref();
  return pid;
}

/** #2 */
async function becomeReady(pid: number, restPort: number, directory: string): Promise<void> {
  const deadlineMs = machineTime.monotonicMs() + readyMaxMs;
  const [noted] = readRecord(directory)?.processes ?? [];
  for (;;) {
    const states = await Promise.all(lakeTables.map(async (table) => connectorState(restPort, connectorName(table))));
    if (states.every((state) => state === "RUNNING")) return;
    const isGone = noted?.pid !== pid || !(await isRunning(noted));
    if (isGone || states.includes("FAILED") || machineTime.monotonicMs() > deadlineMs) break;
    await sleep(machineTime, checkMs);
  }
  const log = await readFile(join(directory, "worker.log"), "utf8");
  await stopWorker(directory);
  throw new Fault("analytics.not-up", `The worker did not come up. The end of its log:\n${log.split("\n").slice(-tailLines).join("\n")}`, {
    isRetryable: false,
  });
}

async function connectorState(restPort: number, name: string): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${restPort}/connectors/${name}/status`, { signal: AbortSignal.timeout(answerMaxMs) });
    const { connector, tasks = [] }: ConnectorStatus = JSON.parse(await answer.text());
    const states = [connector?.state ?? "", ...tasks.map(({ state }) => state)];
    if (states.includes("FAILED")) return "FAILED";
    return tasks.length === 1 && states.every((state) => state === "RUNNING") ? "RUNNING" : "STARTING";
  } catch {
    return "STARTING";
  }
}

interface ConnectorStatus {
  readonly connector?: { readonly state: string };
  readonly tasks?: readonly { readonly state: string }[];
}

function otherRegistry(url: string): Fault {
  const text = `${url} is not the Confluent-compatible address of an Apicurio registry (…/apis/ccompat/v7), which the worker's converter asks`;
  return new Fault("analytics.other-registry", text, { isRetryable: false });
}
