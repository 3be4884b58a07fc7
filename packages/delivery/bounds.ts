// Every bound of the engine (I15) with its unit. Tests make them small.

export interface DeliveryBounds {
  /** Parked messages that were never tried and that a partition keeps in memory, over all receivers, without bodies. */
  readonly untriedInMemoryMax: number;
  /** The same for those that have failed and wait for their next attempt. */
  readonly failedInMemoryMax: number;
  /** Retries of parked messages that the process has under way, over all receivers, each with its body. */
  readonly retriesMax: number;
  /** Probes that the process has under way. */
  readonly probesMax: number;
  /** Records that a partition has taken in and not finished, or finished ahead of one that is not. */
  readonly bufferedRecordsMax: number;
  /** Records that a partition takes in while they leave it within a second; beyond them it reads on only for others. */
  readonly readAheadFromRecords: number;
  /** Bytes of all records taken in and not finished, over all partitions. */
  readonly bufferedBytesMax: number;
  /** Records in progress at once, over all partitions; one receiver may have a third of what is free of them. */
  readonly runningMax: number;
  /** Bytes of all records in progress, over all partitions. */
  readonly runningBytesMax: number;
  /**
   * Records in progress at once in a partition: tried, waiting for their receiver, or being parked. What takes longer
   * than 100 ms no longer counts. A slow receiver may have an eighth of them.
   */
  readonly runningPerPartitionMax: number;
  /** Records of one receiver that may be in progress in a partition, whatever the others have. */
  readonly receiverRunningMin: number;
  /** Milliseconds that a new message waits for a slot, unless its receiver keeps up (attempt-slots.ts #3). */
  readonly slotWaitMaxMs: number;
  /**
   * Milliseconds until a new message without an answer is parked. Its attempt goes on, so that the partition need not
   * wait for it.
   */
  readonly answerWaitMaxMs: number;
  /**
   * Milliseconds since the last heartbeat: half the session time-out. Beyond it this process cannot know who owns its
   * partitions.
   */
  readonly heartbeatAgeMaxMs: number;
  /** Parked messages that one read of the store returns. */
  readonly scanMessagesMax: number;
  /**
   * Parked messages read before the first record is handled. Every receiver spills until the messages beyond are read
   * too.
   */
  readonly takeOverMessagesMax: number;
  /** Milliseconds that retries wait after a take-over for the records that were in the partition at that time. */
  readonly catchUpWaitMaxMs: number;
  /** Milliseconds until a partition reads on after a failure, and until a section without room is tried again. */
  readonly scanSpacingMs: number;
  /** Messages parked during one read of the store that are remembered until its end, per partition. */
  readonly scanArrivalsMax: number;
  /** Ended deliveries whose attempts a late stop can still report, per partition. */
  readonly recentEndsMax: number;
  /** Receipts that wait for a partition's position; beyond them each goes out with its end. */
  readonly receiptsWaitingMax: number;
  /** Parked messages that one call writes, reads or removes. */
  readonly bulkMessagesMax: number;
}

const mebibyte = 1_048_576;

export const deliveryBounds: DeliveryBounds = {
  untriedInMemoryMax: 16_000,
  failedInMemoryMax: 24_000,
  retriesMax: 2_000,
  probesMax: 256,
  bufferedRecordsMax: 12_000,
  readAheadFromRecords: 500,
  bufferedBytesMax: 48 * mebibyte,
  runningMax: 4_096,
  runningBytesMax: 16 * mebibyte,
  runningPerPartitionMax: 64,
  receiverRunningMin: 4,
  slotWaitMaxMs: 250,
  answerWaitMaxMs: 1_000,
  heartbeatAgeMaxMs: 3_000,
  scanMessagesMax: 1_000,
  takeOverMessagesMax: 50_000,
  catchUpWaitMaxMs: 10_000,
  scanSpacingMs: 1_000,
  scanArrivalsMax: 1_000,
  recentEndsMax: 1_000,
  receiptsWaitingMax: 1_000,
  bulkMessagesMax: 200,
};

export function receiverShareMax(bounds: DeliveryBounds): number {
  return Math.max(1, Math.floor(Math.min(bounds.bufferedRecordsMax, bounds.runningPerPartitionMax) / 8));
}
