// How many debits of a bank a partition may have released and not acknowledged. `maxUnacknowledged` is the bank's limit
// over all partitions. Partitions do not talk to each other, so each has a fixed share of it; where there are more
// partitions than debits allowed, they rotate by the broker clock.
//
// #1 The shares of all partitions at one moment add up to `maxUnacknowledged`.
// #2 A debit released in an earlier rotation counts in its own partition only: a bank whose limit is below the number
//    of partitions may exceed it for a while, by at most one debit for each partition.

export const shareRotationMs = 1_000;

export interface PartitionShare {
  readonly debits: number;
  /** Milliseconds after which the share may change; null if it is fixed. */
  readonly changesInMs: number | null;
}

export function partitionShare(
  maxUnacknowledged: number,
  partitionCount: number,
  partition: number,
  brokerNowMs: number | null,
): PartitionShare {
  const whole = Math.floor(maxUnacknowledged / partitionCount);
  const rest = maxUnacknowledged % partitionCount;
  if (whole > 0) return { debits: whole + (partition < rest ? 1 : 0), changesInMs: null };
  if (brokerNowMs === null) return { debits: 0, changesInMs: shareRotationMs };
  const rotation = Math.floor(brokerNowMs / shareRotationMs);
  const first = (rotation * rest) % partitionCount;
  const isInRotation = (partition - first + partitionCount) % partitionCount < rest;
  return { debits: isInRotation ? 1 : 0, changesInMs: shareRotationMs - (brokerNowMs % shareRotationMs) };
}
