// Learns from a take-over by the scheduler which build holds its partition's transactions, so that its own reads and
// writes go there.

import type { PartitionStore } from "../port.ts";
import type { PartitionBuild } from "./route-transactions.ts";

export function trackBuilds(partitions: PartitionStore, learn: (partition: PartitionBuild) => void): PartitionStore {
  return {
    ...partitions,
    async takeOver(service, partition) {
      const taken = await partitions.takeOver(service, partition);
      if (service === "scheduler") learn(taken);
      return taken;
    },
  };
}
