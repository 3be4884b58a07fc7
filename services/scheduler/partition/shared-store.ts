// The store as all partitions of a scheduler process share it.
//
// #1 Pages of open transactions are read one at a time. Take-overs, declarations of credits final and closes reach all
//    partitions at the same moment, and one page for each would not fit in memory. A caller keeps the others waiting
//    for one page at most.
// #2 Positions, ledgers and witnesses of the same moment go in one call each.

import type { Time } from "@sluice/kernel";
import { shareLedgerWrites, sharePositionWrites, shareVersionReads, type Store, type TransactionStore } from "@sluice/store";
import { createMutex } from "../mutex.ts";

type Stores = Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "partitions">;

export function createSharedStore({ transactions, days, banks, ledgers, partitions }: Stores, time: Time): Stores {
  const serialize = createMutex();
  const open: TransactionStore["open"] = (partition, afterUetr, limit) => serialize(() => transactions.open(partition, afterUetr, limit));
  return {
    transactions: { ...shareVersionReads(transactions, time), open },
    days,
    banks,
    ledgers: shareLedgerWrites(ledgers, time),
    partitions: sharePositionWrites(partitions, time),
  };
}
