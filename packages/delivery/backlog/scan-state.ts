// How far a partition has read its backlog from the store.

import type { BacklogEntry } from "./backlog-entry.ts";

/** What a partition knows of its reads of the store. */
export interface BacklogScan {
  isReading: boolean;
  /** How far the pass has come; null once it has come to the end. */
  passedBelow: bigint | null;
  /** Messages parked during a read, beyond the cover of their section (scan.ts #3). */
  arrivals: BacklogEntry[];
  /** The least sequence that found no room in `arrivals`. */
  lowestDropped: bigint | null;
  /** When a read may begin again, in milliseconds of the monotonic clock. */
  nextMs: number;
  timer: Disposable | null;
}

export function createBacklogScan(): BacklogScan {
  return { isReading: false, passedBelow: 0n, arrivals: [], lowestDropped: null, nextMs: 0, timer: null };
}

/** Remembers a message that was parked beyond the cover of its section, at most `arrivalsMax` of them. */
export function rememberArrival(scan: BacklogScan, entry: BacklogEntry, arrivalsMax: number): void {
  if (!scan.isReading) return;
  if (scan.arrivals.length < arrivalsMax) scan.arrivals.push(entry);
  else if (scan.lowestDropped === null || entry.sequence < scan.lowestDropped) scan.lowestDropped = entry.sequence;
}
