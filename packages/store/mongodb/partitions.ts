// The collection `partitions` on MongoDB: the owner's epoch and the position of each (service, partition).

import { Fault } from "@sluice/kernel";
import type { Collection } from "mongodb";
import { partitionCodec, newStoredPartition, partitionDocumentId, type StoredPartition } from "../documents/partition-document.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import type { PartitionDocument, PartitionStore } from "../port.ts";

/** A take-over gives up after this many other owners came between reading and raising the epoch. */
const takeOverTriesMax = 20;

export function createMongoPartitions(collection: Collection<StoredPartition>): PartitionStore {
  return {
    takeOver: (service, partition) =>
      runGuarded("partitions.takeOver", "write", async () => {
        for (let tries = 0; tries < takeOverTriesMax; tries += 1) {
          const taken = await raiseEpoch(collection, service, partition);
          if (taken !== null) return taken;
        }
        throw new Fault("store.contended", `partitions.takeOver: ${takeOverTriesMax} other owners were faster`, { isRetryable: true });
      }),

    write: (service, partition, { epoch, position: from }, position, state) =>
      runGuarded("partitions.write", "write", async () => {
        const changed = state === undefined ? { position } : { position, state: JSON.stringify(state) };
        const held = { _id: partitionDocumentId(service, partition), epoch, position: { $gte: from, $lte: position } };
        const { matchedCount } = await collection.updateOne(held, { $set: changed });
        return matchedCount === 1;
      }),

    noteLog: (service, partition, epoch, log) =>
      runGuarded("partitions.noteLog", "write", async () => {
        const unnoted = { _id: partitionDocumentId(service, partition), epoch, log: null };
        const { matchedCount } = await collection.updateOne(unnoted, { $set: { log: { ...log } } });
        return matchedCount === 1;
      }),

    async list(service) {
      const found = await runGuarded("partitions.list", "read", () => collection.find({ service }, { sort: { partition: 1 } }).toArray());
      return found.map(partitionCodec.decode);
    },

    positions: (service) =>
      runGuarded("partitions.positions", "read", async () => {
        const wanted = { sort: { partition: 1 }, projection: { partition: 1, epoch: 1, position: 1 } } as const;
        const found = await collection.find({ service }, wanted).toArray();
        return found.map(({ partition, epoch, position }) => ({ partition, epoch, position }));
      }),

    lock: (service, partition, { id, untilMs }) =>
      runGuarded("partitions.lock", "write", async () => {
        const _id = partitionDocumentId(service, partition);
        const found = await collection.findOne({ _id });
        if (found === null || (found.rebuildLock !== null && found.rebuildLock.id !== id)) return null;
        const raised = found.rebuildLock?.id === id ? {} : { $inc: { epoch: 1 } };
        const { matchedCount } = await collection.updateOne(
          { _id, epoch: found.epoch, "rebuildLock.id": found.rebuildLock?.id ?? null },
          { $set: { rebuildLock: { id, until: new Date(untilMs) } }, ...raised },
        );
        const held = matchedCount === 1 ? await collection.findOne({ _id, "rebuildLock.id": id }) : null;
        return held === null ? null : partitionCodec.decode(held);
      }),

    unlock: (service, partition, holdId) =>
      runGuarded("partitions.unlock", "write", async () => {
        const { matchedCount } = await collection.updateOne(
          { _id: partitionDocumentId(service, partition), "rebuildLock.id": holdId },
          { $set: { rebuildLock: null } },
        );
        return matchedCount === 1;
      }),

    switchTo: (service, partition, holdId, { build, position, state }) =>
      runGuarded("partitions.switchTo", "write", async () => {
        const { matchedCount } = await collection.updateOne(
          { _id: partitionDocumentId(service, partition), "rebuildLock.id": holdId },
          { $set: { build, position, state: JSON.stringify(state), rebuildLock: null }, $inc: { epoch: 1 } },
        );
        return matchedCount === 1;
      }),
  };
}

/** Returns null where another owner came in between. */
async function raiseEpoch(collection: Collection<StoredPartition>, service: string, partition: number): Promise<PartitionDocument | null> {
  const _id = partitionDocumentId(service, partition);
  const found = await collection.findOne({ _id });
  if (found === null) {
    const made = newStoredPartition(service, partition);
    return (await tryInsert(() => collection.insertOne(made))) ? partitionCodec.decode(made) : null;
  }
  const { matchedCount } = await collection.updateOne({ _id, epoch: found.epoch }, { $inc: { epoch: 1 } });
  if (matchedCount !== 1) return null;
  // The old owner may have written its position between the read and the raise; now it can no longer write.
  const taken = await collection.findOne({ _id, epoch: found.epoch + 1 });
  // The next owner has already taken over: this epoch was ours, and every write under it will be refused.
  return partitionCodec.decode(taken ?? { ...found, epoch: found.epoch + 1 });
}
