// Part of the store port: what the partitions moved on each day.

import type { DayKey, LedgerRow } from "@sluice/domain";

/** What a partition's records below `through` moved on a day, by bank and currency. */
export interface PartitionLedger {
  readonly partition: number;
  readonly day: DayKey;
  readonly version: number;
  readonly through: bigint;
  readonly rows: readonly LedgerRow[];
}

/** What one partition reads. */
export interface LedgerRead {
  readonly partition: number;
  readonly days: readonly DayKey[];
}

export interface LedgerWrite {
  readonly ledger: PartitionLedger;
  readonly expectedVersion: number;
}

export interface LedgerStore {
  load(partition: number, days: readonly DayKey[]): Promise<ReadonlyMap<DayKey, PartitionLedger>>;
  /** Reads at most 1,000 ledgers of any partitions in one call, and answers in the order of `reads`, as `load` does. */
  loadMany(reads: readonly LedgerRead[]): Promise<readonly ReadonlyMap<DayKey, PartitionLedger>[]>;
  /**
   * Compare-and-set on `version`: returns false where it lost. 0: the document must not exist. It also loses to a
   * ledger whose `through` is higher, because a restored store gives a version again.
   */
  write(ledger: PartitionLedger, expectedVersion: number): Promise<boolean>;
  /**
   * Does at most 1,000 writes of different ledgers in one call, each as `write` does, and answers in their order. False
   * may also stand for a ledger that this call wrote: its writer reads it, as after any lost write.
   */
  writeMany(writes: readonly LedgerWrite[]): Promise<readonly boolean[]>;
  /** Lists the ledgers of a day by partition. */
  listByDay(day: DayKey): Promise<readonly PartitionLedger[]>;
  /** Lists the ledgers of a partition by day; at most 10,000. */
  listByPartition(partition: number): Promise<readonly PartitionLedger[]>;
}
