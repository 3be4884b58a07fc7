// listOwnTransactions: a bank's own transactions, the last received first: those that it sent, or those that were or
// will be sent to it.
//
// #1 Without an identification only the last 31 days are read: a bank without a transaction would else cost a reading
//    of all that there is.

import type { Store } from "@sluice/store";
import type { ControlHandler } from "../../http/control-handler.ts";
import { parseNewest } from "../../queries/search-transactions.ts";
import { parseSearchTerms } from "../../queries/parse-search-terms.ts";
import { encodeCursor, parsePageRequest } from "../../views/page.ts";
import { invalidRequest } from "../../views/control-values.ts";
import { ownTransactionView, sideQuery } from "./own-transaction-view.ts";

interface OwnTransactionsPorts {
  readonly store: Pick<Store, "transactions">;
  readonly brokerNowMs: () => number | null;
}

const shownMs = 31 * 86_400_000;
const readMax = 1_000;

export function listOwnTransactions({ store, brokerNowMs }: OwnTransactionsPorts): ControlHandler {
  return async ({ path, query }) => {
    const bank = path["bank"] ?? "";
    const side = query.get("side") ?? "sent";
    if (side !== "sent" && side !== "received") return invalidRequest("side: sent or received.");
    const terms = parseSearchTerms(query, null);
    if (typeof terms === "string") return invalidRequest(terms);
    const page = parsePageRequest(query, (place) => parseNewest(place) !== null);
    if (typeof page === "string") return invalidRequest(page);
    const nowMs = brokerNowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const recent = terms.identification === undefined ? { receivedFromMs: nowMs - shownMs } : {};
    const limit = Math.min(page.limit + 1, readMax);
    const after = page.after === null ? null : parseNewest(page.after);
    const found = await store.transactions.newest({ ...terms, ...recent, ...sideQuery(side, bank) }, after ?? { aboutMs: nowMs }, limit);
    const read = found.slice(0, page.limit);
    const last = read.at(-1);
    const isMore = found.length > page.limit || (page.limit === readMax && found.length === readMax);
    const next = last !== undefined && isMore ? encodeCursor(`${last.receivedAtMs} ${last.uetr}`) : null;
    const rows = read.flatMap((row) => (row.flow === null ? [] : [ownTransactionView(row, bank)]));
    return { kind: "found", body: { schema: "OwnTransactions", bank, side, rows, next } };
  };
}
