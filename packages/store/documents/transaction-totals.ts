// Counts and sums of transactions, added up one by one and exact at any size.

import { Fault } from "@sluice/kernel";
import { groupsMax } from "../bounds.ts";
import type { TotalsRow } from "../port.ts";
import type { StoredTransaction } from "./transaction-document.ts";

export const totalsFields = {
  bank: 1,
  scheme: 1,
  businessDate: 1,
  currency: 1,
  flow: 1,
  state: 1,
  amountTenThousandths: 1,
  receivedAt: 1,
} as const;

export interface RunningTotals {
  add(stored: Pick<StoredTransaction, keyof typeof totalsFields>): void;
  rows(): readonly TotalsRow[];
}

export function createTotals(): RunningTotals {
  const groups = new Map<string, TotalsRow>();
  return {
    add(stored) {
      const { bank, scheme, businessDate, currency, flow, state, amountTenThousandths, receivedAt } = stored;
      const key = JSON.stringify([bank, scheme, businessDate, currency, flow, state]);
      const previous = groups.get(key);
      groups.set(key, {
        bank,
        scheme,
        businessDate,
        currency,
        flow,
        state,
        count: (previous?.count ?? 0) + 1,
        sumTenThousandths: (previous?.sumTenThousandths ?? 0n) + (amountTenThousandths ?? 0n),
        oldestReceivedAtMs: Math.min(previous?.oldestReceivedAtMs ?? Infinity, receivedAt.getTime()),
      });
      assertGroups(groups.size);
    },
    rows: () => [...groups.values()],
  };
}

export function assertGroups(count: number): void {
  if (count <= groupsMax) return;
  throw new Fault("store.refused", `transactions.totals: more than ${groupsMax} groups`, { isRetryable: false });
}
