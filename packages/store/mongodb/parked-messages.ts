// The collections `deliveries` and `postings` on MongoDB: parked messages.

import type { Collection, Filter } from "mongodb";
import { assertBulk, assertPage, assertSearch } from "../bounds.ts";
import { insertIgnoringDuplicates, runGuarded } from "./mongodb-faults.ts";
import {
  parkedMessageCodec,
  type StoredParkedMessage,
  parkedRowCodec,
  attemptStateCodec,
  totalsSortKey,
} from "../documents/parked-message-document.ts";
import type { ParkedCursor, ParkedRow, ParkedSelection, ParkedStore, ParkedTotals } from "../port.ts";

const batchDocuments = 1_000;
const bySequence = { sequence: 1, _id: 1 } as const;

export function createMongoParkedMessages(name: "deliveries" | "postings", collection: Collection<StoredParkedMessage>): ParkedStore {
  async function findRows(call: string, filter: Filter<StoredParkedMessage>, sort: Readonly<Record<string, 1>>, limit: number) {
    const options = { projection: { recordBytes: 0 }, sort: { ...sort }, limit, batchSize: batchDocuments };
    const found = await runGuarded(call, "read", () => collection.find(filter, options).toArray());
    return found.map(parkedRowCodec.decode);
  }

  return {
    ...createWrites(name, collection),

    async listByPartition(partition, after, limit, selection = { exceptReceivers: [] }) {
      assertPage(limit);
      const selected = toFilter(selection);
      const rows: ParkedRow[] = [];
      for (const part of partsAfter(after, limit)) {
        const left = limit - rows.length;
        if (left === 0) break;
        rows.push(...(await findRows(`${name}.listByPartition`, { partition, ...part, ...selected }, bySequence, left)));
      }
      return rows;
    },

    async listByKeys(deliveryKeys, limit) {
      assertBulk(deliveryKeys.length);
      assertPage(limit);
      if (deliveryKeys.length === 0) return [];
      return findRows(`${name}.listByKeys`, { deliveryKey: { $in: [...deliveryKeys] } }, bySequence, limit);
    },

    async load(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await runGuarded(`${name}.load`, "read", () =>
        collection.find({ _id: { $in: [...ids] } }, { batchSize: batchDocuments }).toArray(),
      );
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, parkedMessageCodec.decode(byId.get(id)!)] as const] : [])));
    },

    async versions(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await runGuarded(`${name}.versions`, "read", () =>
        collection.find({ _id: { $in: [...ids] } }, { projection: { version: 1 }, batchSize: batchDocuments }).toArray(),
      );
      return new Map(found.map(({ _id, version }) => [_id, version]));
    },

    async listByReceiver(bank, after, limit, attemptsMin = 0) {
      assertSearch(limit);
      const all: Filter<StoredParkedMessage>[] = [{ ended: { $ne: "stopped" } }];
      if (bank !== null) all.push({ bank });
      if (attemptsMin > 0) all.push({ attempts: { $gte: attemptsMin } });
      if (after !== null) all.push(filterAfter(after));
      return findRows(`${name}.listByReceiver`, { $and: all }, { bank: 1, ...bySequence }, limit);
    },

    async totals() {
      const groups = await runGuarded(`${name}.totals`, "read", () => collection.aggregate<ParkedGroup>(totalsOfBanks).toArray());
      const totals = new Map<string, ParkedTotals>();
      for (const group of groups) {
        const key = totalsSortKey({ bank: group._id.bank, reconciliationDay: group._id.reconciliationDay ?? null });
        totals.set(key, addGroup(totals.get(key), group));
      }
      return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    },
  };
}

function toFilter(selection: ParkedSelection): Filter<StoredParkedMessage> {
  if ("exceptReceivers" in selection) {
    const { exceptReceivers } = selection;
    assertBulk(exceptReceivers.length);
    return exceptReceivers.length === 0 ? {} : { bank: { $nin: [...exceptReceivers] } };
  }
  const { receiverId, operations } = selection.only;
  return operations === null ? { bank: receiverId } : { bank: receiverId, operation: { $in: [...operations] } };
}

