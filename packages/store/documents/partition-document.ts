// The document of the collection `partitions`: one (service, partition). `state` is plain JSON that belongs to the service,
// kept as text so that every value comes back unchanged; a bigint in it throws.

import type { PartitionDocument } from "../port.ts";

export interface StoredPartition {
  readonly _id: string;
  readonly service: string;
  readonly partition: number;
  readonly epoch: number;
  readonly position: bigint;
  readonly state: string;
  /** Absent in documents written before builds existed. */
  readonly build?: number;
  readonly rebuildLock?: { readonly id: string; readonly until: Date } | null;
}

export function partitionDocumentId(service: string, partition: number): string {
  return `${service}:${partition}`;
}

export function newStoredPartition(service: string, partition: number): StoredPartition {
  return {
    _id: partitionDocumentId(service, partition),
    service,
    partition,
    epoch: 1,
    position: 0n,
    state: "null",
    build: 0,
    rebuildLock: null,
  };
}

export function fromStoredPartition(stored: StoredPartition): PartitionDocument {
  const { service, partition, epoch, position, state, build = 0, rebuildLock = null } = stored;
  return {
    service,
    partition,
    epoch,
    position,
    state: JSON.parse(state) as unknown,
    build,
    rebuildLock: rebuildLock === null ? null : { id: rebuildLock.id, untilMs: rebuildLock.until.getTime() },
  };
}
