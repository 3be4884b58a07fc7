// Part of the store port: the documents of partitions, with the epoch and the position of their owner.

/** One (service, partition). `state` is plain JSON that belongs to the service, such as its applied markers. */
export interface PartitionDocument {
  readonly service: string;
  readonly partition: number;
  readonly epoch: number;
  /**
   * Who raised the epoch, newest first, at most 16: the epoch and a name of its own. A store that was restored to an
   * older point gives an epoch a second time, to another owner.
   */
  readonly owners: readonly string[];
  /** The next offset to read. */
  readonly position: bigint;
  readonly state: unknown;
  /**
   * The build of its transactions that is in use; 0 is the first. Other builds are being made, or were in use before.
   */
  readonly build: number;
  /** The newest build that a builder has claimed; 0: none. No other builder uses it. */
  readonly lastBuild: number;
  /** The topic in which its position counts; null: nobody has noted it yet. */
  readonly log: StoredLogIdentity | null;
  /** The lock of a running rebuild: no owner continues while it lasts. Null: there is none. */
  readonly rebuildLock: RebuildLock | null;
  /** What the store must have where the position is right; null: the owner named nothing. */
  readonly unproven: UnprovenPosition | null;
  /** How far its newest rebuild is, or how it ended; null: there was none. */
  readonly rebuild: RebuildProgress | null;
}

/** For people who look: nothing decides by it. */
export interface RebuildProgress {
  /** Names the builder: all partitions of one rebuild have the same. */
  readonly id: string;
  /** When it began with this partition, and when it said something last. */
  readonly startedMs: number;
  readonly updatedMs: number;
  /** Records that are folded, of those that there are. */
  readonly done: bigint;
  readonly of: bigint;
  /** The last partition that this builder takes on. */
  readonly lastPartition: number;
  /** Null: it is under way. */
  readonly end: "switched" | "equal" | "differs" | null;
}

/**
 * A position may land in a store that was restored to an older point meanwhile, and that lacks what was written before
 * it. So the position names what was written; a take-over that misses any of it continues at `from`.
 */
export interface UnprovenPosition {
  /** A position that was found with all that was written before it. */
  readonly from: bigint;
  /** What was written since, each document in its last version, the oldest first. The store must keep these. */
  readonly written: readonly WrittenDocument[];
}

export interface WrittenDocument {
  readonly kind: "transaction" | "ledger" | "day" | "bank";
  /** A UETR, the key of a day, or the id of a bank. */
  readonly id: string;
  readonly version: number;
}

/** The ids of a cluster and of a topic in it. */
export interface StoredLogIdentity {
  readonly clusterId: string;
  readonly topicId: string;
}

export interface RebuildLock {
  readonly id: string;
  /** The end of the lock's lease: from then on an owner may break the lock. */
  readonly untilMs: number;
}

/** What a partition continues with after it was rebuilt. */
export interface BuildSwitch {
  readonly build: number;
  readonly position: bigint;
  readonly state: unknown;
}

/** What an owner knows of its partition's document: its epoch, and the position that it read or wrote last. */
export type HeldPosition = Pick<PartitionDocument, "epoch" | "owners" | "position">;

/** A write of `PartitionStore.write` among others. */
export interface PartitionWrite {
  readonly service: string;
  readonly partition: number;
  readonly held: HeldPosition;
  readonly position: bigint;
  readonly state: unknown;
  readonly unproven: UnprovenPosition | null;
}

export interface PartitionStore {
  /**
   * Raises the owner's epoch by compare-and-set (with a bounded number of retries) and returns the document. A new one
   * starts at position 0 with state null.
   */
  takeOver(service: string, partition: number): Promise<PartitionDocument>;
  /**
   * Writes position and what is unproven of it (and state, unless undefined) by compare-and-set on `held` and on its
   * newest owner. The stored position may also be a newer one, up to `position`: that is an earlier write whose answer
   * was lost. Returns false where another owner took over, or the store was restored to an older point.
   */
  write(
    service: string,
    partition: number,
    held: HeldPosition,
    position: bigint,
    state?: unknown,
    unproven?: UnprovenPosition | null,
  ): Promise<boolean>;
  /** Moves the position back, with nothing unproven, on condition of the epoch and its owner. False: it changed. */
  moveBack(service: string, partition: number, held: HeldPosition, position: bigint): Promise<boolean>;
  /**
   * Does at most 1,000 writes of different partitions in one call, each as `write` does, and answers in their order.
   * Where it rejects, some may be written; each may be repeated.
   */
  writeMany(writes: readonly PartitionWrite[]): Promise<readonly boolean[]>;
  /** Notes the topic in which the position counts, on condition of the epoch, and only where none is noted yet. */
  noteLog(service: string, partition: number, epoch: number, log: StoredLogIdentity): Promise<boolean>;
  /** Notes how far a rebuild of the partition is. Nothing happens where the partition does not exist. */
  noteRebuild(service: string, partition: number, progress: RebuildProgress): Promise<void>;
  list(service: string): Promise<readonly PartitionDocument[]>;
  /** Lists epoch, owners and position of the partitions of a service, without their states. */
  positions(service: string): Promise<readonly (HeldPosition & { readonly partition: number })[]>;
  /**
   * Claims a build that no builder of the partition has used, of at least this number. Returns null where the partition
   * does not exist.
   */
  claimBuild(service: string, partition: number, least: number): Promise<number | null>;
  /**
   * Locks the partition and raises its epoch, or renews the lock of the same id. Returns null where another lock exists
   * or the partition does not.
   */
  lock(service: string, partition: number, lock: RebuildLock): Promise<PartitionDocument | null>;
  /** Ends a lock; returns false where it no longer exists. */
  unlock(service: string, partition: number, holdId: string): Promise<boolean>;
  /**
   * Writes build, position, state and a raised epoch at once, which ends the lock. Returns false where the lock no
   * longer exists.
   */
  switchTo(service: string, partition: number, holdId: string, to: BuildSwitch): Promise<boolean>;
}
