// Runs a process from its first line to its exit code.
//
// #1 The operations endpoints answer from the beginning: alive, and not ready until `start` has resolved.
// #2 Once everything runs, one log line `service.listening` names the ports: `port` (if the service has an API),
//    `controlPort` (if it has an API for operators) and `opsPort`.
// #3 On SIGTERM or SIGINT the service turns unready, stops within the grace time and exits with 0. After a second
//    signal, or once the grace time has passed, it exits with 1 at once.
// #4 An unexpected failure ends the process: `start` failed, an unhandled rejection or exception, or the service called
//    `fail`. One line names the reason, a stop is tried within the grace time, and the process exits with 1. Its
//    supervisor restarts it.

import {
  countDroppedConnections,
  createLogger,
  createMetrics,
  createOpsApp,
  type HttpListener,
  listen,
  type ListenerTls,
  listenLimitsDefault,
} from "@sluice/service";
import {
  type Logger,
  machineRandom,
  machineTime,
  type Metrics,
  type Random,
  type Readiness,
  type Running,
  sleep,
  type Time,
} from "@sluice/kernel";
import { readEnvironment, type ServiceEnvironment, type VariableName } from "@sluice/config";
import { type ListenerFiles, listenerVariables, openListenerFiles } from "./connections/listener-files.ts";

/** The variables that every process reads for itself. */
const processVariables = ["SLUICE_OPS_HOST", "SLUICE_OPS_PORT", "SLUICE_LOG_LEVEL", "SLUICE_RELEASE", ...listenerVariables] as const;
type ProcessVariable = (typeof processVariables)[number];

interface ProcessContext<N extends VariableName = never> {
  readonly environment: Pick<ServiceEnvironment, N>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly time: Time;
  readonly random: Random;
  /** What the service's listeners serve TLS with; null: they speak plain HTTP. */
  readonly tls: ListenerTls | null;
  /** Takes what the start waits for, for `/readyz`; null: for nothing. */
  readonly waiting: (reason: string | null) => void;
  /** Aborts when the process is asked to end, even while `start` still runs. */
  readonly stopping: AbortSignal;
  /**
   * Ends the process with exit code 1, because of a failure that the service cannot survive, such as a failed consumer.
   */
  fail(reason: unknown): void;
}

/** A running service with the `port` of its API and the `controlPort` of its API for operators, if it has them. */
interface RunningService extends Running {
  readonly port?: number;
  readonly controlPort?: number;
}

export interface RunOptions {
  /** Milliseconds that a stop may take; 10 s by default. */
  readonly graceMs?: number;
}

type Start<N extends VariableName> = (context: ProcessContext<N>) => Promise<RunningService>;

const graceMsDefault = 10_000;

/**
 * Nobody is authenticated here, so all are strangers: a probe gets its place from the oldest silent connection, and
 * `/livez` answers whatever others hold.
 */
const opsConnectionsMax = 256;
const opsLimits = {
  ...listenLimitsDefault,
  connectionsMax: opsConnectionsMax,
  strangersMax: opsConnectionsMax,
  strangersPerAddressMax: 64,
};

/** Reads the variables of the process and those of `names`, and starts. */
export function runProcess<N extends VariableName>(name: string, names: readonly N[], start: Start<N>, options: RunOptions = {}): void {
  let environment: Pick<ServiceEnvironment, ProcessVariable | N>;
  try {
    environment = readEnvironment(process.env, [...processVariables, ...names]);
  } catch (error) {
    createLogger({ service: name, level: "info" }).error("service.start-failed", { error });
    process.exit(1);
  }
  const logger = createLogger({ service: name, level: environment.SLUICE_LOG_LEVEL });
  new ServiceProcess(name, environment, logger, options.graceMs ?? graceMsDefault).run(start);
}

function showBuild(metrics: Metrics, release: string | null): void {
  const build = metrics.gauge("sluice_build_info", "1, with the release and the Node that run", ["release", "node"]);
  build.set(1, { release: release ?? "unnamed", node: process.versions.node });
}

