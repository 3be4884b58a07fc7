// The collection `transactions` on MongoDB.
//
// 1. One bulk per call: new documents by an unordered insertMany (E11000 = somebody was first), known ones by an unordered
//    bulkWrite of updateOne on {_id, version}. Both sorted by `_id`, so that two owners never wait for each other in a ring.
// 2. bulkWrite answers totals only. Where fewer matched than were sent, the batch is reread: a document that carries the id
//    of this write was written. One that was written and at once overwritten by another is named as a conflict; its owner
//    rereads it, as after any conflict, and finds its records applied.
// 3. Open transactions are read in sixteen parts by the first digit of the UETR: a server that sorts what its index brings (not all give it in
//    order) would sort the rest of a lane for each page, which with a million held debits took longer than everything else at a take-over.

import { ObjectId } from "mongodb";
import type { AnyBulkWriteOperation, Collection, Filter } from "mongodb";
import { assertBulk, assertPage, assertSearch } from "./bounds.ts";
import { accountedFields, toAccounted } from "./ledger-document.ts";
import { duplicatesOf, guarded } from "./mongodb-faults.ts";
import { dayParts, fromStored, itemsOf, rowFields, toRow, toStored } from "./transaction-document.ts";
import type { StoredTransaction } from "./transaction-document.ts";
import { filterOf } from "./transaction-query.ts";
import { totalsIn } from "./transaction-totals-mongodb.ts";
import { summaryFields, toSummary } from "./transaction-summary.ts";
import type { OpenRow } from "./port.ts";
import type { BuildTransactions, LaneChoice } from "./transactions-routed.ts";

/** `writeId` names the bulk that wrote the document last. */
export type MongoTransaction = StoredTransaction & { readonly writeId: ObjectId };

interface Write {
  readonly stored: StoredTransaction;
  readonly expectedVersion: number;
}

/** Documents that a cursor brings at a time. */
const batchDocuments = 1_000;

