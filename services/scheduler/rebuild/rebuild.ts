// Rebuilds all partitions, or one, one after another; and removes what earlier builds left.
//
// #1 A build is dropped when nobody can use it any more: no partition is in it, none is being built in it, and it is
//    empty. A build that is full may be looked at until `removeOldBuilds` empties it.
// #2 A partition is being built in what it claimed last, unless that builder has ended. No number is claimed again once
//    the partitions know a greater one, so what is dropped stays so.

import type { PartitionDocument, Store } from "@sluice/store";
import { createProgressNotes } from "./note-progress.ts";
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
  const last = partition ?? ports.partitionCount - 1;
  const notes = createProgressNotes(ports, last);
  const progress: RebuildPorts["progress"] = (of, done, all) => {
    notes.progress(of, done, all);
    ports.progress(of, done, all);
  };
  for (let next = partition ?? 0; next <= last; next += 1) {
    notes.begun(next);
    const one = await rebuildPartition({ ...ports, progress }, next, { ...options, leastBuild });
    if (one === null) continue;
    notes.ended(one);
    built.push(one);
    onRebuilt(one);
  }
  await notes.settled();
  await dropUnusedBuilds(ports.store, ports.service, built);
  return built;
}

/** #1, #2: `ended` are the partitions whose builders have ended. Returns how many builds were dropped. */
async function dropUnusedBuilds(
  { builds, partitions }: Pick<Store, "builds" | "partitions">,
  service: string,
  ended: readonly Pick<RebuiltPartition, "partition" | "claimed">[],
): Promise<number> {
  // Listed before the partitions: what is claimed after this look is not among them.
  const stored = await builds.list();
  const known = await partitions.list(service);
  const isEnded = (partition: number, build: number): boolean => ended.some((one) => one.partition === partition && one.claimed === build);
  const mayUse = ({ partition, build, lastBuild }: PartitionDocument, one: number): boolean =>
    build === one || (lastBuild === one && !isEnded(partition, one));
  let dropped = 0;
  for (const one of stored) {
    if (one === 0 || known.some((document) => mayUse(document, one)) || !(await isEmpty(builds, known, one))) continue;
    await builds.drop(one);
    dropped += 1;
  }
  return dropped;
}

async function isEmpty(builds: Store["builds"], known: readonly PartitionDocument[], build: number): Promise<boolean> {
  for (const { partition } of known) if ((await builds.documents(partition, build, null, 1)).length > 0) return false;
  return true;
}

/**
 * Removes the documents of builds that a partition no longer uses, and drops what is empty then. Returns how many such
 * builds were removed, over all partitions.
 */
export async function removeOldBuilds(store: Pick<Store, "builds" | "partitions">, service: string): Promise<number> {
  const { builds, partitions } = store;
  const stored = await builds.list();
  let removed = 0;
  for (const { partition, build } of await partitions.list(service)) {
    for (const older of stored.filter((one) => one < build)) {
      await builds.remove(partition, older);
      removed += 1;
    }
  }
  await dropUnusedBuilds(store, service, []);
  return removed;
}
