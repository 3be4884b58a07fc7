// Opens the environment of a demo day in this process: all services over a log and a store in memory, on the machine's
// clock, with simulated banks over HTTP. For a machine that has nothing but Node.
//
// #1 Everything that is opened is closed in reverse order, also when opening fails half-way or is interrupted.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSteeredTime, startAll } from "@sluice/all";
import { readConfigurationFile } from "@sluice/config";
import { controlPrefix, createFixedSerde } from "@sluice/contracts";
import { Fault, silentLogger, sleep } from "@sluice/kernel";
import { createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import { createMemoryRecorder } from "@sluice/testkit";
import { planDemoTimes } from "../plan/day.ts";
import { demoConfiguration } from "./configuration.ts";
import type { DemoEnvironment, DemoEnvironmentOptions } from "./demo-environment.ts";
import { createOperators, openBanks, openConnector } from "./parties.ts";

const host = "127.0.0.1";
/** The deadline of the credits counts from about the time at which the last of them is posted. */
const creditsPostedWithinMs = 2_000;
const portGraceMs = 100;
const readyWithinMs = 20_000;
const readyCheckMs = 20;

export async function openMemoryEnvironment(options: DemoEnvironmentOptions): Promise<DemoEnvironment> {
  const { time, narrator, signal, random } = options;
  await using opened = new AsyncDisposableStack();
  const directory = await openDirectory(options.directory, opened);
  const recorded = createMemoryRecorder();
  const banks = await openBanks(options, recorded, opened);
  const clearing = await openConnector(options, recorded, opened);
  const times = planDemoTimes(time.nowMs(), options.pace);
  const operators = createOperators(random);
  const { yaml, environment } = demoConfiguration(times, { banks, connector: clearing, operators }, time.nowMs() + creditsPostedWithinMs);
  const configurationFile = join(directory, "sluice.yaml");
  await writeFile(configurationFile, yaml);
  const lost: string[] = [];
  const all = await startAll({
    time: createSteeredTime({ machine: time, startAtMs: time.nowMs() }),
    random,
    environment: { SLUICE_LOG_LEVEL: "info", SLUICE_NAME_SERVERS: null },
    configuration: readConfigurationFile(configurationFile, environment),
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    stopping: signal,
    logTo: openLog(directory, opened),
    fail: (reason) => void lost.push(`a service failed: ${String(reason)}`),
    opened,
  });
  const serve = async (fetch: typeof all.fetch): Promise<number> => {
    const listening = await listen({ host, port: 0, fetch, limits: listenLimitsDefault, logger: silentLogger });
    opened.defer(() => listening.close(portGraceMs));
    return listening.port;
  };
  const ingressUrl = `http://${host}:${await serve(all.fetch)}`;
  const controlUrl = `http://${host}:${await serve(all.fetchControl)}${controlPrefix}`;
  await becomeReady(options, () => all.readiness().isReady);
  for (const party of [...banks.map(({ simulator }) => simulator), clearing.simulator]) party.setIngressUrl(ingressUrl);
  narrator.say("services", `all run in this process; ingress listens on ${ingressUrl}`);
  const refuse = (): Promise<void> =>
    Promise.reject(new Fault("demo.one-process", "a service in this process cannot be killed", { isRetryable: false }));
  const owned = opened.move();
  return {
    directory,
    connections: {},
    desk: null,
    sealing: null,
    times,
    banks: new Map(banks.map(({ simulator }) => [simulator.bankId, simulator])),
    connector: clearing.simulator,
    recorded,
    services: { ingressUrl, controlUrl, kill: refuse, restart: refuse, lost: () => lost, stop: () => Promise.resolve() },
    controlUrl,
    operators,
    store: all.store,
    messaging: all.messaging,
    serde: createFixedSerde(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A given directory is kept; else one is made, and removed at the end. */
async function openDirectory(given: string | null, opened: AsyncDisposableStack): Promise<string> {
  if (given !== null) {
    await mkdir(given, { recursive: true });
    return given;
  }
  const directory = await mkdtemp(join(tmpdir(), "sluice-demo-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

function openLog(directory: string, opened: AsyncDisposableStack): { write(line: string): void } {
  const file = createWriteStream(join(directory, "services.log"));
  opened.defer(async () => {
    file.end();
    await once(file, "close");
  });
  return { write: (line) => void file.write(line) };
}

async function becomeReady({ time, signal }: DemoEnvironmentOptions, isReady: () => boolean): Promise<void> {
  const deadlineMs = time.monotonicMs() + readyWithinMs;
  while (!isReady()) {
    signal.throwIfAborted();
    if (time.monotonicMs() > deadlineMs) throw new Fault("demo.not-ready", "the services were not ready in time", { isRetryable: false });
    await sleep(time, readyCheckMs, signal);
  }
}
