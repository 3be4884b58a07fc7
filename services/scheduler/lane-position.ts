// The lane's position: the first offset whose outputs are not all acknowledged. An older one only means more replay.
//
// 1. It never runs ahead of what is done, and is written on condition of the owner epoch.
// 2. At most every `positionEveryMs`; at once where asked (marker, revocation, stop).
// 3. One write at a time. One that fails is made again; one that is refused means that another owner took the lane over.

import type { Time } from "@sluice/runtime";
import type { LaneStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";

export interface LanePositionOptions {
  readonly service: string;
  readonly lane: number;
  readonly epoch: number;
  readonly position: bigint;
  readonly store: Pick<LaneStore, "write">;
  /** The lane's own state, asked when it is written. */
  state(): unknown;
  /** What has to be in the store before the position is, asked at each write. */
  before?(): Promise<void>;
  /** Another owner took over; called once. */
  lost(): void;
  readonly time: Time;
  readonly log: Log;
}

export interface LanePosition {
  /** All below `nextOffset` is done. */
  done(nextOffset: bigint): void;
  /** The lane's state changed: the next write carries it. */
  stateChanged(): void;
  /** Writes now. Resolves when the write under way, if any, and this one have ended, well or not. */
  write(): Promise<void>;
  /** Writes even if there is nothing new, to learn whether the lane is still ours. */
  confirm(): Promise<void>;
  /** Done and not yet written. */
  lag(): bigint;
  isLost(): boolean;
  /** Nothing is written any more but by `write`. */
  stop(): void;
}

export const positionEveryMs = 100;
const failedWritePauseMs = 1_000;

export function createLanePosition(options: LanePositionOptions): LanePosition {
  const { service, lane, epoch, store, time, log } = options;
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

  function write(isAsked = false): Promise<void> {
    timer?.[Symbol.dispose]();
    timer = null;
    writing = writing.then(() => writeOnce(isAsked));
    return writing;
  }

  async function writeOnce(isAsked: boolean): Promise<void> {
    if (isLost || (nextOffset === writtenOffset && !isStateNew && !isAsked)) return;
    const offset = nextOffset;
    const state = isStateNew ? options.state() : undefined;
    isStateNew = false;
    dueMs = time.monotonicMs() + positionEveryMs;
    try {
      await options.before?.();
      const isOurs = await store.write(service, lane, epoch, offset, state);
      if (isOurs) writtenOffset = offset;
      else lose();
    } catch (error) {
      isStateNew ||= state !== undefined;
      dueMs = time.monotonicMs() + failedWritePauseMs;
      log.warn("lane.position-not-written", { lane, epoch, offset, reason: String(error) });
    }
    if (nextOffset !== writtenOffset || isStateNew) arm();
  }

  function lose(): void {
    isLost = true;
    options.lost();
  }

  return {
    done(next) {
      nextOffset = next;
      arm();
    },
    stateChanged() {
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
