// Recent snapshots of all partitions of a process, bounded as a whole: the least recently used one is evicted first,
// whichever partition it belongs to. So memory does not depend on the number of partitions that the process owns.
//
// A lease finds here only what it has written or read itself; after a write that was lost or is in doubt the snapshot
// is dropped and read again.

import type { TransactionDocument } from "@sluice/store";

/** The cache of one partition under one lease. */
export interface SnapshotCache {
  get(uetr: string): TransactionDocument | undefined;
  set(document: TransactionDocument): void;
  drop(uetrs: Iterable<string>): void;
}

/** Creates a cache that finds only its own entries. */
export type SnapshotCaches = () => SnapshotCache;

/** Snapshots in memory, of 5 to 10 KB each. */
const snapshotsMax = 1_000;

interface CacheEntry {
  readonly owner: symbol;
  readonly document: TransactionDocument;
}

export function createSnapshotCaches(max: number = snapshotsMax): SnapshotCaches {
  const kept = new Map<string, CacheEntry>();
  return () => {
    const owner = Symbol("owner");
    return {
      get(uetr) {
        const one = kept.get(uetr);
        return one?.owner === owner ? one.document : undefined;
      },
      set(document) {
        const { uetr } = document.transaction;
        // A map keeps the order of insertion: the newest is last.
        kept.delete(uetr);
        kept.set(uetr, { owner, document });
        if (kept.size <= max) return;
        for (const oldest of kept.keys()) {
          kept.delete(oldest);
          break;
        }
      },
      drop(uetrs) {
        for (const uetr of uetrs) if (kept.get(uetr)?.owner === owner) kept.delete(uetr);
      },
    };
  };
}
