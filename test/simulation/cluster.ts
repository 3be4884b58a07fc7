// Runs the processes of a simulated installation. Each service has one or more instances, which crash by plan or by an
// error, and which the cluster restarts after a delay as a supervisor does.

import type { MemoryClient, MemoryBroker } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/kernel";
import { type CrashPlan, type SimulatedProcess, startSimulatedProcess } from "./simulated-process.ts";
import type { Trace } from "./trace.ts";

/** The ports with which a service is started, as this process sees them. */
export interface SimulatedProcessPorts {
  readonly process: SimulatedProcess;
  /** The number of the instance, from 0. */
  readonly instance: number;
  readonly time: Time;
  readonly random: Random;
  readonly messaging: MemoryClient;
  readonly fail: (reason: unknown) => void;
}

interface ServiceKind<R extends Running> {
  readonly name: string;
  readonly instances: number;
  start(ports: SimulatedProcessPorts): Promise<R>;
}

export interface ClusterOptions {
  readonly time: Time;
  readonly random: Random;
  readonly broker: MemoryBroker;
  readonly trace: Trace;
  readonly crashes: () => CrashPlan;
  readonly skewMaxMs: number;
}

export interface Replicas<R extends Running> {
  /** The instances that are running now, in order of their numbers. */
  up(): readonly { readonly running: R; readonly process: SimulatedProcess }[];
  /** Stops an instance in an orderly way, as an update does, and starts it again; one that is down is left alone. */
  replace(number: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Cluster {
  run<R extends Running>(kind: ServiceKind<R>): Replicas<R>;
  /**
   * Cuts one randomly chosen process off from the broker. After its session has expired it is a zombie that still
   * reaches the store. A frozen process also stops, and continues its work after others have taken over.
   */
  cutOne(durationMs: number, isFrozen: boolean): void;
  /** Ends all processes, and starts none for so many milliseconds. */
  stopAll(forMs: number): void;
  /** The crashes so far, with their reasons. */
  readonly crashes: readonly string[];
}

interface Life {
  readonly process: SimulatedProcess;
  readonly messaging: MemoryClient;
}

interface Shared {
  readonly crashes: string[];
  readonly lives: Map<string, Life>;
  /** The monotonic time before which no process is started again. */
  startsFromMs: number;
}

/** Milliseconds of a freeze, longer than a session, so that others take over. */
const freezeMinMs = 7_000;
const freezeMaxMs = 14_000;
const restartMinMs = 200;
const restartMaxMs = 3_000;
const crashesMax = 1_000;

export function createCluster(options: ClusterOptions): Cluster {
  const shared: Shared = { crashes: [], lives: new Map(), startsFromMs: 0 };
  const { crashes, lives } = shared;
  return {
    crashes,
    run: (kind) => runKind(options, shared, kind),
    stopAll(forMs) {
      shared.startsFromMs = options.time.monotonicMs() + forMs;
      for (const { process } of lives.values()) process.kill("stopped");
    },
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

function runKind<R extends Running>(options: ClusterOptions, shared: Shared, kind: ServiceKind<R>): Replicas<R> {
  const { time, random } = options;
  const { crashes, lives } = shared;
  const ups = new Map<number, { readonly running: R; readonly process: SimulatedProcess }>();
  let isStopped = false;

  function launch(number: number, life: number): void {
    const name = `${kind.name}-${number}.${life}`;
    const messaging = options.broker.client(name);
    const onDeath = (why: string): void => {
      ups.delete(number);
      lives.delete(name);
      messaging.kill();
      crashes.push(`${name}: ${why}`);
      if (crashes.length > crashesMax) throw new Error(`more than ${crashesMax} crashes, the last: ${why}`);
      const waitMs = Math.max(0, shared.startsFromMs - time.monotonicMs());
      const delayMs = waitMs + restartMinMs + random.fraction() * (restartMaxMs - restartMinMs);
      time.after(delayMs, () => {
        if (!isStopped) launch(number, life + 1);
      });
    };
    const skewMs = Math.round((random.fraction() * 2 - 1) * options.skewMaxMs);
    const freeze = (): void => {
      const struckLife = lives.get(name);
      if (struckLife !== undefined) cut(options, name, struckLife, freezeMinMs + random.fraction() * (freezeMaxMs - freezeMinMs), true);
    };
    const process = startSimulatedProcess({
      name,
      time,
      random,
      trace: options.trace,
      crashes: options.crashes,
      skewMs,
      onFreeze: freeze,
      onDeath,
    });
    lives.set(name, { process, messaging });
    const fail = (reason: unknown): void => process.kill(`failed: ${String(reason)}`);
    const ports: SimulatedProcessPorts = {
      process,
      instance: number,
      time: process.time,
      random,
      messaging: process.through("messaging", messaging),
      fail,
    };
    void startService(ports);

    async function startService(processPorts: SimulatedProcessPorts): Promise<void> {
      try {
        const running = await kind.start(processPorts);
        if (process.isAlive()) ups.set(number, { running, process });
      } catch (reason) {
        fail(reason);
      }
    }
  }

  for (let number = 0; number < kind.instances; number += 1) launch(number, 1);
  return {
    up: () => [...ups.entries()].toSorted(([a], [b]) => a - b).map(([, up]) => up),
    async replace(number) {
      const up = ups.get(number);
      await up?.running.stop();
      up?.process.kill("replaced");
    },
    async stop() {
      isStopped = true;
      await Promise.all([...ups.values()].map(({ running }) => running.stop()));
    },
  };
}
