// Notes in the store how far a rebuild is, for people who look at the console.
//
// #1 At most one note in two seconds; the begin and the end of a partition are always noted.
// #2 A note that fails is left out: nothing waits for it but the end of the rebuild.

import type { Time } from "@sluice/kernel";
import type { RebuildProgress, Store } from "@sluice/store";
import type { RebuiltPartition } from "./rebuild-partition.ts";

export interface ProgressPorts {
  readonly store: { readonly partitions: Pick<Store["partitions"], "noteRebuild"> };
  readonly service: string;
  readonly time: Time;
  readonly builderId: string;
}

const spacingMs = 2_000;

/** `lastPartition` is the last one that this builder takes on. */
export function createProgressNotes({ store, service, time, builderId: id }: ProgressPorts, lastPartition: number) {
  const startedAt = new Map<number, number>();
  let sending: Promise<void> = Promise.resolve();
  let notedMs = Number.NEGATIVE_INFINITY;

  function note(partition: number, progress: Pick<RebuildProgress, "done" | "of" | "end">): void {
    notedMs = time.monotonicMs();
    const updatedMs = time.nowMs();
    const startedMs = startedAt.get(partition) ?? updatedMs;
    startedAt.set(partition, startedMs);
    const whole = { id, startedMs, updatedMs, lastPartition, ...progress };
    // #2
    sending = sending.then(() => store.partitions.noteRebuild(service, partition, whole)).catch(() => undefined);
  }

  return {
    begun: (partition: number): void => note(partition, { done: 0n, of: 0n, end: null }),
    /** #1 */
    progress(partition: number, done: bigint, of: bigint): void {
      if (time.monotonicMs() - notedMs >= spacingMs) note(partition, { done, of, end: null });
    },
    ended({ partition, position, isSwitched, differences }: RebuiltPartition): void {
      const end = isSwitched ? "switched" : differences.length > 0 ? "differs" : "equal";
      note(partition, { done: position, of: position, end });
    },
    /** Resolves when all that was noted is written or left out. */
    settled: (): Promise<void> => sending,
  };
}
