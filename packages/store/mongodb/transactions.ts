// The collection `transactions` on MongoDB.
//
// #1 One bulk per call: new documents by an unordered insertMany (E11000 means that another writer was first), known
//    ones by an unordered bulkWrite of updateOne on {_id, version}, which sets only what changed where that is known
//    (`changed-members.ts`). Both are sorted by `_id`, so that two owners never wait for each other in a cycle.
// #2 bulkWrite returns totals only. Where fewer matched than were sent, the batch is reread: a document that has the id
//    of this write was written. One that was written and at once overwritten by another writer is named as a conflict;
//    its owner rereads it, as after any conflict, and finds its records applied.
// #3 A partition's open transactions fit into one page as a rule, and are asked for once, in no order: debits wait for
//    that at each take-over. Where they fill the first page, they are read in sixteen parts by the first digit of the
//    UETR. Some servers sort what their index returns and would sort the rest of a partition for each page, which with
//    a million held debits took longer than the rest of a take-over.
// #4 The newest are read in slices of time for the same reason (`newest-slices.ts`): a million were sorted for a page.

import { type AnyBulkWriteOperation, type Collection, type Filter, type FindOptions, ObjectId } from "mongodb";
import { assertBulk, assertPage, assertSearch } from "../bounds.ts";
import { type MemberWrite, WrittenDocuments } from "../documents/changed-members.ts";
import { accountedFields, toAccounted } from "../documents/ledger-document.ts";
import { insertIgnoringDuplicates, runGuarded } from "./mongodb-faults.ts";
import {
  transactionCodec,
  itemsForDay,
  type MongoTransaction,
  openRowFields,
  splitDay,
  toOpenOrUnreadRow,
  toOpenRow,
} from "../documents/transaction-document.ts";
import { toMongoFilter } from "../documents/transaction-query.ts";
import { readMongoTotals } from "./transaction-totals.ts";
import { summaryFields, toSummary } from "../documents/transaction-summary.ts";
import { sliceNewest, type SliceBound } from "../documents/newest-slices.ts";
import type { OpenRow, SummaryRow, UnreadRow } from "../port.ts";
import type { BuildTransactions, PartitionChoice } from "../builds/route-transactions.ts";

/** The number of documents that a cursor fetches at a time. */
const batchDocuments = 1_000;

export function createMongoTransactions(collection: Collection<MongoTransaction>): BuildTransactions {
  const written = new WrittenDocuments();
  return {
    async load(uetrs) {
      assertBulk(uetrs.length);
      if (uetrs.length === 0) return new Map();
      const found = await runGuarded("transactions.load", "read", () =>
        collection.find({ _id: { $in: [...uetrs] } }, { batchSize: batchDocuments }).toArray(),
      );
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(uetrs.flatMap((uetr) => (byId.has(uetr) ? [[uetr, transactionCodec.decode(byId.get(uetr)!)] as const] : [])));
    },

    async versions(uetrs) {
      assertBulk(uetrs.length);
      if (uetrs.length === 0) return new Map();
      const found = await runGuarded("transactions.versions", "read", () =>
        collection.find({ _id: { $in: [...uetrs] } }, { projection: { partition: 1, version: 1 }, batchSize: batchDocuments }).toArray(),
      );
      return new Map(found.map(({ _id, partition, version }) => [_id, { partition, version }]));
    },

    async write(writes) {
      assertBulk(writes.length);
      const sorted = written.encode(writes);
      const writeId = new ObjectId();
      const answer = await runGuarded("transactions.write", "write", async () => {
        const [taken, lost] = await Promise.all([
          insertNew(
            collection,
            sorted.filter((write) => write.expectedVersion === 0),
            writeId,
          ),
          updateKnown(
            collection,
            sorted.filter((write) => write.expectedVersion !== 0),
            writeId,
          ),
        ]);
        return { conflicts: [...taken, ...lost].sort() };
      });
      written.acknowledge(sorted, answer.conflicts);
      return answer;
    },

    ...createPartitionReads(collection),
    ...createPeopleQueries(collection),
  };
}

