// The processor time that others use beside the cluster: a bound on a wait holds only where the cores are free.
//
// #1 The node, its pods and what runs in its network, this test among it, are in one cgroup that only counts.

import { readFile } from "node:fs/promises";

export interface ProcessorTime {
  readonly atMs: number;
  /** Seconds of all processes of the machine, since its start. */
  readonly allS: number;
  /** Seconds of the cluster and of the test. */
  readonly clusterS: number;
}

/** #1 */
const clusterFile = "/sys/fs/cgroup/cpuacct/sluice-kubernetes/cpuacct.usage";
/** Parts of a second in which the kernel counts. */
const ticksPerSecond = 100;

export async function readProcessorTime(nowMs: number): Promise<ProcessorTime> {
  const [all, cluster] = await Promise.all([readFile("/proc/stat", "utf8"), readFile(clusterFile, "utf8")]);
  return { atMs: nowMs, allS: parseBusySeconds(all), clusterS: Number(cluster) / 1e9 };
}

/** `stat` is the content of /proc/stat: user, nice, system, idle, iowait, irq, softirq and others. */
export function parseBusySeconds(stat: string): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (stat.split("\n")[0] ?? "").split(/ +/).map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond;
}

/** The cores that others used between the two. */
export function coresOfOthers(before: ProcessorTime, after: ProcessorTime): number {
  const usedS = after.allS - before.allS - (after.clusterS - before.clusterS);
  return Math.max(0, usedS / ((after.atMs - before.atMs) / 1_000));
}
