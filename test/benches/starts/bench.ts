// `./sluice bench starts`: how long each service takes to start, as its container starts it: by the image's entry, with
// the memory profile of the chart, and with the cache of compiled code that the image has.
//
// #1 The cache is filled as the image's build fills it (`infra/image/compile.ts`), in a folder of the bench.
// #2 A start begins when the process is made. The service listens when it has logged `service.listening`, and is ready
//    when `/readyz` answers 200. Services start one after another, each alone, and none finds a record to work on.
// #3 Each round starts every service with the cache and without it, so that what the machine does meanwhile counts for
//    both. The bench asserts only that every start succeeds.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import { projectRoot, readiness, serviceNames, type ServiceName } from "@sluice/environment";
import { openBenchEnvironment } from "../environment.ts";
import { type Machine, machineFacts, readProcessorSeconds } from "../processor-time.ts";
import { computeSpread, roundTo, type Spread } from "../spread.ts";
import { chartProfiles } from "./chart-profiles.ts";

export interface StartsBenchOptions {
  readonly rounds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

/** Milliseconds since the process was made. */
interface Start {
  readonly listeningMs: number;
  readonly readyMs: number;
  /** Processor time until it listened. */
  readonly processorMs: number;
}

interface ServiceStarts {
  readonly service: ServiceName;
  readonly profile: string;
  readonly listeningMs: Spread;
  readonly readyMs: Spread;
  readonly processorMs: Spread;
  readonly listeningWithoutCacheMs: Spread;
}

export interface StartsBenchReport {
  /** Every start succeeded; otherwise the bench ends with the first failure. */
  readonly isRight: true;
  readonly machine: Machine;
  readonly rounds: number;
  readonly services: readonly ServiceStarts[];
  /** The machine's load of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
  readonly tookMs: number;
}

interface Bench {
  readonly settings: Readonly<Record<string, string>>;
  readonly compileCache: string;
  readonly time: Time;
  readonly signal: AbortSignal;
}

const bankUrl = "http://127.0.0.1:9";
const connections = 16;
const startMaxMs = 60_000;
const askEveryMs = 10;
const imageEntry = join(projectRoot, "infra", "image", "main.ts");
const compileEntry = join(projectRoot, "infra", "image", "compile.ts");

export async function runStartsBench(options: StartsBenchOptions): Promise<StartsBenchReport> {
  const { rounds, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const { settings, directory } = await openBenchEnvironment({ ...options, bankUrl, connections, profileDirectory: null, time }, opened);
  const bench: Bench = { settings, compileCache: join(directory, "compiled"), time, signal };
  say("filling the cache of compiled code");
  await fillCache(bench.compileCache);
  const before = roundTo(loadavg()[0] ?? 0, 1);
  const measured = new Map(serviceNames.map((service) => [service, { cached: [] as Start[], bare: [] as Start[] }]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const [service, { cached, bare }] of measured) {
      cached.push(await measureStart(bench, service, true));
      bare.push(await measureStart(bench, service, false));
    }
  }
  return {
    isRight: true,
    machine: machineFacts(),
    rounds,
    services: [...measured].map(([service, { cached, bare }]) => summarize(service, cached, bare)),
    load: [before, roundTo(loadavg()[0] ?? 0, 1)],
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function summarize(service: ServiceName, cached: readonly Start[], bare: readonly Start[]): ServiceStarts {
  const spread = (starts: readonly Start[], member: keyof Start): Spread =>
    computeSpread(
      starts.map((start) => start[member]),
      0,
    );
  return {
    service,
    profile: chartProfiles[service],
    listeningMs: spread(cached, "listeningMs"),
    readyMs: spread(cached, "readyMs"),
    processorMs: spread(cached, "processorMs"),
    listeningWithoutCacheMs: spread(bare, "listeningMs"),
  };
}

/** #1 */
async function fillCache(folder: string): Promise<void> {
  const child = spawn(process.execPath, [compileEntry], {
    env: { ...withoutOwnVariables(), NODE_COMPILE_CACHE: folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`infra/image/compile.ts ended with ${String(code)}`);
}

/** #2 */
async function measureStart({ settings, compileCache, time, signal }: Bench, service: ServiceName, hasCache: boolean): Promise<Start> {
  signal.throwIfAborted();
  const cache = hasCache ? { NODE_COMPILE_CACHE: compileCache } : {};
  const startedMs = time.monotonicMs();
  const child = spawn(process.execPath, [imageEntry, service, chartProfiles[service]], {
    env: { ...withoutOwnVariables(), ...settings, SLUICE_OPS_PORT: "0", ...cache },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    const opsPort = await findOpsPort(child.stdout);
    const listeningMs = time.monotonicMs() - startedMs;
    const used = await readProcessorSeconds(new Map([[service, child.pid ?? 0]]));
    while ((await readiness(opsPort)) !== "ready") {
      signal.throwIfAborted();
      if (time.monotonicMs() - startedMs > startMaxMs) throw new Error(`${service} is not ready after ${startMaxMs} ms`);
      await sleep(time, askEveryMs);
    }
    return { listeningMs, readyMs: time.monotonicMs() - startedMs, processorMs: (used.get(service) ?? 0) * 1_000 };
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

/** Reads everything that the service logs; resolves when it listens. */
function findOpsPort(output: Readable): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines = createInterface({ input: output });
  let last = "nothing";
  lines.on("line", (line) => {
    last = line;
    const { event, opsPort }: { readonly event?: string; readonly opsPort?: number } = JSON.parse(line);
    if (event === "service.listening" && opsPort !== undefined) resolve(opsPort);
  });
  lines.once("close", () => reject(new Error(`the service ended before it listened; it said last: ${last}`)));
  return promise;
}

function withoutOwnVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(SLUICE|KAFKA|SCHEMA_REGISTRY|MONGO)_|^NODE_COMPILE_CACHE$/.test(name)),
  );
}
