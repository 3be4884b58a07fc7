// A service of Sluice as a process of its own, as demo, up and the end-to-end tests run it.
//
// 1. Started means that it said `service.listening` in its log; ready is asked of its operations port.
// 2. A service that does not start says why: the last error of its log.
// 3. `stop` ends it for sure: SIGTERM, and SIGKILL when its grace time has passed. `kill` is SIGKILL at once.
// 4. Nothing of our own environment named SLUICE_… reaches it: what it is given is what it gets.
// 5. It keeps its memory small: young objects have little room, so that what is resident is what is kept (measured: 50 MiB less); compiled
//    code comes from a cache (23 MiB less, and half of the processor time of a start); and large buffers go back to the system when they are freed.

import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { noteProcess } from "@sluice/local-servers";
import { Fault, machineTime, sleep } from "@sluice/runtime";
import { projectRoot } from "./run-program.ts";

export const serviceNames = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher", "console"] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface ServiceExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  readonly name: ServiceName;
  readonly pid: number;
  /** Of its API; null if it has none. */
  readonly port: number | null;
  /** Of its API for operators; null if it has none. */
  readonly controlPort: number | null;
  readonly opsPort: number;
  readonly logFile: string;
  /** Resolves when the process is gone, however that came. */
  readonly exited: Promise<ServiceExit>;
  /** Resolves when `/readyz` answers 200; a minute is given where nothing else is said. Rejects with Fault `cli.service-not-ready` and the reasons it gave. */
  ready(withinMs?: number): Promise<void>;
  stop(): Promise<ServiceExit>;
  kill(): Promise<ServiceExit>;
}

export interface ServiceOptions {
  /** A run's directory where the process is noted, so that the next run ends it should this one be killed. */
  readonly directory?: string;
  /** What it is noted as, where several of a name run; not given: its name. */
  readonly label?: string;
  /** It outlives this process. */
  readonly isDetached?: boolean;
  readonly signal?: AbortSignal;
}

/** In MiB; Node's own is 16 and more. */
const nodeArguments = ["--max-semi-space-size=4"] as const;
/** What a message in hand holds lives longer than a small young generation lasts, and would be collected as old. */
const forDeliveries = [
  "--max-semi-space-size=64",
  "--min-semi-space-size=32",
  "--initial-old-space-size=96",
  "--heap-growing-percent=150",
] as const;
/**
 * Old objects are looked through from so many MiB on, and again when they have grown by so much: V8 would wait for several times of what lives. It
 * bounds growth, not size: nothing dies of it. Memory against speed: where much is delivered, 20 % cost a third of the
 * processor time.
 */
const ownArguments: Partial<Record<ServiceName, readonly string[]>> = {
  dispatcher: forDeliveries,
  "event-publisher": forDeliveries,
  scheduler: ["--initial-old-space-size=64", "--heap-growing-percent=20"],
};
const smallMemory = {
  NODE_COMPILE_CACHE: join(projectRoot, ".sluice", "compiled"),
  // Of glibc; others do not read them.
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
} as const;
const startTimeoutMs = 60_000;
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 12_000;
const checkMs = 50;
const answerTimeoutMs = 2_000;

/** `logFile` is appended to. Rejects with Fault `cli.service-not-started`. */
export async function startService(
  name: ServiceName,
  environment: Readonly<Record<string, string>>,
  logFile: string,
  options: ServiceOptions = {},
): Promise<ServiceProcess> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, "a");
  const { size: logStart } = await log.stat();
  // A group of its own: a Ctrl-C in the terminal reaches us alone, and we stop in order.
  // The log's path is an argument that the service does not read: by it the process is recognised later.
  const child = spawn(process.execPath, [...nodeArguments, ...(ownArguments[name] ?? []), entryOf(name), logFile], {
    env: { ...ownEnvironment(), ...smallMemory, SLUICE_OPS_PORT: "0", ...environment },
    stdio: ["ignore", log.fd, log.fd],
    detached: true,
  });
  await log.close();
  if (options.directory !== undefined && child.pid !== undefined) {
    noteProcess(options.directory, { kind: "service", name: options.label ?? name, pid: child.pid, mark: logFile, ports: [] });
  }
  const exited = new Promise<ServiceExit>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<ServiceExit> => {
    child.ref();
    child.kill(signal);
    const over = new AbortController();
    await Promise.race([exited, sleep(machineTime, stopTimeoutMs, over.signal)]);
    over.abort();
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    return exited;
  };
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const listening = await listeningLine(logFile, logStart, hasExited, options.signal).catch(async (error: unknown) => {
    await end("SIGKILL");
    throw error;
  });
  if (listening === null) {
    const { code, signal } = await exited;
    const why = lastError(await readFile(logFile, "utf8").then((text) => text.slice(logStart)));
    throw new Fault("cli.service-not-started", `${name} ended with ${code ?? signal}: ${why} (${logFile})`, { isRetryable: false });
  }
  if (options.isDetached === true) child.unref();
  return {
    name,
    pid: child.pid ?? 0,
    port: listening.port,
    controlPort: listening.controlPort,
    opsPort: listening.opsPort,
    logFile,
    exited,
    ready: (withinMs = readyTimeoutMs) => becomeReady(name, listening.opsPort, hasExited, withinMs, options.signal),
    stop: () => (hasExited() ? exited : end("SIGTERM")),
    kill: () => (hasExited() ? exited : end("SIGKILL")),
  };
}

