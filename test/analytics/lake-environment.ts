// A day of the demo on real servers, with the worker beside it that copies the topics of analysts into tables. The
// worker is killed once it has committed something, and started again.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { lakeFolder, startWorker, stopWorker } from "@sluice/analytics";
import { createNarrator, type DemoEnvironment, openDemoEnvironment, planDemoDay, playDay } from "@sluice/demo";
import type { Transaction } from "@sluice/domain";
import { machineRandom, machineTime } from "@sluice/kernel";
import { type Servers, startServers } from "@sluice/local-servers";
import { seededRandom } from "@sluice/testkit";
import { vi } from "vitest";

/** Plans the same debits and credits in each run, so that sums can be written down. */
const seed = "a day in the lake";
const debits = 40;
const pace = { opensInMs: 20_000, windowMs: 32_000, reconcilesAfterMs: 5_000 };
const commitIntervalMs = 3_000;
/** For a machine under load. */
const waitMaxMs = 180_000;

export interface LakeDay {
  readonly stage: DemoEnvironment;
  readonly servers: Servers;
  readonly lake: string;
  readonly snapshots: ReadonlyMap<string, Transaction>;
  readonly problems: readonly string[];
}

export async function playDayIntoLake(opened: AsyncDisposableStack, packages: string): Promise<LakeDay> {
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, MONGO_URL: _mongo, ...bare } = process.env;
  const servers = await startServers({ storage: "memory", purpose: "analytics", environment: bare });
  opened.defer(() => servers.stop());
  const directory = join(servers.directory, "analytics");
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl } = servers;
  const start = (): Promise<number> =>
    startWorker({ kafkaBrokers, schemaRegistryUrl, directory, packages, commitIntervalMs, progress: () => {} });
  const pid = await start();
  opened.defer(async () => void (await stopWorker(directory)));
  const environment = { ...bare, KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl, MONGO_URL: mongoUrl };
  const day = planDemoDay(seededRandom(seed), debits, machineTime.nowMs());
  const { signal } = new AbortController();
  const narrator = createNarrator(machineTime, () => {});
  opened.defer(() => narrator.stop());
  const ports = { time: machineTime, random: machineRandom, narrator, day, pace, directory: null, environment, signal };
  const stage = opened.use(await openDemoEnvironment(ports));
  const killing = killOnceCommitted(pid, lakeFolder(directory), start);
  const played = await playDay({ ...stage, time: machineTime, day, narrator, signal, kill: null, isDisturbed: true });
  await killing;
  return { stage, servers, lake: lakeFolder(directory), snapshots: played.evidence.snapshots, problems: played.problems };
}

/** The first version of a table's metadata creates it; the second has the first rows. */
async function killOnceCommitted(pid: number, lake: string, start: () => Promise<number>): Promise<void> {
  const committed = join(lake, "sluice", "state_events", "metadata", "v2.metadata.json");
  await vi.waitUntil(() => existsSync(committed), { timeout: waitMaxMs, interval: 50 });
  process.kill(pid, "SIGKILL");
  await start();
}
