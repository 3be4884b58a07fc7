// searchTransactions: transactions by any identification, bank, state, end of an account, amount, date or reason. All
// terms must match. Rows are sorted by UETR, or with `sort=newest` the last received first.
//
// #1 The result is exact: it has every transaction that matches all terms, and no other. A record that is not applied
//    yet is not found (`controlStatus` shows how far the partitions are).

import type { SearchHashes } from "@sluice/secrecy";
import type { NewestCursor, Store, SummaryRow } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { encodeCursor, parsePageRequest } from "../views/page.ts";
import { invalidRequest, formatAmount, formatOptionalInstant } from "../views/control-values.ts";
import { parseSearchTerms } from "./parse-search-terms.ts";
import { addSealedTerms, shownAccountEnd } from "../views/sealed-terms.ts";

export interface SearchPorts {
  readonly store: Pick<Store, "transactions">;
  /** Null: there is no key service. */
  readonly searchHashes: SearchHashes | null;
  readonly brokerNowMs: () => number | null;
}

export function searchTransactions({ store, searchHashes, brokerNowMs }: SearchPorts): ControlHandler {
  return async ({ operator, query }) => {
    const given = parseSearchTerms(query, operator.schemes);
    if (typeof given === "string") return invalidRequest(given);
    const terms = await addSealedTerms(given, searchHashes);
    if (typeof terms === "string") return invalidRequest(terms);
    const sort = query.get("sort") ?? "uetr";
    if (sort !== "uetr" && sort !== "newest") return invalidRequest("sort: uetr or newest.");
    const page = parsePageRequest(query, sort === "uetr" ? isUetr : (place) => parseNewest(place) !== null);
    if (typeof page === "string") return invalidRequest(page);
    // One row more than asked for tells whether there is a next page.
    const limit = Math.min(page.limit + 1, searchMax);
    const found =
      sort === "uetr"
        ? await store.transactions.search(terms, page.after, limit)
        : await store.transactions.newest(
            terms,
            (page.after === null ? null : parseNewest(page.after)) ?? { aboutMs: brokerNowMs() ?? 0 },
            limit,
          );
    const rows = found.slice(0, page.limit);
    const last = rows.at(-1);
    const isMore = found.length > page.limit || (page.limit === searchMax && found.length === searchMax);
    const next = last !== undefined && isMore ? encodeCursor(sort === "uetr" ? last.uetr : `${last.receivedAtMs} ${last.uetr}`) : null;
    return { kind: "found", body: { schema: "Transactions", rows: rows.map(transactionView), next } };
  };
}

/** The place of a row among the newest; null: the text is none. */
export function parseNewest(place: string): NewestCursor | null {
  const [receivedAt = "", uetr = ""] = place.split(" ");
  return /^\d{1,15}$/.test(receivedAt) && isUetr(uetr) ? { receivedAtMs: Number(receivedAt), uetr } : null;
}

/** Rows that the store returns at once. */
const searchMax = 1_000;

export function isUetr(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

export function transactionView(row: SummaryRow) {
  const { uetr, state, flow, scheme, sender, bank, businessDate, currency, messageIdentification, search } = row;
  return {
    uetr,
    state,
    stageVersion: row.stageVersion,
    flow,
    scheme,
    sender,
    bank,
    businessDate,
    reconciliationDay: row.reconciliationDay,
    deadline: formatOptionalInstant(row.deadlineMs),
    amount: row.flow === null ? null : formatAmount(row.amountTenThousandths, row.currency),
    currency,
    messageIdentification,
    endToEndIdentification: search.endToEndIdentification,
    transactionIdentification: search.transactionIdentification,
    instructionIdentification: search.instructionIdentification,
    debtorAccountEnd: shownAccountEnd(search.debtorAccountEnd),
    creditorAccountEnd: shownAccountEnd(search.creditorAccountEnd),
    reasons: search.reasons,
    receivedAt: formatInstant(row.receivedAtMs),
    updatedAt: formatInstant(row.updatedAtMs),
    openItems: row.items.filter(({ settledAtMs, resolution }) => settledAtMs === null && resolution?.isFinal !== true).length,
    isParked: row.quarantined !== null,
  };
}
