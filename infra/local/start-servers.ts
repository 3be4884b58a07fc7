// Starts Kafka, the schema registry and a MongoDB-compatible server for demo, up, tests, benches and trials. No other
// code starts them.
//
// #1 Addresses in the environment win: they are used unchanged, and only the other servers are started.
// #2 All servers listen on the loopback address only, on ports that were free; a port that another process took is
//    replaced.
// #3 They start at the same time. If one does not become ready the others are stopped, and its reason is thrown.
// #4 Data and logs are their owner's alone: messages lie in them in clear. The folder of all of them is closed to
//    others, because the servers make their files as they like.
// #5 `stop` leaves nothing running. The next run ends what a killed run left behind (`running-record.ts`).

import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/kernel";
import { freePorts } from "./free-ports.ts";
import { installServers } from "./install.ts";
import { findJava, type JavaTools } from "./java-tools.ts";
import type { ReportProgress } from "./maven-packages.ts";
import { beginRecord, makeRunDirectory, noteProcess, readRecord, stopRecordedProcesses } from "./running-record.ts";
import { kafkaServer } from "./servers/kafka-server.ts";
import { mongoServer } from "./servers/mongo-server.ts";
import { registryServer } from "./servers/registry-server.ts";
import type { Installed, ServerKind, ServerName, Storage } from "./servers/server-kind.ts";
import { directoryMark, type ServerProcess, startServer } from "./servers/server-process.ts";

export interface ServersOptions {
  /** Directory for data, logs and records; default: a new one for this run, removed at `stop`. */
  readonly directory?: string;
  /** `memory` is fast and lost at the end; `file` is kept in `directory`. Kafka always writes files. */
  readonly storage: Storage;
  /** True for many documents and much work: the store may use 8 GiB, and Java compiles fully. */
  readonly isForLoad?: boolean;
  /** Purpose of the run, which becomes part of its directory's name. */
  readonly purpose?: string;
  /** True: the servers outlive this process, and `stopRecordedProcesses(directory)` ends them. */
  readonly isDetached?: boolean;
  /** Started instead of the plain servers of the same names. */
  readonly secured?: readonly ServerKind[];
  readonly progress?: ReportProgress;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface ServerAddresses {
  /** One or more host:port, separated by commas. */
  readonly kafkaBrokers: string;
  /** Base address of the Confluent-compatible API. */
  readonly schemaRegistryUrl: string;
  /** Empty: its address is in the file that MONGO_URL_FILE names. */
  readonly mongoUrl: string;
}

export interface Servers extends ServerAddresses {
  /** Servers that were started here, with their process ids. */
  readonly started: readonly { readonly name: ServerName; readonly pid: number }[];
  readonly directory: string;
  /** Stops the servers that were started here. Idempotent. */
  stop(): Promise<void>;
}

const workFolder = fileURLToPath(new URL("../../.sluice/", import.meta.url));
const portAttemptsMax = 3;
const privateMode = 0o700;

const kinds = [
  { kind: kafkaServer, variable: "KAFKA_BROKERS", isGivenBy: ["KAFKA_BROKERS"] },
  { kind: registryServer, variable: "SCHEMA_REGISTRY_URL", isGivenBy: ["SCHEMA_REGISTRY_URL"] },
  // The services read the address from the file, because it may hold a password.
  { kind: mongoServer, variable: "MONGO_URL", isGivenBy: ["MONGO_URL", "MONGO_URL_FILE"] },
] as const;

/** Throws Fault `servers.missing-tools`, `servers.not-installed` or `servers.not-up`, each with a text for a person. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { environment = process.env, progress = () => {} } = options;
  const given = new Map(kinds.map(({ kind, variable }) => [kind.name, environment[variable] ?? ""]));
  const isGiven = (name: string): boolean => (environment[name] ?? "") !== "";
  const missing = kinds.filter(({ isGivenBy }) => !isGivenBy.some(isGiven)).map(({ kind }) => kind);
  const needed = missing.map((kind) => options.secured?.find(({ name }) => name === kind.name) ?? kind);
  const directory = options.directory ?? (await makeRunDirectory(join(workFolder, "run"), options.purpose ?? "servers"));
  await makePrivateDirectory(directory);
  const previousPorts = new Map(readRecord(directory)?.processes.map(({ name, ports }) => [name, ports]));
  await stopRecordedProcesses(directory);
  await beginRecord(directory, { isOwned: options.isDetached !== true });
  const running = needed.length === 0 ? [] : await startAll(needed, { ...options, directory, environment, progress, previousPorts });
  const addresses = new Map(running.map(({ name, address }) => [name, address]));
  const findAddress = (name: ServerName): string => addresses.get(name) ?? given.get(name) ?? "";
  let stopping: Promise<void> | null = null;
  return {
    kafkaBrokers: findAddress("kafka"),
    schemaRegistryUrl: findAddress("registry"),
    mongoUrl: findAddress("mongo"),
    started: running.map(({ name, pid }) => ({ name, pid })),
    directory,
    stop() {
      stopping ??= stopAll(running, options.directory === undefined ? directory : null);
      return stopping;
    },
  };
}

/** #4: a folder that another run made is closed too. */
async function makePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateMode });
  await chmod(directory, privateMode);
}

interface StartContext {
  readonly directory: string;
  readonly storage: Storage;
  readonly isForLoad?: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: ReportProgress;
  readonly previousPorts: ReadonlyMap<string, readonly number[]>;
}

async function startAll(needed: readonly ServerKind[], context: StartContext): Promise<readonly ServerProcess[]> {
  const { progress } = context;
  const tools = await findJava(context.environment);
  const installed = await installServers(join(workFolder, "java"), tools, context.environment, progress);
  progress(`starting ${needed.map(({ name }) => name).join(", ")}`);
  const running: ServerProcess[] = [];
  const results = await Promise.allSettled(
    needed.map(async (kind) => {
      const server = await startOne(kind, tools, installed, context);
      running.push(server);
      progress(`${kind.name} answers on ${server.address}`);
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return running;
  await Promise.all(running.map((server) => server.stop()));
  throw failed.reason;
}

async function startOne(kind: ServerKind, tools: JavaTools, installed: Installed, context: StartContext): Promise<ServerProcess> {
  const { directory, storage, isForLoad = false } = context;
  for (let attempt = 1; ; attempt += 1) {
    const wanted = attempt === 1 ? context.previousPorts.get(kind.name) : [];
    const ports = await freePorts(kind.ports, wanted);
    try {
      return await startServer(kind, tools, { installed, directory, storage, isForLoad, ports }, (pid) => {
        noteProcess(directory, { kind: "server", name: kind.name, pid, mark: `${directoryMark}${directory}`, ports });
      });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "servers.port-taken" || attempt === portAttemptsMax) throw error;
      context.progress(`${kind.name} lost its port to another process and takes a new one`);
    }
  }
}

async function stopAll(running: readonly ServerProcess[], removable: string | null): Promise<void> {
  await Promise.all(running.map((server) => server.stop()));
  if (removable !== null) await rm(removable, { recursive: true, force: true });
}
