// Opens the environment of a release trial: servers, two simulated banks, and validator, scheduler and dispatcher as
// processes. The trial itself takes the place of ingress, because it brings in more than banks could post in the time.
//
// #1 The window is planned far ahead, so that every debit is held first. Then a later version of the calendar brings
//    its opening near, and the scheduler is started again with it: it takes over full partitions.
// #2 The store is a local one in memory with room for all debits, unless MONGO_URL names another; broker and registry
//    are always the trial's own. A local store on files was the slowest by far, because each page of a partition scans
//    every document.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRegistrySerde, partitionCountDefault, type Serde, topics } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging, type Messaging } from "@sluice/messaging";
import { silentLogger, type Time } from "@sluice/kernel";
import { createMongoStore, type Store } from "@sluice/store";
import { acknowledge, type PartyRecorder } from "@sluice/testkit";
import {
  buildReferences,
  dateIn,
  type EnvironmentBank,
  type EnvironmentDay,
  noonZone,
  openParties,
  provision,
  renderConfiguration,
  serviceEnvironment,
  type ServiceName,
  type ServiceProcess,
  startService,
  timeIn,
} from "@sluice/environment";

export interface ReleaseEnvironment {
  readonly businessDate: string;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly storeText: string;
  /** Returns how many records of the journal the scheduler has handled, and how many there are. */
  readonly progress: () => Promise<{ readonly done: number; readonly appended: number }>;
  readonly scheduler: () => ServiceProcess;
  /**
   * Starts the scheduler again with a window that opens after `delayMs`. Resolves with the instant of the opening when
   * it is ready.
   */
  openWindowIn(delayMs: number): Promise<number>;
  readonly losses: () => readonly string[];
}

export interface ReleaseEnvironmentOptions {
  readonly recorder: PartyRecorder;
  readonly time: Time;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const members = { eventsUrl: null, connections: 64, answerTimeout: "5s" };
export const releaseBanks: readonly [EnvironmentBank, EnvironmentBank] = [
  { id: "karoo", branch: "250655", members },
  { id: "baobab", branch: "250656", members },
];
/** Answers as fast as a bank at the other end of a network. */
const script = [{ reports: [] }, { answer: acknowledge({ afterMs: 5, jitterMs: 15 }) }];
/** Local times in a zone in which it is about noon. */
const farAhead = "21:00";
const closes = "22:00";
const reconciliation = "23:00";
const services = ["validator", "scheduler", "dispatcher"] as const satisfies readonly ServiceName[];

/** Opens everything; `opened` closes it. */
export async function openReleaseEnvironment(
  options: ReleaseEnvironmentOptions,
  opened: AsyncDisposableStack,
): Promise<ReleaseEnvironment> {
  const { time, say, signal } = options;
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "trial", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_trial_${time.nowMs()}`;
  await provision(servers, database);
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "trial" };
  const messaging = createKafkaMessaging({ connection, time, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const store = createMongoStore({ url: servers.mongoUrl, database, logger: silentLogger });
  opened.defer(() => store.close());
  const parties = await openParties(releaseBanks, { recorder: options.recorder, script }, opened);
  const zone = noonZone(time.nowMs());
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (version: number, opens: string): Promise<void> => {
    const day: EnvironmentDay = { zone, creditsFinal: "clock", version, windows: [{ opens, closes }], reconciliation };
    return writeFile(configurationFile, renderConfiguration(day, parties.banks(), parties.connector.access));
  };
  await configure(1, farAhead);
  const references = buildReferences([...parties.banks(), parties.connector.access]);
  const settings = serviceEnvironment({ servers, configurationFile, database, references });
  const { start, stop, scheduler, losses } = createServices(settings, servers.directory, signal);
  opened.defer(async () => void (await Promise.all(services.map(stop))));
  await Promise.all(services.map(start));
  return {
    businessDate: dateIn(zone, time.nowMs()),
    messaging,
    serde,
    progress: () => readProgress(messaging, store),
    storeText: (environment["MONGO_URL"] ?? "") === "" ? "the local store, in memory" : "the store given",
    scheduler,
    async openWindowIn(delayMs) {
      const opensAtMs = Math.ceil((time.nowMs() + delayMs) / 1_000) * 1_000;
      await configure(2, timeIn(zone, opensAtMs));
      await stop("scheduler");
      await start("scheduler");
      return opensAtMs;
    },
    losses,
  };
}

async function readProgress(messaging: Messaging, store: Store): Promise<{ readonly done: number; readonly appended: number }> {
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const [leases, ends] = await Promise.all([store.partitions.list("scheduler"), messaging.ends(partitions)]);
  const done = leases.reduce((sum, { position }) => sum + Number(position), 0);
  return { done, appended: ends.reduce((sum, { logEnd }) => sum + Number(logEnd), 0) };
}

interface Services extends Pick<ReleaseEnvironment, "scheduler" | "losses"> {
  /** Resolves when the service is ready. */
  readonly start: (name: ServiceName) => Promise<void>;
  readonly stop: (name: ServiceName) => Promise<void>;
}

/** A scheduler reads all its held debits before it is ready. */
const readyTimeoutMs = 600_000;

function createServices(settings: Readonly<Record<string, string>>, directory: string, signal: AbortSignal): Services {
  const running = new Map<ServiceName, ServiceProcess>();
  const losses: string[] = [];
  async function noteLoss(name: ServiceName, service: ServiceProcess): Promise<void> {
    const { code, signal: by } = await service.exited;
    if (running.get(name) === service) losses.push(`${name} ended by itself (${code ?? by})`);
  }
  return {
    async start(name) {
      const service = await startService(name, settings, join(directory, `${name}.log`), { directory, signal });
      running.set(name, service);
      void noteLoss(name, service);
      await service.ready(readyTimeoutMs);
    },
    async stop(name) {
      const service = running.get(name);
      running.delete(name);
      await service?.stop();
    },
    scheduler: () => running.get("scheduler") ?? missing(),
    losses: () => losses,
  };
}

function missing(): never {
  throw new Error("no scheduler is running");
}