class ServiceProcess<N extends VariableName> {
  readonly #name: string;
  readonly #environment: Pick<ServiceEnvironment, ProcessVariable | N>;
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #metrics = createMetrics({ withProcess: true });
  readonly #stopping = new AbortController();
  #ops: HttpListener | null = null;
  #listenerFiles: ListenerFiles | null = null;
  #starting: Promise<RunningService> | null = null;
  #running: RunningService | null = null;
  #waitsFor: string | null = null;

  constructor(name: string, environment: Pick<ServiceEnvironment, ProcessVariable | N>, logger: Logger, graceMs: number) {
    this.#name = name;
    this.#environment = environment;
    this.#log = logger;
    this.#graceMs = graceMs;
  }

  run(start: Start<N>): void {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void this.#end(0, "service.stopping", { signal }));
    process.on("uncaughtException", (error) => void this.#end(1, "service.exception", { error }));
    process.on("unhandledRejection", (error) => void this.#end(1, "service.rejection", { error }));
    void this.#start(start).catch((error: unknown) => {
      // A start that was waiting ends with the stop.
      if (!this.#stopping.signal.aborted) void this.#end(1, "service.start-failed", { error });
    });
  }

  async #start(start: Start<N>): Promise<void> {
    const ops = createOpsApp({
      service: this.#name,
      metrics: this.#metrics,
      readiness: () => this.#readiness(),
      nowMs: () => machineTime.nowMs(),
    });
    showBuild(this.#metrics, this.#environment.SLUICE_RELEASE);
    this.#listenerFiles = await openListenerFiles(this.#environment, { time: machineTime, logger: this.#log, metrics: this.#metrics });
    this.#ops = await listen({
      fetch: (request) => ops.fetch(request),
      host: this.#environment.SLUICE_OPS_HOST,
      port: this.#environment.SLUICE_OPS_PORT,
      limits: opsLimits,
      logger: this.#log,
      dropped: countDroppedConnections(this.#metrics, "opsPort"),
      tls: this.#listenerFiles?.opsTls ?? null,
    });
    this.#starting = start({
      environment: this.#environment,
      logger: this.#log,
      metrics: this.#metrics,
      time: machineTime,
      random: machineRandom,
      tls: this.#listenerFiles?.tls ?? null,
      waiting: (reason) => void (this.#waitsFor = reason),
      stopping: this.#stopping.signal,
      fail: (reason) => void this.#end(1, "service.failed", { error: reason }),
    });
    this.#running = await this.#starting;
    if (this.#stopping.signal.aborted) return;
    const { port, controlPort } = this.#running;
    this.#log.info("service.listening", { port, controlPort, opsPort: this.#ops.port });
  }

  #readiness(): Readiness {
    if (this.#stopping.signal.aborted) return { isReady: false, reasons: ["stopping"] };
    const starting = this.#waitsFor === null ? "starting" : `starting: ${this.#waitsFor}`;
    return this.#running?.readiness() ?? { isReady: false, reasons: [starting] };
  }

  async #end(code: 0 | 1, event: string, fields: { readonly signal?: string; readonly error?: unknown }): Promise<void> {
    if (code === 0) this.#log.info(event, { signal: fields.signal });
    else this.#log.error(event, { error: fields.error });
    if (this.#stopping.signal.aborted) {
      // A failure during the stop is only logged, and the stop continues; a second signal exits at once.
      if (code === 0) process.exit(1);
      return;
    }
    this.#stopping.abort();
    const isStopped = await Promise.race([this.#stop(), sleep(machineTime, this.#graceMs).then(() => false)]);
    this.#log.info("service.stopped", { isComplete: isStopped });
    process.exit(isStopped ? code : 1);
  }

  async #stop(): Promise<boolean> {
    try {
      const running = await this.#starting?.catch(() => null);
      await running?.stop();
      await this.#ops?.close(0);
      await this.#listenerFiles?.[Symbol.asyncDispose]();
      return true;
    } catch (error) {
      this.#log.error("service.stop-failed", { error });
      return false;
    }
  }
}
