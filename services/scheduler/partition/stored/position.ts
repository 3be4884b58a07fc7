// The position of a partition: the first offset whose outputs are not all acknowledged. An older position only means
// more replay.
//
// #1 It never runs ahead of what is done, and is written on condition of the owner epoch.
// #2 It is written at most `positionIntervalMs` after it moved, or once it is `positionRecordsMax` records ahead of
//    what is written, and at once on request (marker, revocation, stop). All partitions of a process that wait are
//    written together, so that their writes share calls (shared-store.ts).
// #3 One write runs at a time. A failed write is repeated; a refused one is the last, because the lease is lost.
// #4 A hand-over repeats a failed write sooner, because the next owner begins at what is written.

import { formatReason, type Logger, SharedTimer, type Time } from "@sluice/kernel";
import { flushPosition } from "@sluice/messaging";

export interface PartitionPositionOptions {
  readonly partition: number;
  readonly epoch: number;
  readonly position: bigint;
  /** Writes position and state on condition of the epoch; answers false where the lease is lost. */
  writeUnderLease(position: bigint, state: unknown): Promise<boolean>;
  /** Returns the partition's state; called when it is written. */
  state(): unknown;
  /** Writes what has to be in the store before the position; called at each write. */
  beforeWrite?(): Promise<void>;
  /** #2 */
  readonly timer: SharedTimer;
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
  /** Writes before the partition is handed over: a write that fails is repeated (#4). */
  flush(): Promise<void>;
  /** Writes even if nothing is new, to learn whether this process still owns the partition. */
  confirm(): Promise<void>;
  /** Number of records that are done and not yet covered by the written position. */
  lag(): bigint;
  /** Stops the timer: from now on only `write` writes. */
  stop(): void;
}

const positionIntervalMs = 250;
const positionRecordsMax = 512n;
const failedWritePauseMs = 1_000;

/** Creates the timer that the partitions of a process share. */
export function createPositionTimer(time: Time): SharedTimer {
  return new SharedTimer(time, positionIntervalMs);
}

export function createPartitionPosition(options: PartitionPositionOptions): PartitionPosition {
  const { partition, epoch, time, logger } = options;
  let nextOffset = options.position;
  let writtenOffset = options.position;
  let isStateNew = false;
  let isLost = false;
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  let timer: Disposable | null = null;
  let hasFailed = false;

  function arm(): void {
    if (isStopped || isLost) return;
    timer ??= hasFailed ? time.after(failedWritePauseMs, () => void write()) : options.timer.wait(() => void write());
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
    hasFailed = false;
    try {
      await options.beforeWrite?.();
      if (await options.writeUnderLease(offset, state)) writtenOffset = offset;
      else isLost = true;
    } catch (error) {
      isStateNew ||= state !== undefined;
      hasFailed = true;
      logger.warn("partition.position-not-written", { partition, epoch, offset, reason: formatReason(error) });
    }
    if (nextOffset !== writtenOffset || isStateNew) arm();
  }

  return {
    advance(next) {
      const isFar = (lag: bigint): boolean => lag >= positionRecordsMax;
      const wasFar = isFar(nextOffset - writtenOffset);
      nextOffset = next;
      arm();
      if (!wasFar && isFar(nextOffset - writtenOffset)) options.timer.fire();
    },
    markStateChanged() {
      isStateNew = true;
      arm();
    },
    write: () => write(),
    async flush() {
      await writing;
      await flushPosition({ isWritten: () => isLost || (nextOffset === writtenOffset && !isStateNew), write: () => write() }, time);
    },
    confirm: () => write(true),
    lag: () => nextOffset - writtenOffset,
    stop() {
      isStopped = true;
      timer?.[Symbol.dispose]();
      timer = null;
    },
  };
}
