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
  /** Crashes so far, with their reason. */
  readonly crashes: readonly string[];
}

const restartMinMs = 200;
const restartMaxMs = 3_000;
const crashesMax = 1_000;

export function createCluster(options: ClusterOptions): Cluster {
  const crashes: string[] = [];
  return {
    crashes,
    run: (kind) => runKind(options, crashes, kind),
  };
}

function runKind<R extends Running>(options: ClusterOptions, crashes: string[], kind: ServiceKind<R>): Replicas<R> {
  const { time, random } = options;
  const ups = new Map<number, { readonly running: R; readonly process: SimulatedProcess }>();
  let isStopped = false;

  function launch(number: number, life: number): void {
    const name = `${kind.name}-${number}.${life}`;
    const messaging = options.log.client(name);
    const died = (why: string): void => {
      ups.delete(number);
      messaging.kill();
      crashes.push(`${name}: ${why}`);
      if (crashes.length > crashesMax) throw new Error(`more than ${crashesMax} crashes, the last: ${why}`);
      const delayMs = restartMinMs + random.fraction() * (restartMaxMs - restartMinMs);
      time.after(delayMs, () => {
        if (!isStopped) launch(number, life + 1);
      });
    };
    const skewMs = Math.round((random.fraction() * 2 - 1) * options.skewMaxMs);
    const process = startProcess({ name, time, random, trace: options.trace, crashes: options.crashes, skewMs, died });
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
