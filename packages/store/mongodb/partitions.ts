// The collection `partitions` on MongoDB: the owner's epoch and the position of each (service, partition).
//
// #1 A bulk answers totals only. Where fewer documents matched than were sent, each is written alone: one that the bulk
//    wrote matches again.

import { Fault } from "@sluice/kernel";
import { type Collection, ObjectId } from "mongodb";
import {
  addOwner,
  nextBuild,
  partitionCodec,
  newStoredPartition,
  rebuildCodec,
  partitionDocumentId,
  type StoredPartition,
  unprovenCodec,
} from "../documents/partition-document.ts";
import { runGuarded, tryInsert } from "./mongodb-faults.ts";
import { assertBulk } from "../bounds.ts";
import type { PartitionDocument, PartitionStore, PartitionWrite } from "../port.ts";

/** A take-over gives up after this many other owners came between reading and raising the epoch. */
const takeOverTriesMax = 20;

export function createMongoPartitions(collection: Collection<StoredPartition>): PartitionStore {
  function writeOne(write: PartitionWrite): Promise<boolean> {
    const { filter, update } = toUpdate(write);
    return runGuarded("partitions.write", "write", async () => (await collection.updateOne(filter, update)).matchedCount === 1);
  }

  return {
    takeOver: (service, partition) =>
      runGuarded("partitions.takeOver", "write", async () => {
        for (let tries = 0; tries < takeOverTriesMax; tries += 1) {
          const taken = await raiseEpoch(collection, service, partition);
          if (taken !== null) return taken;
        }
        throw contended("partitions.takeOver");
      }),

    write: (service, partition, held, position, state, unproven = null) =>
      writeOne({ service, partition, held, position, state, unproven }),

    moveBack: (service, partition, { epoch, owners, position: from }, position) =>
      runGuarded("partitions.moveBack", "write", async () => {
        const held = {
          _id: partitionDocumentId(service, partition),
          epoch,
          "owners.0": owners[0] ?? null,
          position: { $gte: position, $lte: from },
        };
        return (await collection.updateOne(held, { $set: { position, unproven: null } })).matchedCount === 1;
      }),

    async writeMany(writes) {
      assertBulk(writes.length);
      if (writes.length <= 1) return await Promise.all(writes.map(writeOne));
      const updates = writes.map((write) => ({ updateOne: toUpdate(write) }));
      const { matchedCount } = await runGuarded("partitions.write", "write", () => collection.bulkWrite(updates, { ordered: false }));
      // #1
      return matchedCount === writes.length ? writes.map(() => true) : await Promise.all(writes.map(writeOne));
    },

    noteLog: (service, partition, epoch, log) =>
      runGuarded("partitions.noteLog", "write", async () => {
        const unnoted = { _id: partitionDocumentId(service, partition), epoch, log: null };
        const { matchedCount } = await collection.updateOne(unnoted, { $set: { log: { ...log } } });
        return matchedCount === 1;
      }),

    noteRebuild: (service, partition, progress) =>
      runGuarded("partitions.noteRebuild", "write", async () => {
        await collection.updateOne({ _id: partitionDocumentId(service, partition) }, { $set: { rebuild: rebuildCodec.encode(progress) } });
      }),

    async list(service) {
      const found = await runGuarded("partitions.list", "read", () => collection.find({ service }, { sort: { partition: 1 } }).toArray());
      return found.map(partitionCodec.decode);
    },

    positions: (service) =>
      runGuarded("partitions.positions", "read", async () => {
        const wanted = { sort: { partition: 1 }, projection: { partition: 1, epoch: 1, owners: 1, position: 1 } } as const;
        const found = await collection.find({ service }, wanted).toArray();
        return found.map(({ partition, epoch, owners, position }) => ({ partition, epoch, owners: owners ?? [], position }));
      }),

    ...createRebuildWrites(collection),
  };
}

