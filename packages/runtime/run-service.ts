// A service's process, from first line to exit code. `main.ts` calls `runService(name, start)` and nothing else.
//
// 1. The operations side answers from the beginning: alive, and not ready until `start` has resolved.
// 2. When all is up, one log line `service.listening` says the ports: `port` (if the service has an API), `controlPort` (if it has one for
//    operators) and `opsPort`.
// 3. SIGTERM or SIGINT: not ready any more, then `stop()` within the grace time, exit 0. A second signal, or the grace time
//    passed: exit 1 at once.
// 4. What was not foreseen ends the process: `start` failed, an unhandled rejection or exception, `fail` called by the service.
//    One line says why, then stop is tried within the grace time; exit 1. The supervisor starts it anew.

import { listen, listenLimitsDefault, opsApp } from "@sluice/http";
import type { Listening } from "@sluice/http";
import { createLog, createMetrics } from "@sluice/telemetry";
import type { Log, Metrics } from "@sluice/telemetry";
import { readProcessConfig } from "./config.ts";
import type { ProcessConfig } from "./config.ts";
import { machineRandom } from "./random.ts";
import type { Random } from "./random.ts";
import type { Readiness, Running } from "./service.ts";
import { machineTime, sleep } from "./time.ts";
import type { Time } from "./time.ts";

export interface ServiceContext {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly time: Time;
  readonly random: Random;
  /** Aborts when the process is asked to end, also while `start` is still under way. */
  readonly stopping: AbortSignal;
  /** For what a service cannot survive, such as a consumer that failed: the process ends with exit code 1. */
  fail(reason: unknown): void;
}

/** A running service; `port` is that of its API, `controlPort` that of its API for operators, where it has one. */
export interface RunningService extends Running {
  readonly port?: number;
  readonly controlPort?: number;
}

export interface RunOptions {
  /** Time to stop in; default 10 s. */
  readonly graceMs?: number;
}

type Start = (context: ServiceContext) => Promise<RunningService>;

const graceMsDefault = 10_000;

export function runService(name: string, start: Start, options: RunOptions = {}): void {
  let config: ProcessConfig;
  try {
    config = readProcessConfig();
  } catch (error) {
    createLog({ service: name, level: "info" }).error("service.start-failed", { error });
    process.exit(1);
  }
  const log = createLog({ service: name, level: config.logLevel });
  new ServiceProcess(name, config, log, options.graceMs ?? graceMsDefault).run(start);
}

class ServiceProcess {
  readonly #name: string;
  readonly #config: ProcessConfig;
  readonly #log: Log;
  readonly #graceMs: number;
  readonly #metrics = createMetrics({ withProcess: true });
  readonly #stopping = new AbortController();
  #ops: Listening | null = null;
  #starting: Promise<RunningService> | null = null;
  #running: RunningService | null = null;

  constructor(name: string, config: ProcessConfig, log: Log, graceMs: number) {
    this.#name = name;
    this.#config = config;
    this.#log = log;
    this.#graceMs = graceMs;
  }

  run(start: Start): void {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void this.#end(0, "service.stopping", { signal }));
    process.on("uncaughtException", (error) => void this.#end(1, "service.exception", { error }));
    process.on("unhandledRejection", (error) => void this.#end(1, "service.rejection", { error }));
    void this.#start(start).catch((error: unknown) => this.#end(1, "service.start-failed", { error }));
  }

  async #start(start: Start): Promise<void> {
    const ops = opsApp({ service: this.#name, metrics: this.#metrics, readiness: () => this.#readiness() });
    this.#ops = await listen({
      fetch: (request) => ops.fetch(request),
      host: this.#config.opsHost,
      port: this.#config.opsPort,
      limits: { ...listenLimitsDefault, connectionsMax: 64 },
      log: this.#log,
    });
    this.#starting = start({
      log: this.#log,
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
      // A failure on the way out is said, and the stop under way goes on; a second signal means now.
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
