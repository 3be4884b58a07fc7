// Looks at the store while nothing is read or written: a store that was restored to an older point refuses nothing, and
// an idle owner would not notice it until its next record.
//
// #1 One read lists the documents of all partitions, however many this process owns; before it each partition reads its
//    witness. One look runs at a time, and the next one begins `lookIntervalMs` after it has ended.
// #2 A look that the store does not answer is left out, and is the trouble of the watch until one is answered.

import { formatReason, type Logger, type Time } from "@sluice/kernel";

/** Milliseconds between two looks at the store, by each process. */
export const lookIntervalMs = 5_000;

/** The owner epoch of a partition, who raised it and the ones before it, newest first, and the position. */
export interface LeasePosition {
  readonly epoch: number;
  readonly owners: readonly string[];
  readonly position: bigint;
}

/** What the store has of a partition. */
export interface StoredPosition extends LeasePosition {
  readonly partition: number;
}

/** Compares what the store has with what was known when the look began, and acts on it. */
export type Look = (stored: readonly StoredPosition[]) => void;

interface WatchedLease {
  /** Begins a look; null while no epoch counts. Rejects as the store does. */
  beginLook(): Promise<Look | null>;
}

export interface PartitionWatch {
  /** Looks at the partition until the returned handle is disposed of. */
  add(lease: WatchedLease): Disposable;
  /** Why the last look was not answered; null if it was, and while nothing is watched. */
  trouble(): string | null;
}

export interface PartitionWatchOptions {
  /** Names the service in the partitions' documents. */
  readonly service: string;
  readonly store: { positions(service: string): Promise<readonly StoredPosition[]> };
  readonly time: Time;
  readonly logger: Logger;
}

/** Creates the watch of one process over its partitions of one service. */
export function createPartitionWatch({ service, store, time, logger }: PartitionWatchOptions): PartitionWatch {
  const leases = new Set<WatchedLease>();
  let timer: Disposable | null = null;
  let isLooking = false;
  let trouble: string | null = null;

  function arm(): void {
    if (timer !== null || isLooking || leases.size === 0) return;
    timer = time.after(lookIntervalMs, () => {
      timer = null;
      void look();
    });
  }

  async function look(): Promise<void> {
    isLooking = true;
    try {
      const looks = await Promise.all([...leases].map((lease) => lease.beginLook()));
      const stored = await store.positions(service);
      trouble = null;
      for (const judge of looks) judge?.(stored);
    } catch (error) {
      // #2
      trouble = formatReason(error);
      logger.warn("partition.look-failed", { service, reason: formatReason(error) });
    }
    isLooking = false;
    arm();
  }

  return {
    add(lease) {
      leases.add(lease);
      arm();
      return {
        [Symbol.dispose]() {
          leases.delete(lease);
          if (leases.size > 0) return;
          timer?.[Symbol.dispose]();
          timer = null;
        },
      };
    },
    trouble: () => (leases.size === 0 ? null : trouble),
  };
}
