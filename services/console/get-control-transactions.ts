// searchTransactions: transactions by any identification, bank, state, account's end, amount, date or reason; all terms must hold. By UETR.
//
// #1 Exact: every transaction that the terms fit is found, and none else. What is not applied yet is not there yet (`controlStatus` says
//    how far the lanes are).

import type { Store, SummaryRow } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn } from "./control-page.ts";
import { invalid, moneyText, timeText } from "./control-values.ts";
import { searchTermsIn } from "./search-terms-in.ts";

export function searchTransactions({ store }: { readonly store: Pick<Store, "transactions"> }): ControlHandler {
  return async ({ query }) => {
    const terms = searchTermsIn(query);
    if (typeof terms === "string") return invalid(terms);
    const page = pageIn(query, isUetr);
    if (typeof page === "string") return invalid(page);
    // One more than asked for: whether there are more.
    const found = await store.transactions.search(terms, page.after, Math.min(page.limit + 1, searchMax));
    const rows = found.slice(0, page.limit);
    const last = rows.at(-1);
    const isMore = found.length > page.limit || (page.limit === searchMax && found.length === searchMax);
    const next = last !== undefined && isMore ? cursorOf(last.uetr) : null;
    return { kind: "found", body: { schema: "Transactions", rows: rows.map(transactionView), next } };
  };
}

/** Rows that the store gives at once. */
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
    closesWith: row.closesWith === "" ? null : row.closesWith,
    deadline: timeText(row.deadlineMs),
    amount: moneyText(row.amountTenThousandths, currency),
    currency,
    messageIdentification,
    endToEndIdentification: search.endToEndIdentification,
    transactionIdentification: search.transactionIdentification,
    instructionIdentification: search.instructionIdentification,
    debtorAccountEnd: search.debtorAccountEnd,
    creditorAccountEnd: search.creditorAccountEnd,
    reasons: search.reasons,
    receivedAt: instantText(row.receivedAtMs),
    updatedAt: instantText(row.updatedAtMs),
    openItems: row.items.filter(({ settledAtMs, resolution }) => settledAtMs === null && resolution?.isFinal !== true).length,
    isParked: row.parked !== null,
  };
}
