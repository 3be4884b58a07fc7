// Opens the environment of a demo day: servers, topics, simulated parties, configuration and services, and the demo's
// own clients of store and broker.
//
// #1 Everything that is opened is closed in reverse order, also when opening fails half-way or is interrupted.
// #2 The demo plays a whole business day, so it needs an empty journal. Servers that it starts have one; given servers
//    are checked.

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kafkaSettings, readEnvironment, registrySettings, settingNames } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde, topics, type Serde } from "@sluice/contracts";
import { freePorts, startServers } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { Fault, type Random, silentLogger, type Time } from "@sluice/kernel";
import { createDataKeys, createSealingSerde, type KeyService, openKeyring } from "@sluice/secrecy";
import type { Store } from "@sluice/store";
import { createMemoryRecorder, type BankSimulator, type ConnectorSimulator, type MemoryRecorder } from "@sluice/testkit";
import { demoConfiguration, type DemoOperator } from "./configuration.ts";
import { openSignIn } from "./sign-in.ts";
import { createOperators, openBanks, openConnector } from "./parties.ts";
import { prepareSecured, provision, type Secured, serviceEnvironment, serviceNames } from "@sluice/environment";
import { kafkaConnection, registryConnection } from "@sluice/process";
import { openStore, storeVariables } from "@sluice/process/store";
import { planDemoTimes, type DemoDay, type DemoPace, type DemoTimes } from "../plan/day.ts";
import { startDemoServices, type DemoServices } from "./services.ts";
import { slowedDown } from "../plan/pace.ts";
import type { Narrator } from "../narrator.ts";
import { createOperatorDesk, type OperatorDesk } from "../play/operator-desk.ts";

export interface DemoEnvironmentOptions {
  readonly time: Time;
  readonly random: Random;
  readonly narrator: Narrator;
  readonly day: DemoDay;
  readonly pace: DemoPace;
  /** Folder for data and logs; null for one that is removed at the end. */
  readonly directory: string | null;
  /** Environment variables that may name servers; the process's own by default. */
  readonly environment?: NodeJS.ProcessEnv;
  /** With TLS, logins, rights and sealed personal data; false by default. */
  readonly isSecured?: boolean;
  readonly signal: AbortSignal;
}

export interface DemoEnvironment extends AsyncDisposable {
  readonly directory: string;
  /** Settings with which a client reaches Kafka and the store, by their names; none: all is in memory. */
  readonly connections: Readonly<Record<string, string>>;
  readonly times: DemoTimes;
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly connector: ConnectorSimulator;
  readonly recorded: MemoryRecorder;
  readonly services: DemoServices;
  /** Address of the control API. */
  readonly controlUrl: string;
  /** Where operators sign in and decide by the pages; null: there is no provider, and they decide by their tokens. */
  readonly desk: OperatorDesk | null;
  /** Two operators, each with a token. */
  readonly operators: readonly DemoOperator[];
  readonly store: Store;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** What personal data is sealed with; null: it is not sealed. */
  readonly sealing: { readonly keyService: KeyService; readonly keyringFolder: string; readonly clear: Serde } | null;
}