export function transactionsIn(collection: Collection<MongoTransaction>): BuildTransactions {
  return {
    async load(uetrs) {
      assertBulk(uetrs.length);
      if (uetrs.length === 0) return new Map();
      const found = await guarded("transactions.load", "read", () =>
        collection.find({ _id: { $in: [...uetrs] } }, { batchSize: batchDocuments }).toArray(),
      );
      const byId = new Map(found.map((stored) => [stored._id, stored]));
      return new Map(uetrs.flatMap((uetr) => (byId.has(uetr) ? [[uetr, fromStored(byId.get(uetr)!)] as const] : [])));
    },

    async write(writes) {
      assertBulk(writes.length);
      const sorted = writes
        .map(({ document, expectedVersion }): Write => ({ stored: toStored(document), expectedVersion }))
        .sort((a, b) => (a.stored._id < b.stored._id ? -1 : 1));
      const writeId = new ObjectId();
      return guarded("transactions.write", "write", async () => {
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
    },

    ...ofLanes(collection),
    ...forPeople(collection),
  };
}

/** #3: bounds of the parts that may hold a UETR after this one, in order; the first and the last are open. */
function partsAfter(uetr: string | null): readonly { readonly $gt?: string; readonly $gte?: string; readonly $lt?: string }[] {
  const begins = Array.from("123456789abcdef");
  const first = uetr === null ? 0 : begins.filter((begin) => begin <= uetr).length;
  return Array.from({ length: begins.length + 1 - first }, (_, index) => {
    const from = index === 0 ? (uetr === null ? {} : { $gt: uetr }) : { $gte: begins[first + index - 1]! };
    const to = begins[first + index];
    return { ...from, ...(to === undefined ? {} : { $lt: to }) };
  });
}

function ofLanes(
  collection: Collection<MongoTransaction>,
): Pick<BuildTransactions, "open" | "held" | "accounted" | "documents" | "remove"> {
  return {
    async open(lane, afterUetr, limit) {
      assertPage(limit);
      const rows: OpenRow[] = [];
      for (const part of partsAfter(afterUetr)) {
        const left = limit - rows.length;
        if (left === 0) break;
        const filter: Filter<MongoTransaction> = { lane, isOpen: true, ...(Object.keys(part).length === 0 ? {} : { _id: part }) };
        const found = await guarded("transactions.open", "read", () =>
          collection.find(filter, { projection: rowFields, sort: { _id: 1 }, limit: left, batchSize: batchDocuments }).toArray(),
        );
        rows.push(...found.map(toRow));
      }
      return rows;
    },

    async held(lane, bank, day, afterQueueKey, limit) {
      assertPage(limit);
      const after = afterQueueKey === null ? {} : { queueKey: { $gt: afterQueueKey } };
      const filter: Filter<MongoTransaction> = { lane, bank, ...dayParts(day), state: "HELD", ...after };
      const found = await guarded("transactions.held", "read", () =>
        collection.find(filter, { projection: rowFields, sort: { queueKey: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toRow);
    },
    async accounted(lane, day, afterUetr, limit) {
      assertPage(limit);
      const { scheme, businessDate } = dayParts(day);
      const after = afterUetr === null ? {} : { _id: { $gt: afterUetr } };
      const filter: Filter<MongoTransaction> = { lane, scheme, "transitions.businessDate": businessDate, ...after };
      const found = await guarded("transactions.accounted", "read", () =>
        collection.find(filter, { projection: accountedFields, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toAccounted);
    },

    async documents(lane, afterUetr, limit) {
      assertSearch(limit);
      const filter: Filter<MongoTransaction> = { lane, ...(afterUetr === null ? {} : { _id: { $gt: afterUetr } }) };
      const found = await guarded("transactions.documents", "read", () =>
        collection.find(filter, { sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(fromStored);
    },

    async remove(lane) {
      await guarded("transactions.remove", "write", () => collection.deleteMany({ lane }));
    },
  };
}

function forPeople(collection: Collection<MongoTransaction>): Pick<BuildTransactions, "identified" | "items" | "search" | "totals"> {
  return {
    async identified(lanes, sender, messageIdentification, limit) {
      assertPage(limit);
      const filter: Filter<MongoTransaction> = {
        ...amongLanes(lanes),
        "message.sender": sender,
        "message.messageIdentification": messageIdentification,
      };
      const found = await guarded("transactions.identified", "read", () =>
        collection.find(filter, { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(({ _id }) => _id);
    },

    async items(lanes, day, afterUetr, limit) {
      assertPage(limit);
      const filter: Filter<MongoTransaction> = {
        ...amongLanes(lanes),
        "items.day": day,
        ...(afterUetr === null ? {} : { _id: { $gt: afterUetr } }),
      };
      const found = await guarded("transactions.items", "read", () =>
        collection
          .find(filter, { projection: { _id: 1, bank: 1, items: 1 }, sort: { _id: 1 }, limit, batchSize: batchDocuments })
          .toArray(),
      );
      return found.flatMap((stored) => itemsOf(stored, day));
    },

    async search(lanes, query, afterUetr, limit) {
      assertSearch(limit);
      const asked = { $and: [filterOf(query), amongLanes(lanes)] };
      const filter: Filter<MongoTransaction> = afterUetr === null ? asked : { $and: [asked, { _id: { $gt: afterUetr } }] };
      const found = await guarded("transactions.search", "read", () =>
        collection.find(filter, { projection: summaryFields, sort: { _id: 1 }, limit, batchSize: batchDocuments }).toArray(),
      );
      return found.map(toSummary);
    },

    totals: (lanes, query) => totalsIn(collection, query, amongLanes(lanes)),
  };
}

/** Answers the ids that somebody else had inserted. */
async function insertNew(
  collection: Collection<MongoTransaction>,
  writes: readonly Write[],
  writeId: ObjectId,
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const documents = writes.map(({ stored }) => ({ ...stored, writeId }));
  const taken = await duplicatesOf(() => collection.insertMany(documents, { ordered: false }));
  return taken.map((index) => writes[index]!.stored._id);
}

/** Answers the ids whose version was not the expected one. */
async function updateKnown(
  collection: Collection<MongoTransaction>,
  writes: readonly Write[],
  writeId: ObjectId,
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const operations = writes.map(({ stored, expectedVersion }): AnyBulkWriteOperation<MongoTransaction> => {
    const { _id, ...fields } = stored;
    return { updateOne: { filter: { _id, version: expectedVersion }, update: { $set: { ...fields, writeId } } } };
  });
  const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
  if (matchedCount === writes.length) return [];
  const ids = writes.map(({ stored }) => stored._id);
  const found = await collection.find({ _id: { $in: ids } }, { projection: { _id: 1, writeId: 1 }, batchSize: batchDocuments }).toArray();
  const written = new Set(found.filter((stored) => stored.writeId.equals(writeId)).map((stored) => stored._id));
  return ids.filter((id) => !written.has(id));
}

function amongLanes(lanes: LaneChoice): Filter<MongoTransaction> {
  if (lanes === null) return {};
  return "among" in lanes ? { lane: { $in: [...lanes.among] } } : { lane: { $nin: [...lanes.except] } };
}
