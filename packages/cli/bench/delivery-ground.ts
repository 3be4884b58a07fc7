// What a bench of deliveries stands on: servers of its own, the sink, and a configuration with one bank that has the sink's address.
//
// 1. Broker and registry are always its own, so that topics hold nothing but the bench's; the store is a local one in memory unless MONGO_URL names another.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lanesDefault, registrySerde, topics } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { noonZone } from "../demo/noon-zone.ts";
import { startService } from "../processes.ts";
import type { ServiceName, ServiceProcess } from "../processes.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { worldConfiguration } from "../world/configuration.ts";
import { bankId } from "./delivery-feed.ts";
import type { FeedPorts } from "./delivery-feed.ts";
import { startOwnProcess } from "./own-process.ts";
import type { Watched } from "./processor-time.ts";

export interface Sink {
  readonly origin: string;
  heard(): Promise<{ readonly count: number; readonly tookMs: number }>;
  ids(): Promise<readonly string[]>;
  forget(): Promise<void>;
}

export interface DeliveryGround extends Omit<FeedPorts, "nowMs"> {
  readonly sink: Sink;
  /** Broker, store and sink. */
  readonly watched: Watched;
  readonly storeText: string;
  /** Resolves when it listens. */
  start(service: ServiceName): Promise<ServiceProcess>;
  /** Records in the topic. */
  appended(topic: string): Promise<number>;
}

export interface DeliveryGroundOptions {
  readonly connections: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Where services write a profile of their processor time; null: nowhere. */
  readonly profileDirectory: string | null;
  readonly time: Time;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** What is opened is closed by `opened`. */
export async function openDeliveryGround(options: DeliveryGroundOptions, opened: AsyncDisposableStack): Promise<DeliveryGround> {
  const { time, say, signal, profileDirectory } = options;
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "bench", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_bench_${time.nowMs()}`;
  await provision(servers, database);
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "bench" };
  const messaging = createKafkaMessaging({ connection, time, log: silentLog });
  opened.defer(() => messaging.close());
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const sink = await openSink(opened);
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, configurationOf(sink.origin, options.connections, time.nowMs()));
  if (profileDirectory !== null) await mkdir(profileDirectory, { recursive: true });
  const settings = {
    ...serviceEnvironment({ servers, configurationFile, database, references: tokens }),
    ...(profileDirectory === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDirectory}` }),
  };
  const pidOf = new Map<string, number>(servers.started.map(({ name, pid }) => [name, pid]));
  return {
    messaging,
    serde,
    sink,
    watched: new Map([...[...pidOf].filter(([name]) => name !== "registry"), ["sink", sink.pid]]),
    storeText: pidOf.has("mongo") ? "the local store, in memory" : "the store given",
    start: (service) =>
      startService(service, settings, join(servers.directory, `${service}.log`), { directory: servers.directory, signal }),
    appended: (topic) => recordsIn(messaging, topic),
  };
}

const tokens = { WORLD_KAROO_TOKEN: "bench", WORLD_CLEARING_TOKEN: "bench" };

function configurationOf(origin: string, connections: number, nowMs: number): string {
  const party = { url: origin, tokens: ["bench"], sluiceToken: "bench" };
  const members = { connections, answerTimeout: "5s", allowedAddresses: ["127.0.0.0/8"] };
  return worldConfiguration(
    {
      zone: noonZone(nowMs),
      creditsFinal: "clock",
      version: 1,
      windows: [{ opens: "08:00", closes: "20:00" }],
      reconciliation: "21:00",
    },
    [{ ...party, id: bankId, branch: "250655", members }],
    { ...party, id: "clearing", tokens: ["bench of the connector"] },
  );
}

async function openSink(opened: AsyncDisposableStack): Promise<Sink & { readonly pid: number }> {
  const child = startOwnProcess(new URL("./sink-process.ts", import.meta.url), []);
  opened.defer(() => child.stop());
  const origin = `http://127.0.0.1:${numberIn(await child.line(), "port")}`;
  const ask = async (method: string): Promise<unknown> => {
    const answer = await fetch(origin, { method });
    const text = await answer.text();
    return text === "" ? null : JSON.parse(text);
  };
  return {
    pid: child.pid,
    origin,
    async heard() {
      const said = await ask("GET");
      return { count: numberIn(said, "count"), tookMs: numberIn(said, "tookMs") };
    },
    async ids() {
      const said = await ask("PUT");
      return Array.isArray(said) ? said.map(String) : [];
    },
    async forget() {
      await ask("DELETE");
    },
  };
}

export function numberIn(said: unknown, name: string): number {
  if (typeof said !== "object" || said === null) throw new Error(`a process of the bench did not say its ${name}`);
  const value: unknown = Reflect.get(said, name);
  if (typeof value !== "number") throw new Error(`a process of the bench did not say its ${name}`);
  return value;
}

async function recordsIn(messaging: Messaging, topic: string): Promise<number> {
  const partitions = Array.from({ length: lanesDefault }, (_, partition) => ({ topic, partition }));
  const ends = await messaging.ends(partitions);
  return ends.reduce((sum, { logEnd }) => sum + Number(logEnd), 0);
}

export const receiptsTopic = topics.receipts;
