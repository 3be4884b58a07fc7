// Joins what the leaders and the coordinator say of the partitions that a consumer is assigned.

import type { AssignedOffsets, PartitionEnds } from "../../port.ts";

export type AssignedLogs = ReadonlyMap<number, AssignedOffsets>;

/** `committed` has -1 where the group has committed nothing. */
export function withCommitted(ends: ReadonlyMap<number, PartitionEnds>, committed: ReadonlyMap<number, bigint>): AssignedLogs {
  return new Map(
    [...ends].map(([partition, both]) => {
      const offset = committed.get(partition) ?? -1n;
      return [partition, { ...both, committed: offset < 0n ? null : offset }];
    }),
  );
}
