// The document of the collection `partitions`: one (service, partition). `state` is plain JSON that belongs to the
// service, kept as text so that every value comes back unchanged; a bigint in it throws.

import type { PartitionDocument, RebuildLock, StoredLogIdentity } from "../port.ts";
import { as, date, derived, document, json, nullable, plain, type StoredIn } from "./codec.ts";

export type StoredPartition = StoredIn<typeof partitionCodec>;

export function partitionDocumentId(service: string, partition: number): string {
  return `${service}:${partition}`;
}

export const partitionCodec = document<PartitionDocument>()({
  _id: derived(({ service, partition }: PartitionDocument) => partitionDocumentId(service, partition)),
  service: plain,
  partition: plain,
  epoch: plain,
  position: plain,
  state: json,
  build: plain,
  log: nullable(document<StoredLogIdentity>()({ clusterId: plain, topicId: plain })),
  rebuildLock: nullable(document<RebuildLock>()({ id: plain, until: as("untilMs", date) })),
});

export function newStoredPartition(service: string, partition: number): StoredPartition {
  return partitionCodec.encode({ service, partition, epoch: 1, position: 0n, state: null, build: 0, log: null, rebuildLock: null });
}
