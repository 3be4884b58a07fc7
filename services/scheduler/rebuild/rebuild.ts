// All lanes, or one, built anew one after another; and what earlier builds left, removed.

import type { Store } from "@sluice/store";
import { rebuildLane } from "./rebuild-lane.ts";
import type { RebuildOptions, RebuildPorts, RebuiltLane } from "./rebuild-lane.ts";

/** `lane` null: all. `told`: each lane when it is done. */
export async function rebuild(
  ports: RebuildPorts,
  lane: number | null,
  options: RebuildOptions,
  told: (lane: RebuiltLane) => void,
): Promise<readonly RebuiltLane[]> {
  const built: RebuiltLane[] = [];
  for (let next = lane ?? 0; next < (lane === null ? ports.lanes : lane + 1); next += 1) {
    const one = await rebuildLane(ports, next, options);
    if (one === null) continue;
    built.push(one);
    told(one);
  }
  return built;
}

/** A lane's documents in builds older than the one that it uses. Answers how many such lanes and builds were looked at. */
export async function dropOld({ builds, lanes }: Pick<Store, "builds" | "lanes">, service: string): Promise<number> {
  const there = await builds.list();
  let dropped = 0;
  for (const { partition, build } of await lanes.list(service)) {
    for (const older of there.filter((one) => one < build)) {
      await builds.remove(partition, older);
      dropped += 1;
    }
  }
  return dropped;
}
