// What a trial of releases is played on: servers, two simulated banks, and validator, scheduler and dispatcher as processes. The trial itself takes
// the place of ingress, to bring in more than banks could post in that time.
//
// 1. The window is planned far ahead, so that everything is held first. Then a later version of the calendar brings its opening near, and the
//    scheduler is started again with it: it takes over lanes that are full.
// 2. The store is a local one in memory, with room for all of it, unless MONGO_URL names another; broker and registry are always the trial's own.
//    (On files it was the slowest by far: each page of a lane is a look at every document.)

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lanesDefault, registrySerde, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import type { Store } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { acknowledge } from "@sluice/testkit";
import type { BankRecorder } from "@sluice/testkit";
import { dateIn, noonZone, timeIn } from "../demo/noon-zone.ts";
import { startService } from "../processes.ts";
import type { ServiceName, ServiceProcess } from "../processes.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { referencesOf, worldConfiguration } from "../world/configuration.ts";
import type { DayInWorld } from "../world/configuration.ts";
import { openParties } from "../world/parties.ts";
import type { WorldBank } from "../world/parties.ts";

export interface ReleaseGround {
  readonly businessDate: string;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly storeText: string;
  /** Records of the journal that the scheduler has done, and how many there are. */
  readonly progress: () => Promise<{ readonly done: number; readonly appended: number }>;
  readonly scheduler: () => ServiceProcess;
  /** The window opens after that long; resolves with the instant when the scheduler, started again, listens. */
  openWindowIn(delayMs: number): Promise<number>;
  readonly losses: () => readonly string[];
}

export interface ReleaseGroundOptions {
  readonly recorder: BankRecorder;
  readonly time: Time;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const members = { eventsUrl: null, connections: 64, answerTimeout: "5s" };
export const releaseBanks: readonly [WorldBank, WorldBank] = [
  { id: "karoo", branch: "250655", members },
  { id: "baobab", branch: "250656", members },
];
/** Quick, with the way of a network. */
const script = [{ reports: [] }, { answer: acknowledge({ afterMs: 5, jitterMs: 15 }) }];
/** Local times; the zone is one in which it is about noon. */
const farAhead = "21:00";
const closes = "22:00";
const reconciliation = "23:00";
const services = ["validator", "scheduler", "dispatcher"] as const satisfies readonly ServiceName[];

/** What is opened is closed by `opened`. */
export async function openReleaseGround(options: ReleaseGroundOptions, opened: AsyncDisposableStack): Promise<ReleaseGround> {
  const { time, say, signal } = options;
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, ...environment } = options.environment;
  const servers = await startServers({ storage: "memory", isForLoad: true, purpose: "trial", environment, progress: say });
  opened.defer(() => servers.stop());
  const database = `sluice_trial_${time.nowMs()}`;
  await provision(servers, database);
  const connection = { brokers: servers.kafkaBrokers.split(","), clientId: "trial" };
  const messaging = createKafkaMessaging({ connection, time, log: silentLog });
  opened.defer(() => messaging.close());
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const store = createMongoStore({ url: servers.mongoUrl, database, log: silentLog });
  opened.defer(() => store.close());
  const parties = await openParties(releaseBanks, { recorder: options.recorder, script }, opened);
  const zone = noonZone(time.nowMs());
  const configurationFile = join(servers.directory, "sluice.yaml");
  const configure = (version: number, opens: string): Promise<void> => {
    const day: DayInWorld = { zone, creditsFinal: "clock", version, windows: [{ opens, closes }], reconciliation };
    return writeFile(configurationFile, worldConfiguration(day, parties.banks(), parties.connector.access));
  };
  await configure(1, farAhead);
  const references = referencesOf([...parties.banks(), parties.connector.access]);
  const settings = serviceEnvironment({ servers, configurationFile, database, references });
  const { start, stop, scheduler, losses } = keepServices(settings, servers.directory, signal);
  opened.defer(async () => void (await Promise.all(services.map(stop))));
  await Promise.all(services.map(start));
  return {
    businessDate: dateIn(zone, time.nowMs()),
    messaging,
    serde,
    progress: () => progressOf(messaging, store),
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

async function progressOf(messaging: Messaging, store: Store): Promise<{ readonly done: number; readonly appended: number }> {
  const partitions = Array.from({ length: lanesDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const [lanes, ends] = await Promise.all([store.lanes.list("scheduler"), messaging.ends(partitions)]);
  const done = lanes.reduce((sum, { position }) => sum + Number(position), 0);
  return { done, appended: ends.reduce((sum, { logEnd }) => sum + Number(logEnd), 0) };
}

interface Services extends Pick<ReleaseGround, "scheduler" | "losses"> {
  /** Resolves when it is ready. */
  readonly start: (name: ServiceName) => Promise<void>;
  readonly stop: (name: ServiceName) => Promise<void>;
}

/** A scheduler reads all that it holds before it is ready. */
const readyTimeoutMs = 600_000;

function keepServices(settings: Readonly<Record<string, string>>, directory: string, signal: AbortSignal): Services {
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