function createWrites(
  name: "deliveries" | "postings",
  collection: Collection<StoredParkedMessage>,
): Pick<ParkedStore, "insert" | "update" | "remove" | "raiseVersions"> {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      if (messages.length === 0) return { existing: [] };
      const sorted = messages.map(parkedMessageCodec.encode).sort((a, b) => (a._id < b._id ? -1 : 1));
      const duplicates = await runGuarded(`${name}.insert`, "write", () =>
        insertIgnoringDuplicates(() => collection.insertMany(sorted, { ordered: false })),
      );
      return { existing: duplicates.map((index) => sorted[index]!._id) };
    },

    async update(message, expectedVersion) {
      const changed = attemptStateCodec.encode(message);
      const { matchedCount } = await runGuarded(`${name}.update`, "write", () =>
        collection.updateOne({ _id: message.id, version: expectedVersion }, { $set: changed }),
      );
      return matchedCount === 1;
    },

    async raiseVersions(partition, fromSequence, version) {
      const lesser = { partition, sequence: { $gte: fromSequence }, version: { $lt: version } };
      await runGuarded(`${name}.raiseVersions`, "write", () => collection.updateMany(lesser, { $set: { version } }));
    },

    async remove(messages) {
      assertBulk(messages.length);
      if (messages.length === 0) return { conflicts: [] };
      const sorted = messages.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const removals = sorted.map(({ id, version }) => ({ deleteOne: { filter: { _id: id, version } } }));
      const { deletedCount } = await runGuarded(`${name}.remove`, "write", () => collection.bulkWrite(removals, { ordered: false }));
      if (deletedCount === sorted.length) return { conflicts: [] };
      const left = await runGuarded(`${name}.remove`, "write", () =>
        collection.find({ _id: { $in: sorted.map(({ id }) => id) } }, { projection: { _id: 1 }, batchSize: batchDocuments }).toArray(),
      );
      return { conflicts: left.map(({ _id }) => _id).sort() };
    },
  };
}

function filterAfter({ receiverId, sequence, id }: ParkedCursor): Filter<StoredParkedMessage> {
  return {
    $or: [
      { bank: { $gt: receiverId } },
      { bank: receiverId, sequence: { $gt: sequence } },
      { bank: receiverId, sequence, _id: { $gt: id } },
    ],
  };
}

/** Messages of one receiver and day that are still tried, or that have ended. */
interface ParkedGroup {
  readonly _id: { readonly bank: string; readonly reconciliationDay?: string | null; readonly ended: string | null };
  readonly count: number | bigint;
  readonly oldestSequence: bigint;
  readonly since: Date | null;
  readonly nextAttemptAt: Date;
  readonly deadline: Date | null;
}

const totalsOfBanks = [
  { $match: { ended: { $ne: "stopped" } } },
  {
    $group: {
      _id: { bank: "$bank", reconciliationDay: "$reconciliationDay", ended: "$ended" },
      count: { $sum: 1 },
      oldestSequence: { $min: "$sequence" },
      since: { $min: "$since" },
      nextAttemptAt: { $min: "$nextAttemptAt" },
      deadline: { $min: "$deadline" },
    },
  },
];

function addGroup(
  previous: ParkedTotals | undefined,
  { _id, count, oldestSequence, since, nextAttemptAt, deadline }: ParkedGroup,
): ParkedTotals {
  const isTried = _id.ended === null;
  return {
    receiverId: _id.bank,
    reconciliationDay: _id.reconciliationDay ?? null,
    count: (previous?.count ?? 0) + Number(count),
    refused: (previous?.refused ?? 0) + (isTried ? 0 : Number(count)),
    oldestSequence: previous === undefined || oldestSequence < previous.oldestSequence ? oldestSequence : previous.oldestSequence,
    waitingSinceMs: isTried ? (since?.getTime() ?? null) : (previous?.waitingSinceMs ?? null),
    nextAttemptAtMs: isTried ? nextAttemptAt.getTime() : (previous?.nextAttemptAtMs ?? null),
    deadlineMs: earlier(previous?.deadlineMs ?? null, deadline?.getTime() ?? null),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * The filters of what follows a place, as ranges of growing width. Some servers sort what the index returns, and would
 * sort the rest of a partition for each page; with a million parked messages a page is a small part of it. A receiver
 * that is down has nearly all of its messages there, one behind the other.
 */
function partsAfter(
  after: { readonly sequence: bigint; readonly id: string } | null,
  limit: number,
): readonly Filter<StoredParkedMessage>[] {
  if (after === null) return [{}];
  const { sequence, id } = after;
  const near = sequence + BigInt(4 * limit);
  const far = sequence + BigInt(64 * limit);
  return [
    { sequence, _id: { $gt: id } },
    { sequence: { $gt: sequence, $lte: near } },
    { sequence: { $gt: near, $lte: far } },
    { sequence: { $gt: far } },
  ];
}
