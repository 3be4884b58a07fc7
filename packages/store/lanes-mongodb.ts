// The collection `lanes` on MongoDB: who owns a (service, partition), under which epoch, and how far it has come.

import { Fault } from "@sluice/runtime";
import type { Collection } from "mongodb";
import { fromStoredLane, laneId, newLane } from "./lane-document.ts";
import type { StoredLane } from "./lane-document.ts";
import { guarded, isInserted } from "./mongodb-faults.ts";
import type { LaneDocument, LaneStore } from "./port.ts";

/** Owners that may come between the reading and the raising of an epoch before a take-over gives up. */
const takeOverTriesMax = 20;

export function lanesIn(collection: Collection<StoredLane>): LaneStore {
  return {
    takeOver: (service, partition) =>
      guarded("lanes.takeOver", "write", async () => {
        for (let tries = 0; tries < takeOverTriesMax; tries += 1) {
          const taken = await raiseEpoch(collection, service, partition);
          if (taken !== null) return taken;
        }
        throw new Fault("store.contended", `lanes.takeOver: ${takeOverTriesMax} others were faster`, { isRetryable: true });
      }),

    write: (service, partition, epoch, position, state) =>
      guarded("lanes.write", "write", async () => {
        const changed = state === undefined ? { position } : { position, state: JSON.stringify(state) };
        const { matchedCount } = await collection.updateOne({ _id: laneId(service, partition), epoch }, { $set: changed });
        return matchedCount === 1;
      }),

    async list(service) {
      const found = await guarded("lanes.list", "read", () => collection.find({ service }, { sort: { partition: 1 } }).toArray());
      return found.map(fromStoredLane);
    },

    hold: (service, partition, { id, untilMs }) =>
      guarded("lanes.hold", "write", async () => {
        const _id = laneId(service, partition);
        const found = await collection.findOne({ _id });
        if (found === null || (found.hold !== undefined && found.hold !== null && found.hold.id !== id)) return null;
        const raised = found.hold?.id === id ? {} : { $inc: { epoch: 1 } };
        const { matchedCount } = await collection.updateOne(
          { _id, epoch: found.epoch, "hold.id": found.hold?.id ?? null },
          { $set: { hold: { id, until: new Date(untilMs) } }, ...raised },
        );
        const held = matchedCount === 1 ? await collection.findOne({ _id, "hold.id": id }) : null;
        return held === null ? null : fromStoredLane(held);
      }),

    release: (service, partition, holdId) =>
      guarded("lanes.release", "write", async () => {
        const { matchedCount } = await collection.updateOne(
          { _id: laneId(service, partition), "hold.id": holdId },
          { $set: { hold: null } },
        );
        return matchedCount === 1;
      }),

    switchTo: (service, partition, holdId, { build, position, state }) =>
      guarded("lanes.switchTo", "write", async () => {
        const { matchedCount } = await collection.updateOne(
          { _id: laneId(service, partition), "hold.id": holdId },
          { $set: { build, position, state: JSON.stringify(state), hold: null }, $inc: { epoch: 1 } },
        );
        return matchedCount === 1;
      }),
  };
}

/** Null: another owner came between. */
async function raiseEpoch(collection: Collection<StoredLane>, service: string, partition: number): Promise<LaneDocument | null> {
  const _id = laneId(service, partition);
  const found = await collection.findOne({ _id });
  if (found === null) {
    const made = newLane(service, partition);
    return (await isInserted(() => collection.insertOne(made))) ? fromStoredLane(made) : null;
  }
  const { matchedCount } = await collection.updateOne({ _id, epoch: found.epoch }, { $inc: { epoch: 1 } });
  if (matchedCount !== 1) return null;
  // The old owner may have written its position between the reading and the raising; from now on it cannot.
  const taken = await collection.findOne({ _id, epoch: found.epoch + 1 });
  // Already taken over by the next: this epoch was ours, and every write in it will be refused.
  return fromStoredLane(taken ?? { ...found, epoch: found.epoch + 1 });
}
