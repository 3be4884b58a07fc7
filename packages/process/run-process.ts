// Runs a service's process from its first line to its exit code. `main.ts` calls `runService(name, start)` and nothing
// else.
//
// #1 The operations endpoints answer from the beginning: alive, and not ready until `start` has resolved.
// #2 Once everything runs, one log line `service.listening` names the ports: `port` (if the service has an API),
//    `controlPort` (if it has an API for operators) and `opsPort`.
// #3 On SIGTERM or SIGINT the service turns unready, stops within the grace time and exits with 0. After a second
//    signal, or once the grace time has passed, it exits with 1 at once.
// #4 An unexpected failure ends the process: `start` failed, an unhandled rejection or exception, or the service called
//    `fail`. One line names the reason, a stop is tried within the grace time, and the process exits with 1. Its
//    supervisor restarts it.

import { createLogger, createMetrics, createOpsApp, type HttpListener, listen, listenLimitsDefault } from "@sluice/service";
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
import { type ProcessConfig, readProcessConfig } from "./process-config.ts";

export interface ServiceContext {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly time: Time;
  readonly random: Random;
  /** Aborts when the process is asked to end, even while `start` still runs. */
  readonly stopping: AbortSignal;
  /**
   * Ends the process with exit code 1, because of a failure that the service cannot survive, such as a failed consumer.
   */
  fail(reason: unknown): void;
}

/** A running service with the `port` of its API and the `controlPort` of its API for operators, if it has them. */
export interface RunningService extends Running {
  readonly port?: number;
  readonly controlPort?: number;
}

export interface RunOptions {
  /** Milliseconds that a stop may take; 10 s by default. */
  readonly graceMs?: number;
}

type Start = (context: ServiceContext) => Promise<RunningService>;

const graceMsDefault = 10_000;

export function runService(name: string, start: Start, options: RunOptions = {}): void {
  let config: ProcessConfig;
  try {
    config = readProcessConfig();
  } catch (error) {
    createLogger({ service: name, level: "info" }).error("service.start-failed", { error });
    process.exit(1);
  }
  const logger = createLogger({ service: name, level: config.logLevel });
  new ServiceProcess(name, config, logger, options.graceMs ?? graceMsDefault).run(start);
}

class ServiceProcess {
  readonly #name: string;
  readonly #config: ProcessConfig;
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #metrics = createMetrics({ withProcess: true });
  readonly #stopping = new AbortController();
  #ops: HttpListener | null = null;
  #starting: Promise<RunningService> | null = null;
  #running: RunningService | null = null;

  constructor(name: string, config: ProcessConfig, logger: Logger, graceMs: number) {
    this.#name = name;
    this.#config = config;
    this.#log = logger;
    this.#graceMs = graceMs;
  }

  run(start: Start): void {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void this.#end(0, "service.stopping", { signal }));
    process.on("uncaughtException", (error) => void this.#end(1, "service.exception", { error }));
    process.on("unhandledRejection", (error) => void this.#end(1, "service.rejection", { error }));
    void this.#start(start).catch((error: unknown) => this.#end(1, "service.start-failed", { error }));
  }

  async #start(start: Start): Promise<void> {
    const ops = createOpsApp({ service: this.#name, metrics: this.#metrics, readiness: () => this.#readiness() });
    this.#ops = await listen({
      fetch: (request) => ops.fetch(request),
      host: this.#config.opsHost,
      port: this.#config.opsPort,
      limits: { ...listenLimitsDefault, connectionsMax: 64 },
      logger: this.#log,
    });
    this.#starting = start({
      logger: this.#log,
      metrics: this.#metrics,
      time: machineTime,
      random: machineRandom,
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
    return this.#running?.readiness() ?? { isReady: false, reasons: ["starting"] };
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
      return true;
    } catch (error) {
      this.#log.error("service.stop-failed", { error });
      return false;
    }
  }
}
