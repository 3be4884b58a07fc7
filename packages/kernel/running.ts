// The interface of a running service, as its process entry, the simulation and tests use it.

/** What has held the position of a partition back for 10 s or more: the oldest record that is not done. */
export interface BlockedPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** The key of the record as printable text: a UETR, or the key of a day or a bank. */
  readonly key: string;
  /** The bank or connector that it is for; null where it is for none, or is not known. */
  readonly receiver: string | null;
  /** Since when the position stands there, in epoch milliseconds. */
  readonly sinceMs: number;
  readonly why: string;
}

export interface Readiness {
  readonly isReady: boolean;
  /** What does not work, one short text each: the reasons why it is not ready, or the part of it that is not. */
  readonly reasons: readonly string[];
  /** One for each partition at most, also while the service is ready; absent where it has no such partitions. */
  readonly blocked?: readonly BlockedPosition[];
}

export interface Running {
  readiness(): Readiness;
  /**
   * Stops taking work, finishes work in flight within its grace time, and closes in reverse order of opening.
   * Idempotent.
   */
  stop(): Promise<void>;
}
