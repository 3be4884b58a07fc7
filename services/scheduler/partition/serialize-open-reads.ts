// Serializes `transactions.open` over the partitions of a process. Take-overs, declarations of credits final and closes
// reach all partitions at the same moment, and one page for each would not fit in memory.
//
// A caller keeps the others waiting for one page at most.

import type { Store, TransactionStore } from "@sluice/store";
import { createMutex } from "../mutex.ts";

type Stores = Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "partitions">;

export function serializeOpenReads({ transactions, days, banks, ledgers, partitions }: Stores): Stores {
  const serialize = createMutex();
  const open: TransactionStore["open"] = (partition, afterUetr, limit) => serialize(() => transactions.open(partition, afterUetr, limit));
  return { transactions: { ...transactions, open }, days, banks, ledgers, partitions };
}
