// Limits the rows that `transactions.open` reads at once over the partitions of a process. Take-overs, declarations of
// credits final and closes reach all partitions at the same moment, and a large page for each would not fit in memory.
//
// #1 Small pages are read at once, so that a take-over of many partitions does not wait for the store once for each.
// #2 A caller keeps the others waiting for one page at most.

import type { Store, TransactionStore } from "@sluice/store";
import { createTurns } from "../mutex.ts";

/** Rows of a page. */
export const openPageRowsMax = 1_000;
/** Rows of all pages that a process reads at once. */
export const openRowsAtOnceMax = 5_000;

type Stores = Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "partitions">;

export function serializeOpenReads({ transactions, days, banks, ledgers, partitions }: Stores): Stores {
  const inTurn = createTurns(openRowsAtOnceMax);
  const open: TransactionStore["open"] = (partition, afterUetr, limit) =>
    inTurn(() => transactions.open(partition, afterUetr, limit), Math.min(limit, openRowsAtOnceMax));
  return { transactions: { ...transactions, open }, days, banks, ledgers, partitions };
}
