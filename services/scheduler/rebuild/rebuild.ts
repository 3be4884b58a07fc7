// Rebuilds all partitions, or one, one after another; and removes what earlier builds left.

import type { Store } from "@sluice/store";
import { type RebuildOptions, rebuildPartition, type RebuildPorts, type RebuiltPartition } from "./rebuild-partition.ts";

/** Rebuilds one partition, or all if it is null; `onRebuilt` is called with each one when it is done. */
export async function rebuildPartitions(
  ports: RebuildPorts,
  partition: number | null,
  options: RebuildOptions,
  onRebuilt: (worker: RebuiltPartition) => void,
): Promise<readonly RebuiltPartition[]> {
  const built: RebuiltPartition[] = [];
  const known = await ports.store.partitions.list(ports.service);
  const leastBuild = 1 + known.reduce((most, { build, lastBuild }) => Math.max(most, build, lastBuild), 0);
  for (let next = partition ?? 0; next < (partition === null ? ports.partitionCount : partition + 1); next += 1) {
    const one = await rebuildPartition(ports, next, { ...options, leastBuild });
    if (one === null) continue;
    built.push(one);
    onRebuilt(one);
  }
  return built;
}

/**
 * Removes the documents of builds that a partition no longer uses. Returns how many such builds were removed, over all
 * partitions.
 */
export async function removeOldBuilds({ builds, partitions }: Pick<Store, "builds" | "partitions">, service: string): Promise<number> {
  const stored = await builds.list();
  let dropped = 0;
  for (const { partition, build } of await partitions.list(service)) {
    for (const older of stored.filter((one) => one < build)) {
      await builds.remove(partition, older);
      dropped += 1;
    }
  }
  return dropped;
}
