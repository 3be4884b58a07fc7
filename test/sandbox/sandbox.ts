// A sandbox for those who build a bank's side: all services in this process over memory, one bank (the reader's own), a
// clearing house, a clock that can be moved, and test data with known ends.
//
// #1 Sluice finds bank and clearing house at an address of the sandbox, over real HTTP, with real signatures.
// #2 Everything that is opened is closed in reverse order, also when opening fails half-way.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSteeredTime, startAll } from "@sluice/all";
import { readConfigurationFile } from "@sluice/config";
import { Fault, machineTime, silentLogger, sleep, type Random } from "@sluice/kernel";
import { createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import {
  createHttpTransport,
  createSimulatedBank,
  createSimulatedConnector,
  type PartyRecorder,
  type PartyTransport,
} from "@sluice/testkit";
import { sandboxBank, sandboxConfiguration, sandboxConnector } from "./configuration.ts";
import { createPartyAddress } from "./party-address.ts";
import { createPosts } from "./posts.ts";
import { createSandboxApi, isSandboxPath } from "./sandbox-api.ts";

export interface SandboxOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly controlPort: number;
  readonly random: Random;
  /** What the clock shows at the start, in epoch milliseconds. */
  readonly startAtMs: number;
  /** Lines of the services' log, from warnings on. */
  readonly log: (line: string) => void;
  /** A collector that gets a trace of every transaction; left out: nothing is traced. */
  readonly tracesUrl?: string;
  readonly stopping: AbortSignal;
}

export interface Sandbox extends AsyncDisposable {
  readonly port: number;
  readonly controlPort: number;
}

const loopback = "127.0.0.1";
const portGraceMs = 100;
const readyWithinMs = 20_000;
const readyCheckMs = 20;
/** Milliseconds for which a simulated party repeats one message. */
const giveUpAfterMs = 900_000;
const partyConnections = 16;
const forgetful: PartyRecorder = { sent: () => {}, received: () => {} };

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { random, stopping } = options;
  await using opened = new AsyncDisposableStack();
  const time = createSteeredTime({ machine: machineTime, startAtMs: options.startAtMs });
  const http = createHttpTransport(null, partyConnections);
  // The clock waits for what a party sends.
  const transport: PartyTransport = { ...http, post: (request, signal) => time.outside(() => http.post(request, signal)) };
  const common = { time, random, expectedToken: null, script: [], transport, recorder: forgetful, giveUpAfterMs };
  const bank = createSimulatedBank({ ...common, bankId: sandboxBank.id, token: sandboxBank.token });
  const connector = createSimulatedConnector({ ...common, connectorId: sandboxConnector.id, token: sandboxConnector.token });
  for (const party of [bank, connector]) opened.defer(() => party.stop());
  const posts = createPosts(machineTime);
  const serve = async (host: string, port: number, fetch: Parameters<typeof listen>[0]["fetch"]): Promise<number> => {
    const listening = await listen({ host, port, fetch, limits: listenLimitsDefault, logger: silentLogger });
    opened.defer(() => listening.close(portGraceMs));
    return listening.port;
  };
  const address = createPartyAddress({ machine: machineTime, time, posts, bank, connector });
  const partyPort = await serve(loopback, 0, (request) => address.fetch(request));
  const all = await startAll({
    time,
    random,
    environment: { SLUICE_LOG_LEVEL: "warn", SLUICE_NAME_SERVERS: null },
    configuration: await readConfiguration(options.startAtMs, `http://${loopback}:${partyPort}`),
    ...(options.tracesUrl === undefined ? {} : { traces: traceAll(options.tracesUrl) }),
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    stopping,
    logTo: { write: options.log },
    fail: (reason) => options.log(`a service failed: ${String(reason)}\n`),
    opened,
  });
  const port = await serve(options.host, options.port, all.fetch);
  http.setIngressUrl(`http://${options.host === "0.0.0.0" ? loopback : options.host}:${port}`);
  const api = createSandboxApi({ time, random, posts, bank, connector, url: () => `http://${options.host}:${port}` });
  const controlPort = await serve(options.host, options.controlPort, (request, connection) =>
    isSandboxPath(request) ? api.fetch(request) : all.fetchControl(request, connection),
  );
  await becomeReady(stopping, () => all.readiness().isReady);
  const owned = opened.move();
  return { port, controlPort, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function traceAll(url: string) {
  return { SLUICE_TRACES_URL: url, SLUICE_TRACES_RATIO: 1, SLUICE_TRACES_UETRS: null };
}

/** Only a file is a configuration; this one is gone once it has been read. */
async function readConfiguration(startAtMs: number, partyUrl: string) {
  const { yaml, environment } = sandboxConfiguration(startAtMs, partyUrl);
  const folder = await mkdtemp(join(tmpdir(), "sluice-sandbox-"));
  try {
    const file = join(folder, "sluice.yaml");
    await writeFile(file, yaml);
    return readConfigurationFile(file, environment);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function becomeReady(stopping: AbortSignal, isReady: () => boolean): Promise<void> {
  const deadlineMs = machineTime.monotonicMs() + readyWithinMs;
  while (!isReady()) {
    stopping.throwIfAborted();
    if (machineTime.monotonicMs() > deadlineMs) throw new Fault("sandbox.not-ready", "not ready in time", { isRetryable: false });
    await sleep(machineTime, readyCheckMs, stopping);
  }
}