export async function openDemoEnvironment(options: DemoEnvironmentOptions): Promise<DemoEnvironment> {
  const { time, narrator, signal } = options;
  await using opened = new AsyncDisposableStack();
  const progress = (text: string): void => narrator.say("servers", text);
  const folder = options.isSecured === true ? await openSecretFolder(opened) : null;
  const database = `sluice_demo_${time.nowMs()}`;
  const secured = folder === null ? null : openSecured(folder, database);
  const keyringFolder = folder === null ? null : join(folder, "keyring");
  const servers = await startServers({
    storage: "memory",
    purpose: "demo",
    progress,
    ...(secured === null ? {} : { secured: secured.servers }),
    ...(options.directory === null ? {} : { directory: options.directory }),
    ...(options.environment === undefined ? {} : { environment: options.environment }),
  });
  opened.defer(() => servers.stop());
  signal.throwIfAborted();
  const addresses = {
    KAFKA_BROKERS: servers.kafkaBrokers,
    SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    MONGO_URL: servers.mongoUrl,
    SLUICE_DATABASE: database,
  };
  const connections = { ...addresses, ...secured?.connectionsTo(servers.started) };
  const clientOptions = { time, logger: silentLogger, opened };
  const given = { ...options.environment, ...connections };
  const connection = await kafkaConnection("demo", readEnvironment(given, settingNames(kafkaSettings)), clientOptions);
  const messaging = createKafkaMessaging({ connection, time, logger: silentLogger });
  opened.defer(() => messaging.close());
  const provisioningMs = await timed(time, () =>
    provision(
      servers,
      database,
      secured === null ? {} : { principalOf: secured.principalOf, environment: { ...process.env, ...connections } },
    ),
  );
  await requireEmptyJournal(messaging);
  const registry = await registryConnection(readEnvironment(given, settingNames(registrySettings)), clientOptions);
  const clear = await createRegistrySerde({ ...registry, time, signal });
  const sealing = keyringFolder === null ? null : { keyService: openKeyring(keyringFolder, options.random), keyringFolder, clear };
  const keys = sealing === null ? null : createDataKeys({ service: sealing.keyService, time });
  const serde = keys === null ? clear : createSealingSerde({ serde: clear, keys });
  const store = await openStore(readEnvironment(given, storeVariables), clientOptions);
  const recorded = createMemoryRecorder();
  const access = await openBanks(options, recorded, opened);
  const clearing = await openConnector(options, recorded, opened);
  signal.throwIfAborted();
  // The times of the day count from here on.
  const times = planDemoTimes(time.nowMs(), slowedDown(options.pace, provisioningMs));
  const operators = createOperators(options.random);
  const parties = { banks: access, connector: clearing, operators };
  const consoleKey = generateKeyPairSync("ed25519");
  const keyFile = join(servers.directory, "operator-key.pem");
  await writeFile(keyFile, consoleKey.privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  const publicKey = consoleKey.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const [controlPort = 0] = await freePorts(1);
  const place = folder === null || secured === null ? null : { folder, secured, consolePort: controlPort, operators };
  const signIn = place === null ? null : await openSignIn(place, opened);
  const secrecy = { consoleKey: publicKey, isSealed: secured !== null, signIn };
  const { yaml, environment: references } = demoConfiguration(times, parties, time.nowMs(), secrecy);
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, yaml);
  narrator.say("services", `start: ${serviceNames.join(", ")}`);
  const environment = {
    ...serviceEnvironment({ servers, configurationFile, database, references, controlPort }),
    SLUICE_OPERATOR_KEY_FILE: keyFile,
    ...(keyringFolder === null ? {} : { SLUICE_KEYRING_FOLDER: keyringFolder }),
  };
  const security = secured === null ? null : { settingsOf: (service: string) => secured.settingsOf(service, servers.started) };
  const services = await startDemoServices({ environment, secured: security, directory: servers.directory, signal });
  opened.defer(() => services.stop());
  const banks = new Map(access.map(({ simulator }) => [simulator.bankId, simulator]));
  for (const party of [...banks.values(), clearing.simulator]) party.setIngressUrl(services.ingressUrl);
  narrator.say("services", `are ready; ingress listens on ${services.ingressUrl}`);
  const owned = opened.move();
  const close = (): Promise<void> => owned.disposeAsync();
  const { directory } = servers;
  const connector = clearing.simulator;
  const desk = signIn === null ? null : createOperatorDesk(signIn.origin, time);
  const parts = { directory, connections, desk, times, banks, connector, recorded, services, operators, store, messaging, serde, sealing };
  const { controlUrl } = services;
  return { ...parts, controlUrl, [Symbol.asyncDispose]: close };
}

async function openSecretFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-demo-"));
  opened.defer(() => rm(folder, { recursive: true }));
  return folder;
}

/** The clients of the demo, which are banks and operators too, trust its authority. */
function openSecured(folder: string, database: string): Secured {
  const secured = prepareSecured(folder, database);
  secured.trust();
  return secured;
}

async function timed(time: Time, work: () => Promise<void>): Promise<number> {
  const startedMs = time.monotonicMs();
  await work();
  return time.monotonicMs() - startedMs;
}

async function requireEmptyJournal(messaging: Messaging): Promise<void> {
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const ends = await messaging.ends(partitions);
  if (ends.every(({ logEnd }) => logEnd === 0n)) return;
  const text = `${topics.journal} holds records: the demo plays a whole business day and needs an empty journal. Unset KAFKA_BROKERS to let it start its own.`;
  throw new Fault("demo.journal-in-use", text, { isRetryable: false });
}