/** #3: the bounds of the parts that may hold a UETR after this one, in order; the first and the last are open. */
function partsAfter(uetr: string | null): readonly { readonly $gt?: string; readonly $gte?: string; readonly $lt?: string }[] {
  const begins = Array.from("123456789abcdef");
  const first = uetr === null ? 0 : begins.filter((begin) => begin <= uetr).length;
  return Array.from({ length: begins.length + 1 - first }, (_, index) => {
    const from = index === 0 ? (uetr === null ? {} : { $gt: uetr }) : { $gte: begins[first + index - 1]! };
    const to = begins[first + index];
    return { ...from, ...(to === undefined ? {} : { $lt: to }) };
  });
}

function createPartitionReads(
  collection: Collection<MongoTransaction>,
): Pick<BuildTransactions, "open" | "quarantined" | "held" | "accounted" | "documents" | "remove"> {
  return {
    async open(partition, afterUetr, limit) {
      assertPage(limit);
      const find = async (bounds: Filter<MongoTransaction>, page: Pick<FindOptions, "limit" | "sort">) => {
        const options = { ...page, projection: openRowFields, batchSize: batchDocuments };
        const filter: Filter<MongoTransaction> = { partition, isOpen: true, ...bounds };
        return await runGuarded("transactions.open", "read", () => collection.find(filter, options).toArray());
      };
      // #3
      const all = afterUetr === null ? await find({}, { limit }) : null;
      if (all !== null && all.length < limit) return all.toSorted((a, b) => (a._id < b._id ? -1 : 1)).map(toOpenOrUnreadRow);
      const rows: (OpenRow | UnreadRow)[] = [];
      for (const part of partsAfter(afterUetr)) {
        const left = limit - rows.length;
        if (left === 0) break;
        const found = await find(Object.keys(part).length === 0 ? {} : { _id: part }, { limit: left, sort: { _id: 1 } });
        rows.push(...found.map(toOpenOrUnreadRow));
      }
      return rows;
    },

    async quarantined(partition, limit) {
      assertPage(limit);
      const since = "quarantined.since";
      const filter: Filter<MongoTransaction> = { [since]: { $gt: new Date(0) }, partition };
      const found = await runGuarded("transactions.quarantined", "read", () =>
        collection.find(filter, { projection: { _id: 1 }, sort: { [since]: 1, _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(({ _id }) => _id);
    },

    async held(partition, bank, day, afterQueueKey, limit) {
      assertPage(limit);
      const after = afterQueueKey === null ? {} : { queueKey: { $gt: afterQueueKey } };
      const filter: Filter<MongoTransaction> = { partition, bank, ...splitDay(day), state: "HELD", ...after };
      const found = await runGuarded("transactions.held", "read", () =>
        collection.find(filter, { projection: openRowFields, sort: { queueKey: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toOpenRow);
    },
    async accounted(partition, day, afterUetr, limit) {
      assertPage(limit);
      const { scheme, businessDate } = splitDay(day);
      const after = afterUetr === null ? {} : { _id: { $gt: afterUetr } };
      const filter: Filter<MongoTransaction> = { partition, scheme, "transitions.businessDate": businessDate, ...after };
      const found = await runGuarded("transactions.accounted", "read", () =>
        collection.find(filter, { projection: accountedFields, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toAccounted);
    },

    async documents(partition, afterUetr, limit) {
      assertSearch(limit);
      const filter: Filter<MongoTransaction> = { partition, ...(afterUetr === null ? {} : { _id: { $gt: afterUetr } }) };
      const found = await runGuarded("transactions.documents", "read", () =>
        collection.find(filter, { sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(transactionCodec.decode);
    },

    async remove(partition) {
      await runGuarded("transactions.remove", "write", () => collection.deleteMany({ partition }));
    },
  };
}

function createPeopleQueries(
  collection: Collection<MongoTransaction>,
): Pick<BuildTransactions, "identified" | "items" | "search" | "newest" | "totals"> {
  return {
    async identified(partitions, sender, messageIdentification, limit) {
      assertPage(limit);
      const filter: Filter<MongoTransaction> = {
        ...filterPartitions(partitions),
        "message.sender": sender,
        "message.messageIdentification": messageIdentification,
      };
      const found = await runGuarded("transactions.identified", "read", () =>
        collection.find(filter, { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(({ _id }) => _id);
    },

    async items(partitions, day, afterUetr, limit) {
      assertPage(limit);
      const filter: Filter<MongoTransaction> = {
        ...filterPartitions(partitions),
        "items.day": day,
        ...(afterUetr === null ? {} : { _id: { $gt: afterUetr } }),
      };
      const found = await runGuarded("transactions.items", "read", () =>
        collection
          .find(filter, { projection: { _id: 1, bank: 1, items: 1 }, sort: { _id: 1 }, limit, batchSize: batchDocuments })
          .toArray(),
      );
      return found.flatMap((stored) => itemsForDay(stored, day));
    },

    async search(partitions, query, afterUetr, limit) {
      assertSearch(limit);
      const asked = { $and: [toMongoFilter(query), filterPartitions(partitions)] };
      const filter: Filter<MongoTransaction> = afterUetr === null ? asked : { $and: [asked, { _id: { $gt: afterUetr } }] };
      const found = await runGuarded("transactions.search", "read", () =>
        collection.find(filter, { projection: summaryFields, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toSummary);
    },

    async newest(partitions, query, after, limit) {
      assertSearch(limit);
      const asked = [toMongoFilter(query), filterPartitions(partitions)];
      const sort = { receivedAt: -1, _id: -1 } as const;
      const rows: SummaryRow[] = [];
      for (const slice of sliceNewest(query, after)) {
        const filter: Filter<MongoTransaction> = { $and: [...asked, ...slice.map(toSliceFilter)] };
        const options = { projection: summaryFields, sort, limit: limit - rows.length, batchSize: batchDocuments };
        const found = await runGuarded("transactions.newest", "read", () => collection.find(filter, options).toArray());
        rows.push(...found.map(toSummary));
        if (rows.length >= limit) break;
      }
      return rows;
    },

    totals: (partitions, query) => readMongoTotals(collection, query, filterPartitions(partitions)),
  };
}

/** The range in front lets a server begin at the place in the index. */
function toSliceFilter(bound: SliceBound): Filter<MongoTransaction> {
  if ("sinceMs" in bound) return { receivedAt: { $gt: new Date(bound.sinceMs) } };
  if ("untilMs" in bound) return { receivedAt: { $lte: new Date(bound.untilMs) } };
  const receivedAt = new Date(bound.olderThan.receivedAtMs);
  return {
    $and: [{ receivedAt: { $lte: receivedAt } }, { $or: [{ receivedAt: { $lt: receivedAt } }, { _id: { $lt: bound.olderThan.uetr } }] }],
  };
}

/** Returns the ids that another writer had inserted. */
async function insertNew(
  collection: Collection<MongoTransaction>,
  writes: readonly MemberWrite[],
  writeId: ObjectId,
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const documents = writes.map(({ whole }) => ({ ...whole!, writeId }));
  const taken = await insertIgnoringDuplicates(() => collection.insertMany(documents, { ordered: false }));
  return taken.map((index) => writes[index]!.uetr);
}

/** Returns the ids whose version was not the expected one. */
async function updateKnown(
  collection: Collection<MongoTransaction>,
  writes: readonly MemberWrite[],
  writeId: ObjectId,
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const operations = writes.map(({ uetr, members, expectedVersion }): AnyBulkWriteOperation<MongoTransaction> => {
    const { _id, ...changed } = members;
    return { updateOne: { filter: { _id: uetr, version: expectedVersion }, update: { $set: { ...changed, writeId } } } };
  });
  const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
  if (matchedCount === writes.length) return [];
  const ids = writes.map(({ uetr }) => uetr);
  const found = await collection.find({ _id: { $in: ids } }, { projection: { _id: 1, writeId: 1 }, batchSize: batchDocuments }).toArray();
  const written = new Set(found.filter((stored) => stored.writeId.equals(writeId)).map((stored) => stored._id));
  return ids.filter((id) => !written.has(id));
}

function filterPartitions(partitions: PartitionChoice): Filter<MongoTransaction> {
  if (partitions === null) return {};
  return "among" in partitions ? { partition: { $in: [...partitions.among] } } : { partition: { $nin: [...partitions.except] } };
}
