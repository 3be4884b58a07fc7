// Kafka, the schema registry and a MongoDB-compatible server for demo, up, tests, bench and chaos: the one place that owns them.
//
// 1. Addresses given in the environment win: what is given is used as it is, only the rest is started.
// 2. All listen on the loopback address alone, on ports that were free; a port lost to another process is chosen anew.
// 3. They start at the same time. If one does not come up, the others are stopped and the reason is thrown.
// 4. `stop` leaves nothing running. What a killed run left behind is ended by the next (`running-record.ts`).

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "@sluice/runtime";
import { freePorts } from "./free-ports.ts";
import { install } from "./install.ts";
import type { Installed, Progress } from "./install.ts";
import { findJava } from "./java-tools.ts";
import type { JavaTools } from "./java-tools.ts";
import { kafkaServer } from "./kafka-server.ts";
import { mongoServer } from "./mongo-server.ts";
import { registryServer } from "./registry-server.ts";
import { beginRecord, makeRunDirectory, noteProcess, readRecord, stopRecorded } from "./running-record.ts";
import { directoryMark, startServer } from "./server-process.ts";
import type { ServerKind, ServerName, ServerProcess, Storage } from "./server-process.ts";

export interface ServersOptions {
  /** For data, logs and notes. Not given: a new one for this run, removed at `stop`. */
  readonly directory?: string;
  /** memory: fast, and gone at the end. file: kept in `directory`. (Kafka always writes files.) */
  readonly storage: Storage;
  /** Many documents and much work: the store may take 8 GiB, and Java takes its time to compile well. */
  readonly isForLoad?: boolean;
  /** What the run is for, in the name of its own directory. */
  readonly purpose?: string;
  /** The servers outlive this process; `stopRecorded(directory)` ends them. */
  readonly isDetached?: boolean;
  readonly progress?: Progress;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface ServerAddresses {
  /** host:port, several separated by commas. */
  readonly kafkaBrokers: string;
  /** Base address of the Confluent-compatible API. */
  readonly schemaRegistryUrl: string;
  readonly mongoUrl: string;
}

export interface Servers extends ServerAddresses {
  /** Those that were started here, with their process ids. */
  readonly started: readonly { readonly name: ServerName; readonly pid: number }[];
  readonly directory: string;
  /** Idempotent. */
  stop(): Promise<void>;
}

const workFolder = fileURLToPath(new URL("../../.sluice/", import.meta.url));
const portAttemptsMax = 3;

const kinds = [
  { kind: kafkaServer, variable: "KAFKA_BROKERS" },
  { kind: registryServer, variable: "SCHEMA_REGISTRY_URL" },
  { kind: mongoServer, variable: "MONGO_URL" },
] as const;

/** Throws Fault `servers.missing-tools`, `servers.not-installed` or `servers.not-up`, each with a text for a person. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { environment = process.env, progress = () => {} } = options;
  const given = new Map(kinds.map(({ kind, variable }) => [kind.name, environment[variable] ?? ""]));
  const needed = kinds.map(({ kind }) => kind).filter(({ name }) => given.get(name) === "");
  const directory = options.directory ?? (await makeRunDirectory(join(workFolder, "run"), options.purpose ?? "servers"));
  await mkdir(directory, { recursive: true });
  const previousPorts = new Map(readRecord(directory)?.processes.map(({ name, ports }) => [name, ports]));
  await stopRecorded(directory);
  await beginRecord(directory, { isOwned: options.isDetached !== true });
  const running = needed.length === 0 ? [] : await startAll(needed, { ...options, directory, environment, progress, previousPorts });
  const addresses = new Map(running.map(({ name, address }) => [name, address]));
  const addressOf = (name: ServerName): string => addresses.get(name) ?? given.get(name) ?? "";
  let stopping: Promise<void> | null = null;
  return {
    kafkaBrokers: addressOf("kafka"),
    schemaRegistryUrl: addressOf("registry"),
    mongoUrl: addressOf("mongo"),
    started: running.map(({ name, pid }) => ({ name, pid })),
    directory,
    stop() {
      stopping ??= stopAll(running, options.directory === undefined ? directory : null);
      return stopping;
    },
  };
}

interface StartContext {
  readonly directory: string;
  readonly storage: Storage;
  readonly isForLoad?: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly previousPorts: ReadonlyMap<string, readonly number[]>;
}

async function startAll(needed: readonly ServerKind[], context: StartContext): Promise<readonly ServerProcess[]> {
  const { progress } = context;
  const tools = await findJava(context.environment);
  const installed = await install(join(workFolder, "java"), tools, context.environment, progress);
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
