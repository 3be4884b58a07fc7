// Transactions of the store in memory.

import { assertBulk, assertPage, assertSearch } from "./bounds.ts";
import { stoodOn, toAccounted } from "./ledger-document.ts";
import { order, pick } from "./memory-call.ts";
import type { Call } from "./memory-call.ts";
import { dayParts, fromStored, itemsOf, toRow, toStored } from "./transaction-document.ts";
import type { StoredTransaction } from "./transaction-document.ts";
import { isFound } from "./transaction-query.ts";
import { addUp } from "./transaction-totals.ts";
import type { BuildTransactions, LaneChoice } from "./transactions-routed.ts";
import { toSummary } from "./transaction-summary.ts";

export function transactionsIn(call: Call, kept: Map<string, StoredTransaction>): BuildTransactions {
  const all = (): StoredTransaction[] => [...kept.values()].sort((a, b) => order(a._id, b._id));
  return {
    async load(uetrs) {
      assertBulk(uetrs.length);
      return call("transactions.load", uetrs, null, () => pick(kept, uetrs, fromStored));
    },
    async write(writes) {
      assertBulk(writes.length);
      const sorted = writes
        .map(({ document, expectedVersion }) => ({ stored: toStored(document), expectedVersion }))
        .sort((a, b) => order(a.stored._id, b.stored._id));
      const keys = sorted.map(({ stored }) => stored._id);
      return call("transactions.write", keys, sorted, (documentsMax) => {
        const conflicts: string[] = [];
        for (const { stored, expectedVersion } of sorted.slice(0, documentsMax)) {
          if ((kept.get(stored._id)?.version ?? 0) === expectedVersion) kept.set(stored._id, stored);
          else conflicts.push(stored._id);
        }
        return { conflicts };
      });
    },
    async open(lane, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.open", [`${lane}`], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && stored.isOpen && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(toRow),
      );
    },
    async held(lane, bank, day, afterQueueKey, limit) {
      assertPage(limit);
      const { scheme, businessDate } = dayParts(day);
      return call("transactions.held", [`${lane}`, bank, day], [afterQueueKey, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && stored.state === "HELD" && stored.bank === bank)
          .filter((stored) => stored.scheme === scheme && stored.businessDate === businessDate)
          .filter((stored) => afterQueueKey === null || stored.queueKey > afterQueueKey)
          .sort((a, b) => order(a.queueKey, b.queueKey))
          .slice(0, limit)
          .map(toRow),
      );
    },
    async accounted(lane, day, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.accounted", [`${lane}`, day], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && stoodOn(stored, day) && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(toAccounted),
      );
    },
    async documents(lane, afterUetr, limit) {
      assertSearch(limit);
      return call("transactions.documents", [`${lane}`], [afterUetr, limit], () =>
        all()
          .filter((stored) => stored.lane === lane && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .map(fromStored),
      );
    },
    remove: (lane) =>
      call("transactions.remove", [`${lane}`], null, () => {
        for (const stored of all()) if (stored.lane === lane) kept.delete(stored._id);
      }),
    ...forPeople(call, kept),
  };
}

function forPeople(
  call: Call,
  kept: Map<string, StoredTransaction>,
): Pick<BuildTransactions, "identified" | "items" | "search" | "totals"> {
  const all = (lanes: LaneChoice): StoredTransaction[] =>
    [...kept.values()].filter(({ lane }) => isAmong(lane, lanes)).sort((a, b) => order(a._id, b._id));
  return {
    async identified(lanes, sender, messageIdentification, limit) {
      assertPage(limit);
      return call("transactions.identified", [sender, messageIdentification], [limit], () =>
        all(lanes)
          .filter(({ message }) => message?.sender === sender && message.messageIdentification === messageIdentification)
          .slice(0, limit)
          .map(({ _id }) => _id),
      );
    },
    async items(lanes, day, afterUetr, limit) {
      assertPage(limit);
      return call("transactions.items", [day], [afterUetr, limit], () =>
        all(lanes)
          .filter((stored) => stored.items.some((item) => item.day === day) && (afterUetr === null || stored._id > afterUetr))
          .slice(0, limit)
          .flatMap((stored) => itemsOf(stored, day)),
      );
    },
    async search(lanes, query, afterUetr, limit) {
      assertSearch(limit);
      return call("transactions.search", [], [query, afterUetr, limit], () =>
        all(lanes)
          .filter((stored) => (afterUetr === null || stored._id > afterUetr) && isFound(stored, query))
          .slice(0, limit)
          .map(toSummary),
      );
    },
    totals: (lanes, query) =>
      call("transactions.totals", [], query, () => {
        const totals = addUp();
        for (const stored of all(lanes)) if (isFound(stored, query)) totals.add(stored);
        return totals.rows();
      }),
  };
}

function isAmong(lane: number, lanes: LaneChoice): boolean {
  if (lanes === null) return true;
  return "among" in lanes ? lanes.among.includes(lane) : !lanes.except.includes(lane);
}
