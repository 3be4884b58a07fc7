// The collections `deliveries` and `postings` on MongoDB: messages not acknowledged at once.

import type { Collection, Filter } from "mongodb";
import { assertBulk, assertPage, assertSearch } from "./bounds.ts";
import { duplicatesOf, guarded } from "./mongodb-faults.ts";
import { fromStoredParked, placeOfTotals, toAttemptState, toParkedRow, toStoredParked } from "./parked-document.ts";
import type { StoredParked } from "./parked-document.ts";
import type { ParkedPlace, ParkedRow, ParkedStore, ParkedTotals } from "./port.ts";

const batchDocuments = 1_000;

export function parkedIn(name: "deliveries" | "postings", collection: Collection<StoredParked>): ParkedStore {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      if (messages.length === 0) return;
      const sorted = messages.map(toStoredParked).sort((a, b) => (a._id < b._id ? -1 : 1));
      await guarded(`${name}.insert`, "write", () => duplicatesOf(() => collection.insertMany(sorted, { ordered: false })));
    },

    async update(message) {
      await guarded(`${name}.update`, "write", () => collection.updateOne({ _id: message.id }, { $set: toAttemptState(message) }));
    },

    async remove(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return;
      await guarded(`${name}.remove`, "write", () => collection.deleteMany({ _id: { $in: ids.toSorted() } }));
    },

    async ofLane(lane, after, limit, { butOf } = { butOf: [] }) {
      assertPage(limit);
      assertBulk(butOf.length);
      const banks = butOf.length === 0 ? {} : { bank: { $nin: [...butOf] } };
      const rows: ParkedRow[] = [];
      for (const part of partsAfter(after, limit)) {
        const left = limit - rows.length;
        if (left === 0) break;
        const found = await guarded(`${name}.ofLane`, "read", () =>
          collection
            .find(
              { lane, ...part, ...banks },
              { projection: { recordBytes: 0 }, sort: { sequence: 1, _id: 1 }, limit: left, batchSize: batchDocuments },
            )
            .toArray(),
        );
        rows.push(...found.map(toParkedRow));
      }
      return rows;
    },

    async load(ids) {
      assertBulk(ids.length);
      if (ids.length === 0) return new Map();
      const found = await guarded(`${name}.load`, "read", () =>
        collection.find({ _id: { $in: [...ids] } }, { batchSize: batchDocuments }).toArray(),
      );
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, fromStoredParked(byId.get(id)!)] as const] : [])));
    },

    async ofBank(bank, after, limit) {
      assertSearch(limit);
      const all: Filter<StoredParked>[] = [{ ended: { $ne: "stopped" } }];
      if (bank !== null) all.push({ bank });
      if (after !== null) all.push(beyond(after));
      const filter = { $and: all };
      const found = await guarded(`${name}.ofBank`, "read", () =>
        collection
          .find(filter, { projection: { recordBytes: 0 }, sort: { bank: 1, sequence: 1, _id: 1 }, limit, batchSize: batchDocuments })
          .toArray(),
      );
      return found.map(toParkedRow);
    },

    async totals() {
      const groups = await guarded(`${name}.totals`, "read", () => collection.aggregate<ParkedGroup>(totalsOfBanks).toArray());
      const totals = new Map<string, ParkedTotals>();
      for (const group of groups) {
        const key = placeOfTotals({ bank: group._id.bank, closesWith: group._id.closesWith ?? null });
        totals.set(key, together(totals.get(key), group));
      }
      return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    },
  };
}

function beyond({ bank, sequence, id }: ParkedPlace): Filter<StoredParked> {
  return { $or: [{ bank: { $gt: bank } }, { bank, sequence: { $gt: sequence } }, { bank, sequence, _id: { $gt: id } }] };
}

/** Messages of one bank and day that are still tried, or that are not. */
interface ParkedGroup {
  readonly _id: { readonly bank: string; readonly closesWith?: string | null; readonly ended: string | null };
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
      _id: { bank: "$bank", closesWith: "$closesWith", ended: "$ended" },
      count: { $sum: 1 },
      oldestSequence: { $min: "$sequence" },
      since: { $min: "$since" },
      nextAttemptAt: { $min: "$nextAttemptAt" },
      deadline: { $min: "$deadline" },
    },
  },
];

function together(so: ParkedTotals | undefined, { _id, count, oldestSequence, since, nextAttemptAt, deadline }: ParkedGroup): ParkedTotals {
  const isTried = _id.ended === null;
  return {
    bank: _id.bank,
    closesWith: _id.closesWith ?? null,
    count: (so?.count ?? 0) + Number(count),
    refused: (so?.refused ?? 0) + (isTried ? 0 : Number(count)),
    oldestSequence: so === undefined || oldestSequence < so.oldestSequence ? oldestSequence : so.oldestSequence,
    waitingSinceMs: isTried ? (since?.getTime() ?? null) : (so?.waitingSinceMs ?? null),
    nextAttemptAtMs: isTried ? nextAttemptAt.getTime() : (so?.nextAttemptAtMs ?? null),
    deadlineMs: earlier(so?.deadlineMs ?? null, deadline?.getTime() ?? null),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * What lies after a place, in parts of growing width: a server that sorts what its index brings would sort the rest of a lane for each page, and
 * with a million parked messages a page is little of it. A bank that is down has nearly all of its messages there, one behind the other.
 */
function partsAfter(after: { readonly sequence: bigint; readonly id: string } | null, limit: number): readonly Filter<StoredParked>[] {
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
