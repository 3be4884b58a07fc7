// Recent snapshots of a lane under one epoch, bounded: the least recently used one goes first. What is here was written or read by this owner;
// after a write that was lost or is in doubt it is dropped and read again.

import type { TransactionDocument } from "@sluice/store";

export interface SnapshotCache {
  get(uetr: string): TransactionDocument | undefined;
  set(document: TransactionDocument): void;
  drop(uetrs: Iterable<string>): void;
}

export const snapshotsMax = 1_000;

export function createSnapshotCache(max: number = snapshotsMax): SnapshotCache {
  const kept = new Map<string, TransactionDocument>();
  return {
    get: (uetr) => kept.get(uetr),
    set(document) {
      const { uetr } = document.transaction;
      // A map keeps the order of insertion: the newest is last.
      kept.delete(uetr);
      kept.set(uetr, document);
      if (kept.size <= max) return;
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    },
    drop(uetrs) {
      for (const uetr of uetrs) kept.delete(uetr);
    },
  };
}
