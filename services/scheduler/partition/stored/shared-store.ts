// The store as all partitions of a scheduler process share it.

import type { Time } from "@sluice/kernel";
import { shareLedgerCalls, shareOpenDays, sharePositionWrites, shareReads, shareTransactionCalls, shareVersionReads } from "@sluice/store";
import type { PartitionContext } from "../context.ts";
import { serializeOpenReads } from "../serialize-open-reads.ts";

/**
 * Transactions, days, banks, positions, ledgers and witnesses of the same moment go in one call each; pages of open
 * transactions go singly.
 */
export function createSharedStore(store: PartitionContext["store"], time: Time): PartitionContext["store"] {
  const { transactions, days, banks, ledgers, partitions } = serializeOpenReads(store);
  return {
    transactions: shareVersionReads(shareTransactionCalls(transactions, time), time),
    days: shareOpenDays(shareReads(days, time), time),
    banks: shareReads(banks, time),
    ledgers: shareLedgerCalls(ledgers, time),
    partitions: sharePositionWrites(partitions, time),
  };
}
