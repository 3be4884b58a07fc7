// Runs a service of Sluice as a process, for demo, up and the end-to-end tests.
//
// #1 A service has started when it logs `service.listening`; readiness is asked at its operations port. A caller that
//    gives it a certificate trusts that certificate's authority in this process.
// #2 A service that does not start reports the reason: the last error of its log.
// #3 `stop` always ends it: SIGTERM, and SIGKILL after its grace time. `kill` is SIGKILL at once.
// #4 No variable of our own environment named SLUICE_… reaches it: it gets only what it is given.
// #5 It is started with a memory profile of its own (memory-profiles.ts). Compiled code comes from a cache: 23 MiB
//    less, and half of the processor time of a start.

import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { noteProcess } from "@sluice/local-servers/running-record";
import { Fault, machineTime, sleep } from "@sluice/kernel";
import { readLocalMemoryProfile } from "./memory-profiles.ts";
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
  /** Port of its API; null if it has none. */
  readonly port: number | null;
  /** Port of its API for operators; null if it has none. */
  readonly controlPort: number | null;
  readonly opsPort: number;
  readonly logFile: string;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<ServiceExit>;
  /**
   * Resolves when `/readyz` answers 200, within a minute by default. Rejects with Fault `cli.service-not-ready` and the
   * reasons that the service gave.
   */
  ready(withinMs?: number): Promise<void>;
  stop(): Promise<ServiceExit>;
  kill(): Promise<ServiceExit>;
}

export interface ServiceOptions {
  /** Directory in which the process is recorded, so that the next run can end it if this one is killed. */
  readonly directory?: string;
  /** Name in that record, if several processes of the service run; default: the service's name. */
  readonly label?: string;
  /** True: the service outlives this process. */
  readonly isDetached?: boolean;
  /** The root of the tree whose code runs; this one by default. */
  readonly tree?: string;
  readonly signal?: AbortSignal;
}

const compileCache = join(projectRoot, ".sluice", "compiled");
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
  const memory = await readLocalMemoryProfile(name);
  // The process group is separate: a Ctrl-C in the terminal reaches only us, and we stop in order.
  // The path of the log is an argument that the service does not read; the process is recognised by it later.
  const child = spawn(process.execPath, [...memory.nodeArguments, entryFile(name, options.tree ?? projectRoot), logFile], {
    env: { ...ownEnvironment(), ...memory.environment, NODE_COMPILE_CACHE: compileCache, SLUICE_OPS_PORT: "0", ...environment },
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
  const scheme = environment["SLUICE_TLS_CERTIFICATE_FILE"] === undefined ? "http" : "https";
  return {
    name,
    pid: child.pid ?? 0,
    port: listening.port,
    controlPort: listening.controlPort,
    opsPort: listening.opsPort,
    logFile,
    exited,
    ready: (withinMs = readyTimeoutMs) =>
      becomeReady(name, `${scheme}://127.0.0.1:${listening.opsPort}`, hasExited, withinMs, options.signal),
    stop: () => (hasExited() ? exited : end("SIGTERM")),
    kill: () => (hasExited() ? exited : end("SIGKILL")),
  };
}

function entryFile(name: ServiceName, tree: string): string {
  return join(tree, "services", name, "main.ts");
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_")));
}

interface Ports {
  readonly port: number | null;
  readonly controlPort: number | null;
  readonly opsPort: number;
}

/** Waits for the log line with the ports; null: the process ended before it listened. */
async function listeningLine(logFile: string, from: number, hasExited: () => boolean, signal?: AbortSignal): Promise<Ports | null> {
  const deadlineMs = machineTime.monotonicMs() + startTimeoutMs;
  for (;;) {
    const isOver = hasExited();
    const text = (await readFile(logFile)).subarray(from).toString();
    const ports = text
      .split("\n")
      .map(parsePorts)
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

function parsePorts(line: string): Ports | null {
  const fields = parseFields(line);
  if (fields?.["event"] !== "service.listening") return null;
  const { port, controlPort, opsPort } = fields;
  return typeof opsPort === "number" ? { opsPort, port: toPort(port), controlPort: toPort(controlPort) } : null;
}

function toPort(field: unknown): number | null {
  return typeof field === "number" ? field : null;
}

function lastError(log: string): string {
  const lines = log.trimEnd().split("\n");
  for (const line of lines.toReversed()) {
    const fields = parseFields(line);
    if (fields?.["level"] !== "error") continue;
    const { error, event } = fields;
    return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(event);
  }
  return lines.slice(-5).join("\n");
}

function parseFields(line: string): Record<string, unknown> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null ? { ...fields } : null;
  } catch {
    return null;
  }
}

async function becomeReady(
  name: ServiceName,
  address: string,
  hasExited: () => boolean,
  withinMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadlineMs = machineTime.monotonicMs() + withinMs;
  for (let reasons = "no answer"; ;) {
    const answer = await askReadiness(address);
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

/** Returns "ready", the reasons why the service is not ready, or null if it does not answer. */
export async function readiness(opsPort: number): Promise<string | null> {
  return await askReadiness(`http://127.0.0.1:${opsPort}`);
}

async function askReadiness(address: string): Promise<string | null> {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const body: unknown = await answer.json();
    if (answer.ok) return "ready";
    const reasons = typeof body === "object" && body !== null && "reasons" in body && Array.isArray(body.reasons) ? body.reasons : [];
    return reasons.map(String).join("; ");
  } catch {
    return null;
  }
}
