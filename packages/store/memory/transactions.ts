// Transactions of the memory store.

import { assert } from "@sluice/kernel";
import { assertBulk, assertPage, assertSearch } from "../bounds.ts";
import type { MemberWrite, WrittenDocuments } from "../documents/changed-members.ts";
import { wasOnDay, toAccounted } from "../documents/ledger-document.ts";
import { compareText, type MemoryCall, pickKept } from "./memory-call.ts";
import {
  transactionCodec,
  itemsForDay,
  splitDay,
  type StoredTransaction,
  toOpenOrUnreadRow,
  toOpenRow,
} from "../documents/transaction-document.ts";
import { matchesQuery } from "../documents/transaction-query.ts";
import { createTotals } from "../documents/transaction-totals.ts";
import type { BuildTransactions, PartitionChoice } from "../builds/route-transactions.ts";
import { toSummary } from "../documents/transaction-summary.ts";

export function createMemoryTransactions(
  call: MemoryCall,
  kept: Map<string, StoredTransaction>,
  written: WrittenDocuments,
): BuildTransactions {
  const all = (): StoredTransaction[] => [...kept.values()].sort((a, b) => compareText(a._id, b._id));
  return {
    async load(uetrs) {
      assertBulk(uetrs.length);
      return call("transactions.load", uetrs, null, () => pickKept(kept, uetrs, transactionCodec.decode));
    },
    async versions(uetrs) {
      assertBulk(uetrs.length);
      return call("transactions.versions", uetrs, null, () => pickKept(kept, uetrs, ({ partition, version }) => ({ partition, version })));
    },
    async write(writes) {
      assertBulk(writes.length);
      const sorted = written.encode(writes);
      const keys = sorted.map(({ uetr }) => uetr);
      const payload = sorted.map(({ members, expectedVersion }) => ({ members, expectedVersion }));
      const answer = await call("transactions.write", keys, payload, (documentsMax) => {
        const conflicts: string[] = [];
        for (const one of sorted.slice(0, documentsMax)) {
          const { uetr, expectedVersion } = one;
          const found = kept.get(uetr);
          if ((found?.version ?? 0) === expectedVersion) kept.set(uetr, setMembers(found, one));
          else conflicts.push(uetr);
        }
        return { conflicts };
      });
      written.acknowledge(sorted, answer.conflicts);
      return answer;
    },
    async documents(partition, afterUetr, limit) {
      assertSearch(limit);
      return call("transactions.documents", [`${partition}`], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.partition === partition && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(transactionCodec.decode),
      );
    },
    remove: (partition) =>
      call("transactions.remove", [`${partition}`], null, () => {
        for (const stored of all()) if (stored.partition === partition) kept.delete(stored._id);
      }),
    ...createPartitionReads(call, all),
    ...createPeopleQueries(call, kept),
  };
}

/** As `$set` does. Stored documents never change. */
function setMembers(found: StoredTransaction | undefined, { whole, members }: MemberWrite): StoredTransaction {
  if (found !== undefined) return { ...found, ...members };
  assert(whole !== null, "a document that is inserted is whole");
  return whole;
}

function createPartitionReads(
  call: MemoryCall,
  all: () => StoredTransaction[],
): Pick<BuildTransactions, "open" | "quarantined" | "held" | "accounted"> {
  return {
    async open(partition, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.open", [`${partition}`], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.partition === partition && stored.isOpen && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(toOpenOrUnreadRow),
      );
    },
    async quarantined(partition, limit) {
      assertPage(limit);
      return call("transactions.quarantined", [`${partition}`], limit, () =>
        all()
          .flatMap(({ _id, partition: place, quarantined }) => (place === partition && quarantined !== null ? [{ _id, quarantined }] : []))
          .sort((a, b) => a.quarantined.since.getTime() - b.quarantined.since.getTime() || compareText(a._id, b._id))
          .slice(0, limit)
          .map(({ _id }) => _id),
      );
    },
    async held(partition, bank, day, afterQueueKey, limit) {
      assertPage(limit);
      const { scheme, businessDate } = splitDay(day);
      return call("transactions.held", [`${partition}`, bank, day], [afterQueueKey, limit], () =>
        all()
          .filter((stored) => stored.partition === partition && stored.state === "HELD" && stored.bank === bank)
          .filter((stored) => stored.scheme === scheme && stored.businessDate === businessDate)
          .map(toOpenRow)
          .filter(({ queueKey }) => afterQueueKey === null || queueKey > afterQueueKey)
          .sort((a, b) => compareText(a.queueKey, b.queueKey))
          .slice(0, limit),
      );
    },
    async accounted(partition, day, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.accounted", [`${partition}`, day], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.partition === partition && wasOnDay(stored, day) && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(toAccounted),
      );
    },
  };
}

function createPeopleQueries(
  call: MemoryCall,
  kept: Map<string, StoredTransaction>,
): Pick<BuildTransactions, "identified" | "items" | "search" | "newest" | "totals"> {
  const all = (partitions: PartitionChoice): StoredTransaction[] =>
    [...kept.values()].filter(({ partition }) => isChosen(partition, partitions)).sort((a, b) => compareText(a._id, b._id));
  return {
    async identified(partitions, sender, messageIdentification, limit) {
      assertPage(limit);
      return call("transactions.identified", [sender, messageIdentification], [limit], () =>
        all(partitions)
          .filter(({ message }) => message?.sender === sender && message.messageIdentification === messageIdentification)
          .slice(0, limit)
          .map(({ _id }) => _id),
      );
    },
    async items(partitions, day, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.items", [day], [afterUetr, limit], () =>
        all(partitions)
          .filter((stored) => stored.items.some((item) => item.day === day) && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .flatMap((stored) => itemsForDay(stored, day)),
      );
    },
    async search(partitions, query, afterUetr, limit) {
      assertSearch(limit);
      return call("transactions.search", [], [query, afterUetr, limit], () =>
        all(partitions)
          .filter((stored) => (afterUetr === null || stored._id > afterUetr) && matchesQuery(stored, query))
          .slice(0, limit)
          .map(toSummary),
      );
    },
    async newest(partitions, query, after, limit) {
      assertSearch(limit);
      const isAfter = ({ receivedAt, _id }: StoredTransaction): boolean =>
        "aboutMs" in after ||
        receivedAt.getTime() < after.receivedAtMs ||
        (receivedAt.getTime() === after.receivedAtMs && _id < after.uetr);
      return call("transactions.newest", [], [query, after, limit], () =>
        all(partitions)
          .filter((stored) => isAfter(stored) && matchesQuery(stored, query))
          .sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || compareText(b._id, a._id))
          .slice(0, limit)
          .map(toSummary),
      );
    },
    totals: (partitions, query) =>
      call("transactions.totals", [], query, () => {
        const totals = createTotals();
        for (const stored of all(partitions)) if (matchesQuery(stored, query)) totals.add(stored);
        return totals.rows();
      }),
  };
}

function isChosen(partition: number, partitions: PartitionChoice): boolean {
  if (partitions === null) return true;
  return "among" in partitions ? partitions.among.includes(partition) : !partitions.except.includes(partition);
}
