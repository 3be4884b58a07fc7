// Runs dispatcher and event-publisher as processes that are killed, frozen and started again.
//
// #1 Each start has a log file of its own, so that reading one stays cheap.
// #2 A frozen process does nothing and loses its partitions to another one. After it was thawed, both run until it is
//    killed.
// #3 A process that ends by itself is recorded in `losses` and not started again: the trial comes to a standstill and
//    reports it.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sleep, type Time } from "@sluice/kernel";
import { type ProcessMemory, readMemory, type ServiceProcess, startService } from "@sluice/environment";
import { sendSignal } from "../send-signal.ts";
import type { DeliveryService, PlannedFreeze } from "./plan.ts";

export interface DeliveryServices {
  start(service: DeliveryService): Promise<void>;
  /** Sends SIGKILL and starts the service again a moment later. Resolves when it listens. */
  killAndStart(service: DeliveryService): Promise<void>;
  /**
   * Sends SIGSTOP, starts another process, sends SIGCONT after `frozenMs` and SIGKILL after `thawedMs` more. Resolves
   * then.
   */
  freeze(service: DeliveryService, times: FreezeTimes): Promise<void>;
  /** Returns null while no process runs. */
  process(service: DeliveryService): ServiceProcess | null;
  /** Returns the memory of the running process; null if none runs. */
  memoryNow(service: DeliveryService): Promise<ProcessMemory | null>;
  /** Returns the highest memory of all its processes, sampled before each kill and now. */
  memoryHighestBytes(service: DeliveryService): Promise<number>;
  losses(): readonly string[];
  /** Returns the log lines of this event from all log files of a service, in order. */
  logEvents(service: DeliveryService, event: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  stop(): Promise<void>;
}

type FreezeTimes = Pick<PlannedFreeze, "frozenMs" | "thawedMs">;

export interface DeliveryServicesOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly time: Time;
  readonly signal: AbortSignal;
}

export const deliveryServices = ["dispatcher", "event-publisher"] as const satisfies readonly DeliveryService[];
const startsAgainAfterMs = 500;

export function createDeliveryServices({ environment, directory, time, signal }: DeliveryServicesOptions): DeliveryServices {
  const running = new Map<DeliveryService, ServiceProcess>();
  const logs = new Map<DeliveryService, string[]>();
  const highestBytes = new Map<DeliveryService, number>();
  const losses: string[] = [];
  const frozenProcesses = createFrozenProcesses(time, signal);

  async function noteLoss(service: DeliveryService, process: ServiceProcess): Promise<void> {
    const { code, signal: by } = await process.exited;
    if (running.get(service) === process || frozenProcesses.has(process))
      losses.push(`${service} ended by itself (${code ?? by}): ${process.logFile}`);
  }

  async function start(service: DeliveryService): Promise<void> {
    const before = logs.get(service) ?? [];
    const logFile = join(directory, `${service}-${before.length + 1}.log`);
    logs.set(service, [...before, logFile]);
    const process = await startService(service, environment, logFile, { directory, label: service, signal });
    running.set(service, process);
    void noteLoss(service, process);
  }

  async function end(service: DeliveryService, how: "kill" | "stop"): Promise<void> {
    const process = running.get(service);
    if (process === undefined) return;
    await sampleMemory(service);
    running.delete(service);
    await process[how]();
  }

  async function memoryNow(service: DeliveryService): Promise<ProcessMemory | null> {
    const process = running.get(service);
    return process === undefined ? null : await readMemory(process.pid);
  }

  async function sampleMemory(service: DeliveryService): Promise<number> {
    const memory = await memoryNow(service);
    const highest = Math.max(highestBytes.get(service) ?? 0, memory?.highestBytes ?? 0);
    highestBytes.set(service, highest);
    return highest;
  }

  return {
    start,
    async killAndStart(service) {
      await end(service, "kill");
      await sleep(time, startsAgainAfterMs, signal);
      if (!signal.aborted) await start(service);
    },
    async freeze(service, times) {
      const frozen = running.get(service);
      if (frozen === undefined) return;
      await sampleMemory(service);
      frozenProcesses.freeze(frozen);
      await start(service);
      await frozenProcesses.thawAndEnd(frozen, times);
    },
    process: (service) => running.get(service) ?? null,
    memoryNow,
    memoryHighestBytes: sampleMemory,
    losses: () => losses,
    logEvents: async (service, event) => (await Promise.all((logs.get(service) ?? []).map((file) => readEvents(file, event)))).flat(),
    async stop() {
      await frozenProcesses.end();
      await Promise.all(deliveryServices.map((service) => end(service, "stop")));
    },
  };
}

/** #2 */
function createFrozenProcesses(time: Time, signal: AbortSignal) {
  const frozen = new Set<ServiceProcess>();

  async function endOne(process: ServiceProcess): Promise<void> {
    if (!frozen.delete(process)) return;
    sendSignal(process, "SIGCONT");
    await process.kill();
  }

  return {
    has: (process: ServiceProcess) => frozen.has(process),
    freeze(process: ServiceProcess): void {
      frozen.add(process);
      sendSignal(process, "SIGSTOP");
    },
    async thawAndEnd(process: ServiceProcess, { frozenMs, thawedMs }: FreezeTimes): Promise<void> {
      await sleep(time, frozenMs, signal);
      sendSignal(process, "SIGCONT");
      await sleep(time, thawedMs, signal);
      await endOne(process);
    },
    end: async () => void (await Promise.all([...frozen].map(endOne))),
  };
}

async function readEvents(file: string, event: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  const mark = `"event":"${event}"`;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.includes(mark)) continue;
    const fields = parseFields(line);
    if (fields !== null) found.push(fields);
  }
  return found;
}

/** Returns null for a line that was cut off by a kill. */
function parseFields(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null ? { ...fields } : null;
  } catch {
    return null;
  }
}
