// What every bench stands on: servers of its own, one bank in the configuration, and services as processes.
//
// 1. The broker is always its own, so that topics hold nothing but the bench's; registry and store are local ones in memory unless the environment
//    names others.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lanesDefault, registrySerde } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
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
import { bankToken } from "./messages.ts";
import { worldConfiguration } from "../world/configuration.ts";
import type { Watched } from "./processor-time.ts";

export interface Ground {
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Broker and store, where they are its own. */
  readonly watched: Watched;
  readonly storeText: string;
  /** Resolves when it listens. */
  start(service: ServiceName): Promise<ServiceProcess>;
  /** Records in the topic. */
  appended(topic: string): Promise<number>;
}

export interface GroundOptions {
  /** Where the bank listens. */
  readonly bankUrl: string;
  readonly connections: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Where services write a profile of their processor time; null: nowhere. */
  readonly profileDirectory: string | null;
  readonly time: Time;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export const bankId = "karoo";
export const bankBranch = "250655";
/** What the bank calls with, and is called with. */
/** What is opened is closed by `opened`. */
export async function openGround(options: GroundOptions, opened: AsyncDisposableStack): Promise<Ground> {
  const { time, say, signal, profileDirectory } = options;
  const { KAFKA_BROKERS: _own, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "bench", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_bench_${time.nowMs()}`;
  await provision(servers, database);
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "bench" };
  const messaging = createKafkaMessaging({ connection, time, log: silentLog });
  opened.defer(() => messaging.close());
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, configurationOf(options, time.nowMs()));
  if (profileDirectory !== null) await mkdir(profileDirectory, { recursive: true });
  const settings = {
    ...serviceEnvironment({ servers, configurationFile, database, references: tokens }),
    ...(profileDirectory === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDirectory}` }),
  };
  const pidOf = new Map<string, number>(servers.started.map(({ name, pid }) => [name, pid]));
  return {
    messaging,
    serde,
    watched: new Map([...pidOf].filter(([name]) => name !== "registry")),
    storeText: pidOf.has("mongo") ? "the local store, in memory" : "the store given",
    start: (service) =>
      startService(service, settings, join(servers.directory, `${service}.log`), { directory: servers.directory, signal }),
    appended: (topic) => recordsIn(messaging, topic),
  };
}

const tokens = { WORLD_KAROO_TOKEN: bankToken, WORLD_CLEARING_TOKEN: bankToken };

function configurationOf({ bankUrl, connections }: GroundOptions, nowMs: number): string {
  const party = { url: bankUrl, tokens: [bankToken], sluiceToken: bankToken };
  const members = { connections, answerTimeout: "5s", allowedAddresses: ["127.0.0.0/8"] };
  const windows = [{ opens: "08:00", closes: "20:00" }];
  return worldConfiguration(
    { zone: noonZone(nowMs), creditsFinal: "clock", version: 1, windows, reconciliation: "21:00" },
    [{ ...party, id: bankId, branch: bankBranch, members }],
    { ...party, id: "clearing", tokens: ["bench of the connector"] },
  );
}

async function recordsIn(messaging: Messaging, topic: string): Promise<number> {
  const partitions = Array.from({ length: lanesDefault }, (_, partition) => ({ topic, partition }));
  const ends = await messaging.ends(partitions);
  return ends.reduce((sum, { logEnd }) => sum + Number(logEnd), 0);
}