/** Sets position and state on condition of what the writer holds. */
function toUpdate({ service, partition, held: { epoch, owners, position: from }, position, state, unproven }: PartitionWrite) {
  const moved = { position, unproven: unprovenCodec.encode(unproven) };
  const changed = state === undefined ? moved : { ...moved, state: JSON.stringify(state) };
  const _id = partitionDocumentId(service, partition);
  const filter = { _id, epoch, "owners.0": owners[0] ?? null, position: { $gte: from, $lte: position } };
  return { filter, update: { $set: changed } };
}

function createRebuildWrites(collection: Collection<StoredPartition>): Pick<PartitionStore, "claimBuild" | "lock" | "unlock" | "switchTo"> {
  return {
    claimBuild: (service, partition, least) =>
      runGuarded("partitions.claimBuild", "write", async () => {
        const _id = partitionDocumentId(service, partition);
        for (let tries = 0; tries < takeOverTriesMax; tries += 1) {
          const found = await collection.findOne({ _id });
          if (found === null) return null;
          const lastBuild = nextBuild(found, least);
          const unclaimed = { _id, build: found.build, lastBuild: found.lastBuild ?? { $exists: false } };
          const { matchedCount } = await collection.updateOne(unclaimed, { $set: { lastBuild } });
          if (matchedCount === 1) return lastBuild;
        }
        throw contended("partitions.claimBuild");
      }),

    lock: (service, partition, { id, untilMs }) =>
      runGuarded("partitions.lock", "write", async () => {
        const _id = partitionDocumentId(service, partition);
        const found = await collection.findOne({ _id });
        if (found === null || (found.rebuildLock !== null && found.rebuildLock.id !== id)) return null;
        const raised = found.rebuildLock?.id === id ? {} : raise(found);
        const { matchedCount } = await collection.updateOne(
          { _id, epoch: found.epoch, "rebuildLock.id": found.rebuildLock?.id ?? null },
          { $set: { rebuildLock: { id, until: new Date(untilMs) }, ...raised } },
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
        const _id = partitionDocumentId(service, partition);
        const to = { build, position, state: JSON.stringify(state), rebuildLock: null, unproven: null };
        for (let tries = 0; tries < takeOverTriesMax; tries += 1) {
          const found = await collection.findOne({ _id, "rebuildLock.id": holdId });
          if (found === null) return false;
          const held = { _id, "rebuildLock.id": holdId, epoch: found.epoch };
          const { matchedCount } = await collection.updateOne(held, { $set: { ...to, ...raise(found) } });
          if (matchedCount === 1) return true;
        }
        throw contended("partitions.switchTo");
      }),
  };
}

/** Returns null where another owner came in between. */
async function raiseEpoch(collection: Collection<StoredPartition>, service: string, partition: number): Promise<PartitionDocument | null> {
  const _id = partitionDocumentId(service, partition);
  const found = await collection.findOne({ _id });
  if (found === null) {
    const made = newStoredPartition(service, partition, drawName());
    return (await tryInsert(() => collection.insertOne(made))) ? partitionCodec.decode(made) : null;
  }
  const raised = raise(found);
  const { matchedCount } = await collection.updateOne({ _id, epoch: found.epoch }, { $set: raised });
  if (matchedCount !== 1) return null;
  // The old owner may have written its position between the read and the raise; now it can no longer write.
  const taken = await collection.findOne({ _id, epoch: raised.epoch });
  // The next owner has already taken over: this epoch was ours, and every write under it will be refused.
  return partitionCodec.decode(taken ?? { ...found, ...raised });
}

function raise({ epoch, owners }: StoredPartition): Pick<StoredPartition, "epoch" | "owners"> {
  return { epoch: epoch + 1, owners: addOwner(epoch + 1, drawName(), owners) };
}

/** The driver makes a name that no other process makes. */
function drawName(): string {
  return new ObjectId().toHexString();
}

function contended(operation: string): Fault {
  return new Fault("store.contended", `${operation}: ${takeOverTriesMax} other owners were faster`, { isRetryable: true });
}
