// Simulates an operator who rebuilds the store while the day runs. The process of the rebuild dies and is started again
// as every other one. An operator who sees differences looks again later, because a store that has gone back differs
// from the journal until its partitions have read the journal again.

import { rulesVersion } from "@sluice/domain";
import { type Running, sleep, type Time } from "@sluice/kernel";
import { journalHandlers, rebuildPartitions, type SchedulerPorts } from "@sluice/scheduler";
import type { Cluster, SimulatedProcessPorts } from "./cluster.ts";

export interface SimulatedRebuildOptions {
  readonly cluster: Cluster;
  /** Milliseconds from the start of the run; null for no rebuild. */
  readonly atMs: number | null;
  readonly time: Time;
  readonly ports: (ports: SimulatedProcessPorts) => SchedulerPorts;
}

export interface SimulatedRebuild {
  /** 1 from the planned time until every partition was compared without differences, and switched. */
  pendingCount(): number;
  stop(): Promise<void>;
}

const lookAgainMs = 5_000;
const done: Running = { readiness: () => ({ isReady: true, reasons: [] }), stop: () => Promise.resolve() };

export function startSimulatedRebuild({ cluster, atMs, time, ports }: SimulatedRebuildOptions): SimulatedRebuild {
  let pending = atMs === null ? 0 : 1;
  let builders = 0;
  let stop = (): Promise<void> => Promise.resolve();

  async function rebuild(own: SchedulerPorts): Promise<Running> {
    builders += 1;
    const builder = { handlers: journalHandlers, rulesVersion, service: "scheduler", builderId: `builder-${builders}`, progress: () => {} };
    while (pending > 0) {
      const built = await rebuildPartitions({ ...own, ...builder }, null, { isDryRun: false, accepts: "nothing" }, () => {});
      if (built.length === own.partitionCount && built.every(({ isSwitched }) => isSwitched)) pending = 0;
      else await sleep(own.time, lookAgainMs);
    }
    return done;
  }

  if (atMs !== null)
    time.after(atMs, () => {
      const builder = cluster.run({ name: "rebuild", instances: 1, start: (own) => rebuild(ports(own)) });
      stop = () => builder.stop();
    });
  return { pendingCount: () => pending, stop: () => stop() };
}
