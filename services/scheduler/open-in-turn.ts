// A process reads one page of open transactions at a time, whichever of its lanes asks, and for whatever: at a take-over, at a declaration of credits
// final, at a close. These come to all lanes in the same moment, and a page of each of them would be in memory beside the others.
//
// Pages of several lanes take turns; nobody holds the turn for longer than one page.

import type { Store, TransactionStore } from "@sluice/store";
import { createTurnTaking } from "./conserving.ts";

type Stores = Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "lanes">;

export function openInTurn({ transactions, days, banks, ledgers, lanes }: Stores): Stores {
  const inTurn = createTurnTaking();
  const open: TransactionStore["open"] = (lane, afterUetr, limit) => inTurn(() => transactions.open(lane, afterUetr, limit));
  return { transactions: { ...transactions, open }, days, banks, ledgers, lanes };
}