function entryOf(name: ServiceName): string {
  return fileURLToPath(new URL(`../../services/${name}/main.ts`, import.meta.url));
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_")));
}

interface Ports {
  readonly port: number | null;
  readonly controlPort: number | null;
  readonly opsPort: number;
}

/** Null: the process ended before it listened. */
async function listeningLine(logFile: string, from: number, hasExited: () => boolean, signal?: AbortSignal): Promise<Ports | null> {
  const deadlineMs = machineTime.monotonicMs() + startTimeoutMs;
  for (;;) {
    const isOver = hasExited();
    const text = (await readFile(logFile)).subarray(from).toString();
    const ports = text
      .split("\n")
      .map(portsOf)
      .find((found) => found !== null);
    if (ports !== undefined) return ports;
    if (isOver) return null;
    signal?.throwIfAborted();
    if (machineTime.monotonicMs() > deadlineMs) {
      throw new Fault("cli.service-not-started", `no service.listening after ${startTimeoutMs / 1000} s: ${lastError(text)} (${logFile})`, {
        isRetryable: false,
      });
    }
    await sleep(machineTime, checkMs, signal);
  }
}

function portsOf(line: string): Ports | null {
  const fields = fieldsOf(line);
  if (fields?.["event"] !== "service.listening") return null;
  const { port, controlPort, opsPort } = fields;
  return typeof opsPort === "number" ? { opsPort, port: portIn(port), controlPort: portIn(controlPort) } : null;
}

function portIn(field: unknown): number | null {
  return typeof field === "number" ? field : null;
}

function lastError(log: string): string {
  const lines = log.trimEnd().split("\n");
  for (const line of lines.toReversed()) {
    const fields = fieldsOf(line);
    if (fields?.["level"] !== "error") continue;
    const { error, event } = fields;
    return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(event);
  }
  return lines.slice(-5).join("\n");
}

function fieldsOf(line: string): Record<string, unknown> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null ? { ...fields } : null;
  } catch {
    return null;
  }
}

async function becomeReady(
  name: ServiceName,
  opsPort: number,
  hasExited: () => boolean,
  withinMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadlineMs = machineTime.monotonicMs() + withinMs;
  for (let reasons = "no answer"; ;) {
    const answer = await readiness(opsPort);
    if (answer === "ready") return;
    reasons = answer ?? reasons;
    signal?.throwIfAborted();
    if (hasExited()) throw new Fault("cli.service-not-ready", `${name} ended before it was ready: ${reasons}`, { isRetryable: false });
    if (machineTime.monotonicMs() > deadlineMs) {
      throw new Fault("cli.service-not-ready", `${name} is not ready after ${withinMs / 1000} s: ${reasons}`, { isRetryable: false });
    }
    await sleep(machineTime, checkMs * 2, signal);
  }
}

/** "ready", the reasons why not, or null: no answer. */
export async function readiness(opsPort: number): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const body: unknown = await answer.json();
    if (answer.ok) return "ready";
    const reasons = typeof body === "object" && body !== null && "reasons" in body && Array.isArray(body.reasons) ? body.reasons : [];
    return reasons.map(String).join("; ");
  } catch {
    return null;
  }
}
