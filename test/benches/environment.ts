// Opens the environment of a bench: servers, a configuration with one bank, and services as processes.
//
// #1 The broker is always the bench's own, so that the topics hold nothing else. Registry and store are local ones in
//    memory unless the environment names others.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRegistrySerde, partitionCountDefault, type Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { silentLogger, type Time } from "@sluice/kernel";
import {
  buildReferences,
  type EnvironmentOperator,
  noonZone,
  type PartyAccess,
  provision,
  renderConfiguration,
  serviceEnvironment,
  type ServiceName,
  type ServiceProcess,
  startService,
} from "@sluice/environment";
import { bankToken } from "./messages.ts";
import type { WatchedProcesses } from "./processor-time.ts";

export interface BenchEnvironment {
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Broker and store, if they are the bench's own. */
  readonly watched: WatchedProcesses;
  readonly storeText: string;
  /** Variables with which a service reaches the servers and its configuration. */
  readonly settings: Readonly<Record<string, string>>;
  /** Folder of this run, which is removed with it. */
  readonly directory: string;
  /** Starts a service, with more settings if there are any; resolves when it listens. */
  start(service: ServiceName, more?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  /** Returns the number of records in the topic. */
  appended(topic: string): Promise<number>;
  /** The zone of the configuration's times, in which it is about noon. */
  readonly zone: string;
  /** Prepares a store of its own; returns the settings with which a service uses it. */
  prepareStore(): Promise<Readonly<Record<string, string>>>;
  /** Writes the configuration with another window, for services that start from then on. */
  planWindow(window: BenchWindow): Promise<void>;
}

/** Local times, such as `08:00`. */
interface BenchWindow {
  readonly opens: string;
  readonly closes: string;
}

/** A bank beside the one that is measured. */
export interface BenchBank {
  readonly id: string;
  readonly branch: string;
  readonly url: string;
}

export interface BenchEnvironmentOptions {
  /** By default it is open all the time. */
  readonly window?: BenchWindow;
  readonly moreBanks?: readonly BenchBank[];
  /** Nobody by default. */
  readonly operators?: readonly EnvironmentOperator[];
  /** Address on which the bank listens. */
  readonly bankUrl: string;
  readonly connections: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Folder for processor profiles of the services; null for none. */
  readonly profileDirectory: string | null;
  readonly time: Time;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export const bankId = "karoo";
export const bankBranch = "250655";
/** Opens everything; `opened` closes it. */
export async function openBenchEnvironment(options: BenchEnvironmentOptions, opened: AsyncDisposableStack): Promise<BenchEnvironment> {
  const { time, say, signal, profileDirectory } = options;
  const { KAFKA_BROKERS: _own, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "bench", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_bench_${time.nowMs()}`;
  await provision(servers, database);
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "bench" };
  const messaging = createKafkaMessaging({ connection, time, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const configurationFile = join(servers.directory, "sluice.yaml");
  const zone = noonZone(time.nowMs());
  const configure = (version: number, window: BenchWindow): Promise<void> =>
    writeFile(configurationFile, buildConfiguration(options, { zone, version, window }));
  await configure(1, options.window ?? openAllDay);
  let [databases, versions] = [0, 1];
  if (profileDirectory !== null) await mkdir(profileDirectory, { recursive: true });
  const settings = {
    ...serviceEnvironment({ servers, configurationFile, database, references: buildReferences(listParties(options)) }),
    ...(profileDirectory === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDirectory}` }),
  };
  const pids = new Map<string, number>(servers.started.map(({ name, pid }) => [name, pid]));
  return {
    messaging,
    serde,
    watched: new Map([...pids].filter(([name]) => name !== "registry")),
    storeText: pids.has("mongo") ? "the local store, in memory" : "the store given",
    settings,
    directory: servers.directory,
    start: (service, more = {}) =>
      startService(service, { ...settings, ...more }, join(servers.directory, `${service}.log`), { directory: servers.directory, signal }),
    appended: (topic) => countRecords(messaging, topic),
    zone,
    async prepareStore() {
      databases += 1;
      const own = `${database}_${databases}`;
      await provision(servers, own);
      return { SLUICE_DATABASE: own };
    },
    planWindow: (window) => configure((versions += 1), window),
  };
}

const clearing = "clearing";
const openAllDay: BenchWindow = { opens: "08:00", closes: "20:00" };

function listParties({ bankUrl, moreBanks = [] }: BenchEnvironmentOptions): readonly PartyAccess[] {
  const party = { url: bankUrl, tokens: [bankToken], sluiceToken: bankToken };
  const more = moreBanks.map(({ id, url }) => ({ ...party, id, url, tokens: [`bench of ${id}`] }));
  return [{ ...party, id: bankId }, ...more, { ...party, id: clearing, tokens: ["bench of the connector"] }];
}

interface BenchDay {
  readonly zone: string;
  readonly version: number;
  readonly window: BenchWindow;
}

function buildConfiguration(options: BenchEnvironmentOptions, { zone, version, window }: BenchDay): string {
  const { connections, moreBanks = [] } = options;
  const members = { connections, answerTimeout: "5s", allowedAddresses: ["127.0.0.0/8"] };
  const branches = new Map([[bankId, bankBranch], ...moreBanks.map(({ id, branch }) => [id, branch] as const)]);
  const parties = listParties(options);
  const banks = parties.filter(({ id }) => id !== clearing).map((party) => ({ ...party, branch: branches.get(party.id) ?? "", members }));
  const day = { zone, creditsFinal: "clock", version, windows: [window], reconciliation: "23:00" } as const;
  const [connector] = parties.filter(({ id }) => id === clearing);
  if (connector === undefined) throw new Error("the bench has a connector");
  return renderConfiguration(day, banks, connector, options.operators);
}

async function countRecords(messaging: Messaging, topic: string): Promise<number> {
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic, partition }));
  const ends = await messaging.ends(partitions);
  return ends.reduce((sum, { logEnd }) => sum + Number(logEnd), 0);
}
