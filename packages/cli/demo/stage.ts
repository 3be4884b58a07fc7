// Everything that a demo day is played on: servers, topics, simulated banks, configuration, services, and the demo's own eyes (store and log).
//
// #1 What is opened is closed, in reverse, also when opening fails half-way or is interrupted.
// #2 The demo plays a whole business day, so it needs a journal that is empty: servers that it starts have one, given ones are asked.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lanesDefault, registrySerde, topics, type Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { Fault, type Random, type Time } from "@sluice/runtime";
import { createMongoStore, type Store } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import {
  createMemoryRecorder,
  startBankSimulator,
  startConnectorSimulator,
  type BankSimulator,
  type ConnectorSimulator,
  type MemoryRecorder,
} from "@sluice/testkit";
import { demoConfiguration, type DemoBankAccess, type DemoConnectorAccess, type DemoOperator } from "./demo-configuration.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { connectorId, planDemoTimes, type DemoDay, type DemoPace, type DemoTimes } from "./demo-day.ts";
import { startDemoServices, type DemoServices } from "./demo-services.ts";
import { slowedDown } from "./pace.ts";
import type { Narrator } from "./narrator.ts";
import { serviceNames } from "../processes.ts";

export interface StageOptions {
  readonly time: Time;
  readonly random: Random;
  readonly narrator: Narrator;
  readonly day: DemoDay;
  readonly pace: DemoPace;
  /** For data and logs; null: one that is removed at the end. */
  readonly directory: string | null;
  /** Where addresses of servers are looked for; not given: our own. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface Stage extends AsyncDisposable {
  readonly directory: string;
  readonly kafkaBrokers: string;
  readonly times: DemoTimes;
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly connector: ConnectorSimulator;
  readonly recorded: MemoryRecorder;
  readonly services: DemoServices;
  /** Where operators ask and decide. */
  readonly controlUrl: string;
  /** Two people, each with a token. */
  readonly operators: readonly DemoOperator[];
  readonly store: Store;
  readonly messaging: Messaging;
  readonly serde: Serde;
}

const host = "127.0.0.1";
/** A bank would wait for a minute; the demo's day has no minute. */
const slowRepeatMs = 2_000;

export async function openStage(options: StageOptions): Promise<Stage> {
  const { time, narrator, signal } = options;
  await using opened = new AsyncDisposableStack();
  const progress = (text: string): void => narrator.say("servers", text);
  const servers = await startServers({
    storage: "memory",
    purpose: "demo",
    progress,
    ...(options.directory === null ? {} : { directory: options.directory }),
    ...(options.environment === undefined ? {} : { environment: options.environment }),
  });
  opened.defer(() => servers.stop());
  signal.throwIfAborted();
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "demo" };
  const messaging = createKafkaMessaging({ connection, time, log: silentLog });
  opened.defer(() => messaging.close());
  const database = `sluice_demo_${time.nowMs()}`;
  const provisioningMs = await timed(time, () => provision(servers, database));
  await requireEmptyJournal(messaging);
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const store = createMongoStore({ url: servers.mongoUrl, database, log: silentLog });
  opened.defer(() => store.close());
  const recorded = createMemoryRecorder();
  const access = await openBanks(options, recorded, opened);
  const clearing = await openConnector(options, recorded, opened);
  signal.throwIfAborted();
  // From here on the clock of the day runs.
  const times = planDemoTimes(time.nowMs(), slowedDown(options.pace, provisioningMs));
  const operators = peopleOf(options.random);
  const parties = { banks: access, connector: clearing, operators };
  const { yaml, environment: references } = demoConfiguration(times, parties, time.nowMs());
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, yaml);
  narrator.say("services", `start: ${serviceNames.join(", ")}`);
  const environment = serviceEnvironment({ servers, configurationFile, database, references });
  const services = await startDemoServices({ environment, directory: servers.directory, signal });
  opened.defer(() => services.stop());
  const banks = new Map(access.map(({ simulator }) => [simulator.bankId, simulator]));
  for (const party of [...banks.values(), clearing.simulator]) party.callAt(services.ingressUrl);
  narrator.say("services", `are ready; ingress listens on ${services.ingressUrl}`);
  const owned = opened.move();
  const close = (): Promise<void> => owned.disposeAsync();
  const { directory, kafkaBrokers } = servers;
  const connector = clearing.simulator;
  const opensUp = { directory, kafkaBrokers, times, banks, connector, recorded, services, operators, store, messaging, serde };
  const { controlUrl } = services;
  return { ...opensUp, controlUrl, [Symbol.asyncDispose]: close };
}

function peopleOf(random: Random): readonly DemoOperator[] {
  return [
    { id: "thandi", name: "Thandi", roles: ["read", "act"], token: random.hex(24) },
    { id: "sipho", name: "Sipho", roles: ["read", "approve"], token: random.hex(24) },
  ];
}

async function timed(time: Time, work: () => Promise<void>): Promise<number> {
  const startedMs = time.monotonicMs();
  await work();
  return time.monotonicMs() - startedMs;
}

interface BankOnStage extends DemoBankAccess {
  readonly simulator: BankSimulator;
}

async function openBanks(options: StageOptions, recorded: MemoryRecorder, opened: AsyncDisposableStack): Promise<readonly BankOnStage[]> {
  const { time, random, day, narrator } = options;
  const banks: BankOnStage[] = [];
  for (const bank of day.banks) {
    const token = random.hex(24);
    const sluiceToken = random.hex(24);
    const simulator = await startBankSimulator({
      time,
      random,
      bankId: bank.id,
      token,
      expectedToken: sluiceToken,
      ingressUrl: null,
      host,
      port: 0,
      script: bank.script,
      slowRepeatMs,
      recorder: narrator.recorder(day, recorded),
    });
    opened.defer(() => simulator.stop());
    banks.push({ ...bank, url: simulator.url, token, sluiceToken, simulator });
  }
  return banks;
}

async function openConnector(
  { time, random, day, narrator }: StageOptions,
  recorded: MemoryRecorder,
  opened: AsyncDisposableStack,
): Promise<DemoConnectorAccess & { readonly simulator: ConnectorSimulator }> {
  const token = random.hex(24);
  const sluiceToken = random.hex(24);
  const recorder = narrator.recorder(day, recorded);
  const common = { time, random, token, expectedToken: sluiceToken, ingressUrl: null, host, port: 0, slowRepeatMs, recorder };
  const simulator = await startConnectorSimulator({ ...common, connectorId });
  opened.defer(() => simulator.stop());
  return { id: connectorId, url: simulator.url, token, sluiceToken, simulator };
}

async function requireEmptyJournal(messaging: Messaging): Promise<void> {
  const lanes = Array.from({ length: lanesDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const ends = await messaging.ends(lanes);
  if (ends.every(({ logEnd }) => logEnd === 0n)) return;
  const text = `${topics.journal} holds records: the demo plays a whole business day and needs an empty log. Unset KAFKA_BROKERS to let it start its own.`;
  throw new Fault("demo.journal-in-use", text, { isRetryable: false });
}
