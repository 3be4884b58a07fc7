// The position of a partition: the first offset whose outputs are not all acknowledged. An older position only means
// more replay.
//
// #1 It never runs ahead of what is done, and is written on condition of the owner epoch.
// #2 It is written at most every `positionIntervalMs`, and at once on request (marker, revocation, stop).
// #3 One write runs at a time. A failed write is repeated; a refused one means that another owner took the partition
//    over.

import type { Logger, Time } from "@sluice/kernel";
import type { PartitionStore } from "@sluice/store";

export interface PartitionPositionOptions {
  readonly service: string;
  readonly partition: number;
  readonly epoch: number;
  readonly position: bigint;
  readonly store: Pick<PartitionStore, "write">;
  /** Returns the partition's state; called when it is written. */
  state(): unknown;
  /** Writes what has to be in the store before the position; called at each write. */
  beforeWrite?(): Promise<void>;
  /** Called once, when another owner took over. */
  onLost(): void;
  readonly time: Time;
  readonly logger: Logger;
}

export interface PartitionPosition {
  /** Moves the position: everything below `nextOffset` is done. */
  advance(nextOffset: bigint): void;
  /** Marks the partition's state as changed: the next write carries it. */
  markStateChanged(): void;
  /** Writes now. Resolves when this write, and one under way, have ended, with or without success. */
  write(): Promise<void>;
  /** Writes even if nothing is new, to learn whether this process still owns the partition. */
  confirm(): Promise<void>;
  /** Number of records that are done and not yet covered by the written position. */
  lag(): bigint;
  isLost(): boolean;
  /** Stops the timer: from now on only `write` writes. */
  stop(): void;
}

const positionIntervalMs = 100;
const failedWritePauseMs = 1_000;

export function createPartitionPosition(options: PartitionPositionOptions): PartitionPosition {
  const { service, partition, epoch, store, time, logger } = options;
  let nextOffset = options.position;
  let writtenOffset = options.position;
  let isStateNew = false;
  let isLost = false;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  let timer: Disposable | null = null;
  let dueMs = 0;

  function arm(): void {
    if (timer !== null || isStopped || isLost) return;
    timer = time.after(Math.max(0, dueMs - time.monotonicMs()), () => void write());
  }

  function write(isForced = false): Promise<void> {
    timer?.[Symbol.dispose]();
    timer = null;
    writing = writing.then(() => writeOnce(isForced));
    return writing;
  }

  async function writeOnce(isForced: boolean): Promise<void> {
    if (isLost || (nextOffset === writtenOffset && !isStateNew && !isForced)) return;
    const offset = nextOffset;
    const state = isStateNew ? options.state() : undefined;
    isStateNew = false;
    dueMs = time.monotonicMs() + positionIntervalMs;
    try {
      await options.beforeWrite?.();
      const isOurs = await store.write(service, partition, epoch, offset, state);
      if (isOurs) writtenOffset = offset;
      else lose();
    } catch (error) {
      isStateNew ||= state !== undefined;
      dueMs = time.monotonicMs() + failedWritePauseMs;
      logger.warn("partition.position-not-written", { partition, epoch, offset, reason: String(error) });
    }
    if (nextOffset !== writtenOffset || isStateNew) arm();
  }

  function lose(): void {
    isLost = true;
    options.onLost();
  }

  return {
    advance(next) {
      nextOffset = next;
      arm();
    },
    markStateChanged() {
      isStateNew = true;
      arm();
    },
    write: () => write(),
    confirm: () => write(true),
    lag: () => nextOffset - writtenOffset,
    isLost: () => isLost,
    stop() {
      isStopped = true;
      timer?.[Symbol.dispose]();
      timer = null;
    },
  };
}
