// Recent snapshots of all lanes of a process, bounded as a whole: the least recently used one goes first, whosever it is. So memory does not depend
// on how many lanes the process owns.
//
// What a tenure finds here was written or read by itself; after a write that was lost or is in doubt it is dropped and read again.

import type { TransactionDocument } from "@sluice/store";

/** Of one lane under one epoch. */
export interface SnapshotCache {
  get(uetr: string): TransactionDocument | undefined;
  set(document: TransactionDocument): void;
  drop(uetrs: Iterable<string>): void;
}

/** Each owner finds only what it put in itself. */
export type SnapshotCaches = () => SnapshotCache;

/** 5 to 10 KB each. */
export const snapshotsMax = 1_000;

interface Kept {
  readonly owner: symbol;
  readonly document: TransactionDocument;
}

export function createSnapshotCaches(max: number = snapshotsMax): SnapshotCaches {
  const kept = new Map<string, Kept>();
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
