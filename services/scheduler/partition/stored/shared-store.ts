// The store as all partitions of a scheduler process share it.

import type { Time } from "@sluice/kernel";
import { shareLedgerWrites, sharePositionWrites, shareTransactionCalls, shareVersionReads } from "@sluice/store";
import type { PartitionContext } from "../context.ts";
import { serializeOpenReads } from "../serialize-open-reads.ts";

/**
 * Transactions, positions, ledgers and witnesses of the same moment go in one call each; pages of open transactions go
 * singly.
 */
export function createSharedStore(store: PartitionContext["store"], time: Time): PartitionContext["store"] {
  const { transactions, ledgers, partitions, ...others } = serializeOpenReads(store);
  return {
    ...others,
    transactions: shareVersionReads(shareTransactionCalls(transactions, time), time),
    ledgers: shareLedgerWrites(ledgers, time),
    partitions: sharePositionWrites(partitions, time),
  };
}
