// The document of the collection `partitions`: one (service, partition). `state` is plain JSON that belongs to the
// service, kept as text so that every value comes back unchanged; a bigint in it throws.

import type { PartitionDocument, RebuildLock, RebuildProgress, StoredLogIdentity, UnprovenPosition, WrittenDocument } from "../port.ts";
import { as, date, derived, document, json, list, nullable, numberSince, plain, type StoredIn, textsSince } from "./codec.ts";

export type StoredPartition = StoredIn<typeof partitionCodec>;

export function partitionDocumentId(service: string, partition: number): string {
  return `${service}:${partition}`;
}

export const unprovenCodec = nullable(
  document<UnprovenPosition>()({
    from: plain,
    written: list(document<WrittenDocument>()({ kind: plain, id: plain, version: plain })),
  }),
);

export const rebuildCodec = nullable(
  document<RebuildProgress>()({
    id: plain,
    startedAt: as("startedMs", date),
    updatedAt: as("updatedMs", date),
    done: plain,
    of: plain,
    lastPartition: plain,
    end: plain,
  }),
);

export const partitionCodec = document<PartitionDocument>()({
  _id: derived(({ service, partition }: PartitionDocument) => partitionDocumentId(service, partition)),
  service: plain,
  partition: plain,
  epoch: plain,
  position: plain,
  state: json,
  build: plain,
  log: nullable(document<StoredLogIdentity>()({ clusterId: plain, topicId: plain })),
  owners: textsSince,
  lastBuild: numberSince,
  rebuildLock: nullable(document<RebuildLock>()({ id: plain, until: as("untilMs", date) })),
  unproven: unprovenCodec,
  rebuild: rebuildCodec,
});

/** Owners of earlier epochs that a document names. */
const ownersKept = 16;

/** Names the owner of an epoch; `name` is used for no other epoch of any partition. */
export function addOwner(epoch: number, name: string, earlier: readonly string[] = []): readonly string[] {
  return [`${epoch}:${name}`, ...earlier].slice(0, ownersKept);
}

export function newStoredPartition(service: string, partition: number, owner: string): StoredPartition {
  const owners = addOwner(1, owner);
  const unbuilt = { build: 0, lastBuild: 0, log: null, rebuildLock: null, unproven: null, rebuild: null };
  return partitionCodec.encode({ service, partition, epoch: 1, owners, position: 0n, state: null, ...unbuilt });
}

/** The build that is claimed next: greater than every build that was claimed or is in use. */
export function nextBuild({ build, lastBuild }: Pick<StoredPartition, "build" | "lastBuild">, least: number): number {
  return Math.max(build + 1, (lastBuild ?? 0) + 1, least);
}
