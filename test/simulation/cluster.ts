// The processes of a simulated installation: each service in one or more instances, killed by the plan or by what they meet, and
// started anew after a while, as a supervisor does.

import type { MemoryClient, MemoryLog } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { CrashPlan, SimulatedProcess } from "./simulated-process.ts";
import { startProcess } from "./simulated-process.ts";
import type { Trace } from "./trace.ts";

/** What a service is started with: this process's own view of everything. */
export interface ProcessPorts {
  readonly process: SimulatedProcess;
  readonly time: Time;
  readonly random: Random;
  readonly messaging: MemoryClient;
  readonly fail: (reason: unknown) => void;
}

export interface ServiceKind<R extends Running> {
  readonly name: string;
  readonly instances: number;
  start(ports: ProcessPorts): Promise<R>;
}

export interface ClusterOptions {
  readonly time: Time;
  readonly random: Random;
  readonly log: MemoryLog;
  readonly trace: Trace;
  readonly crashes: () => CrashPlan;
  readonly skewMaxMs: number;
}

export interface Replicas<R extends Running> {
  /** Instances that are up now, in order of their numbers. */
  up(): readonly { readonly running: R; readonly process: SimulatedProcess }[];
  stop(): Promise<void>;
}

export interface Cluster {
  run<R extends Running>(kind: ServiceKind<R>): Replicas<R>;
  /**
   * Cuts one live process, drawn, off from the log for a while: longer than its session, it is a zombie that still reaches the store.
   * A frozen one also stands still, and goes on with what it was doing when others have long taken over.
   */
  cutOne(durationMs: number, isFrozen: boolean): void;
  /** Crashes so far, with their reason. */
  readonly crashes: readonly string[];
}

interface Life {
  readonly process: SimulatedProcess;
  readonly messaging: MemoryClient;
}

/** Longer than a session, so that others take over. */
const freezeMinMs = 7_000;
const freezeMaxMs = 14_000;
const restartMinMs = 200;
const restartMaxMs = 3_000;
const crashesMax = 1_000;

export function createCluster(options: ClusterOptions): Cluster {
  const crashes: string[] = [];
  const lives = new Map<string, Life>();
  return {
    crashes,
    run: (kind) => runKind(options, crashes, lives, kind),
    cutOne(durationMs, isFrozen) {
      const [name, life] = [...lives][Math.floor(options.random.fraction() * lives.size)] ?? [];
      if (name !== undefined && life !== undefined) cut(options, name, life, durationMs, isFrozen);
    },
  };
}

function cut({ trace }: ClusterOptions, name: string, { messaging, process }: Life, durationMs: number, isFrozen: boolean): void {
  trace.add(name, "messaging", "cut", [durationMs]);
  messaging.cut(durationMs);
  if (isFrozen) process.freeze(durationMs);
}

function runKind<R extends Running>(
  options: ClusterOptions,
  crashes: string[],
  lives: Map<string, Life>,
  kind: ServiceKind<R>,
): Replicas<R> {
  const { time, random } = options;
  const ups = new Map<number, { readonly running: R; readonly process: SimulatedProcess }>();
  let isStopped = false;

  function launch(number: number, life: number): void {
    const name = `${kind.name}-${number}.${life}`;
    const messaging = options.log.client(name);
    const died = (why: string): void => {
      ups.delete(number);
      lives.delete(name);
      messaging.kill();
      crashes.push(`${name}: ${why}`);
      if (crashes.length > crashesMax) throw new Error(`more than ${crashesMax} crashes, the last: ${why}`);
      const delayMs = restartMinMs + random.fraction() * (restartMaxMs - restartMinMs);
      time.after(delayMs, () => {
        if (!isStopped) launch(number, life + 1);
      });
    };
    const skewMs = Math.round((random.fraction() * 2 - 1) * options.skewMaxMs);
    const struck = (): void => {
      const struckLife = lives.get(name);
      if (struckLife !== undefined) cut(options, name, struckLife, freezeMinMs + random.fraction() * (freezeMaxMs - freezeMinMs), true);
    };
    const process = startProcess({ name, time, random, trace: options.trace, crashes: options.crashes, skewMs, struck, died });
    lives.set(name, { process, messaging });
    const fail = (reason: unknown): void => process.kill(`failed: ${String(reason)}`);
    const ports: ProcessPorts = { process, time: process.time, random, messaging: process.through("messaging", messaging), fail };
    void started(ports);

    async function started(given: ProcessPorts): Promise<void> {
      try {
        const running = await kind.start(given);
        if (process.isAlive()) ups.set(number, { running, process });
      } catch (reason) {
        fail(reason);
      }
    }
  }

  for (let number = 0; number < kind.instances; number += 1) launch(number, 1);
  return {
    up: () => [...ups.entries()].toSorted(([a], [b]) => a - b).map(([, up]) => up),
    async stop() {
      isStopped = true;
      await Promise.all([...ups.values()].map(({ running }) => running.stop()));
    },
  };
}
