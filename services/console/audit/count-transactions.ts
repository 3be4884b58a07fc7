// countTransactions: how many transactions match a search, by state and bank, with their sums.
//
// #1 It is exact, and reads every transaction that matches: one count of an operator at a time, so that nobody keeps
//    the store busy with several.

import type { ControlHandler } from "../http/control-handler.ts";
import { createRequestSlots } from "../http/request-slots.ts";
import { parseSearchTerms } from "../queries/parse-search-terms.ts";
import { addSealedTerms } from "../views/sealed-terms.ts";
import type { SearchPorts } from "../queries/search-transactions.ts";
import { formatAmount, invalidRequest } from "../views/control-values.ts";

const countsMax = 4;

export function countTransactions({ store, searchHashes }: SearchPorts): ControlHandler {
  const slots = createRequestSlots({ slotsMax: countsMax, slotsPerCallerMax: 1 });
  return async ({ operator, query }) => {
    const given = parseSearchTerms(query, operator.schemes);
    if (typeof given === "string") return invalidRequest(given);
    const terms = await addSealedTerms(given, searchHashes);
    if (typeof terms === "string") return invalidRequest(terms);
    const slot = slots.acquire(operator.id);
    if (slot === null) return { kind: "unavailable", detail: "Another count is under way. Ask again." };
    try {
      const totals = await store.transactions.totals(terms);
      const groups = Map.groupBy(totals, ({ state, bank, currency }) => [state, bank ?? "", currency ?? ""].join(" "));
      const rows = [...groups]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, group]) => {
          const [first] = group;
          if (first === undefined) return [];
          const { state, bank, currency } = first;
          const sum = group.reduce((all, one) => all + one.sumTenThousandths, 0n);
          const count = group.reduce((all, one) => all + one.count, 0);
          return [{ state, bank, count, currency, sum: currency === null ? null : formatAmount(sum, currency) }];
        });
      return { kind: "found", body: { schema: "TransactionCounts", count: rows.reduce((all, { count }) => all + count, 0), rows } };
    } finally {
      slot.release();
    }
  };
}
