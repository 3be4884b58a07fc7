// Dispatcher and event-publisher as processes that are killed and started again.
//
// 1. Each start has a log of its own, so that reading it stays cheap; together they tell what a service said.
// 2. A frozen one does nothing and loses its lanes to another of its kind; thawed, it is one of two until it is killed.
// 3. A process that ended though nobody asked it to is remembered in `losses`, and not started again: the trial will stand still, and say so.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import { startService } from "../processes.ts";
import type { ServiceProcess } from "../processes.ts";
import { sendSignal } from "./send-signal.ts";
import type { DeliveryService, PlannedFreeze } from "./delivery-plan.ts";
import { memoryOf } from "./process-watch.ts";
import type { Memory } from "./process-watch.ts";

export interface DeliveryServices {
  start(service: DeliveryService): Promise<void>;
  /** SIGKILL, and started again a moment later; resolves when it listens. */
  killAndStart(service: DeliveryService): Promise<void>;
  /** SIGSTOP, another one started; SIGCONT after that time, SIGKILL after the other one more. Resolves then. */
  freeze(service: DeliveryService, times: FreezeTimes): Promise<void>;
  /** Null while it is not there. */
  process(service: DeliveryService): ServiceProcess | null;
  /** Of the process that runs; null: none does. */
  memoryNow(service: DeliveryService): Promise<Memory | null>;
  /** Of all its processes the highest, as far as was seen: before each kill, and now. */
  memoryHighestBytes(service: DeliveryService): Promise<number>;
  losses(): readonly string[];
  /** Lines of all logs of a service that tell of this event, in order. */
  said(service: DeliveryService, event: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
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

export function keepDeliveryServices({ environment, directory, time, signal }: DeliveryServicesOptions): DeliveryServices {
  const running = new Map<DeliveryService, ServiceProcess>();
  const logs = new Map<DeliveryService, string[]>();
  const highestBytes = new Map<DeliveryService, number>();
  const losses: string[] = [];
  const besides = keepBesides(time, signal);

  async function noteLoss(service: DeliveryService, process: ServiceProcess): Promise<void> {
    const { code, signal: by } = await process.exited;
    if (running.get(service) === process || besides.has(process))
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
    await lookAtMemory(service);
    running.delete(service);
    await process[how]();
  }

  async function memoryNow(service: DeliveryService): Promise<Memory | null> {
    const process = running.get(service);
    return process === undefined ? null : await memoryOf(process.pid);
  }

  async function lookAtMemory(service: DeliveryService): Promise<number> {
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
      await lookAtMemory(service);
      besides.freeze(frozen);
      await start(service);
      await besides.thawAndEnd(frozen, times);
    },
    process: (service) => running.get(service) ?? null,
    memoryNow,
    memoryHighestBytes: lookAtMemory,
    losses: () => losses,
    said: async (service, event) => (await Promise.all((logs.get(service) ?? []).map((file) => linesOf(file, event)))).flat(),
    async stop() {
      await besides.end();
      await Promise.all(deliveryServices.map((service) => end(service, "stop")));
    },
  };
}

/** 2 */
function keepBesides(time: Time, signal: AbortSignal) {
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

async function linesOf(file: string, event: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  const mark = `"event":"${event}"`;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.includes(mark)) continue;
    const fields = fieldsOf(line);
    if (fields !== null) found.push(fields);
  }
  return found;
}

/** Null: a line that was cut by a kill. */
function fieldsOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null ? { ...fields } : null;
  } catch {
    return null;
  }
}
