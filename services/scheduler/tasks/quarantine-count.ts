// Counts the quarantined transactions of a partition, for an alarm that lasts as long as one is quarantined. The store
// lists them at take-over; after that each handled record changes the count.
//
// #1 At most `quarantinedCountMax` are remembered. Once there were as many, others may be quarantined that are not
//    remembered: the gauge then stays at that number, which means at least as many, until the next take-over counts.

import type { Transaction } from "@sluice/domain";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";

export interface QuarantineCount {
  /** Sets the quarantined transactions of a take-over. */
  fill(uetrs: readonly string[]): void;
  /** Takes note of a transaction after a record. */
  observe(transaction: Pick<Transaction, "uetr" | "quarantined">): void;
  stop(): void;
}

/** Transactions that are counted; a gauge that stands at this number means at least as many (#1). */
export const quarantinedCountMax = 10_000;

export function createQuarantineCount(partition: number, metrics: Pick<SchedulerMetrics, "quarantined">): QuarantineCount {
  const known = new Set<string>();
  let isFull = false;
  function show(): void {
    isFull ||= known.size >= quarantinedCountMax;
    metrics.quarantined.set(isFull ? quarantinedCountMax : known.size, { partition: String(partition) });
  }

  return {
    fill(uetrs) {
      isFull = false;
      for (const uetr of uetrs) known.add(uetr);
      show();
    },
    observe({ uetr, quarantined }) {
      const isChanged = quarantined === null ? known.delete(uetr) : known.size < quarantinedCountMax && !known.has(uetr);
      if (!isChanged) return;
      if (quarantined !== null) known.add(uetr);
      show();
    },
    stop() {
      known.clear();
      isFull = false;
      show();
    },
  };
}
