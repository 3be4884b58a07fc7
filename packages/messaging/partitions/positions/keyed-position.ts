// Writes the position of a partition: the watermark, after it has advanced.
//
// #1 It is written at most `positionIntervalMs` after it advanced, or after `completionsMax` completions; all
//    partitions of a consumer that wait are written together. One write of a partition is in flight at a time, and only
//    in the current epoch.
// #2 A commit or position write that fails is retried and stops nothing. (parallel-consumer issue 857.)
// #3 Where the store has the position, the group's offset is only for display (`display-commit.ts`).
// #4 A drain waits for the write, also for one that is under way, and repeats one that fails (`flush-position.ts`).

import { Fault, formatReason, type LogFields, type Random, SharedTimer, type Time } from "@sluice/kernel";
import { DisplayCommit, displayCommitMs } from "../display-commit.ts";
import { flushPosition } from "./flush-position.ts";
import { retryDelayMs } from "../retry-delay.ts";
import type { TrackedRecord, Watermark } from "./watermark.ts";

/** The timers that all partitions of a consumer share. */
export interface PositionTimers {
  readonly positions: SharedTimer;
  /** Null where the group's offset is the position (#3). */
  readonly commits: SharedTimer | null;
}

export interface KeyedPositionOptions {
  readonly time: Time;
  readonly timers: PositionTimers;
  readonly random: Random;
  isCurrent(): boolean;
  /** Persists the first offset that is not done. */
  write(nextOffset: bigint): Promise<void>;
  commit(nextOffset: bigint): Promise<void>;
  failed(reason: Error): void;
  warn(event: string, fields: LogFields): void;
}

/** Milliseconds until an advanced position is written. */
const positionIntervalMs = 250;
/** Records completed since the last write. */
const completionsMax = 512;

export function createPositionTimers(time: Time, isInStore: boolean): PositionTimers {
  return {
    positions: new SharedTimer(time, positionIntervalMs),
    commits: isInStore ? new SharedTimer(time, displayCommitMs) : null,
  };
}

export class KeyedPosition {
  readonly #watermark: Pick<Watermark<TrackedRecord>, "nextOffset">;
  readonly #options: KeyedPositionOptions;
  /** Null where the group's offset is the position. */
  readonly #displayed: DisplayCommit | null;
  #completions = 0;
  #failures = 0;
  #writtenOffset: bigint;
  #timer: Disposable | null = null;
  #writing: Promise<void> | null = null;

  constructor(watermark: Pick<Watermark<TrackedRecord>, "nextOffset">, options: KeyedPositionOptions) {
    this.#watermark = watermark;
    this.#writtenOffset = watermark.nextOffset;
    this.#options = options;
    const { commits } = options.timers;
    const commit = (nextOffset: bigint): Promise<void> => options.commit(nextOffset);
    this.#displayed =
      commits === null ? null : new DisplayCommit({ timer: commits, commit, failed: (reason) => this.#commitFailed(reason) });
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Notes that a record is complete. */
  advance(): void {
    this.#completions += 1;
    this.#writeSoon();
  }

  /** #4: writes what is not yet written. */
  async flush(): Promise<void> {
    const write = (): Promise<void> => this.#writing ?? this.#write();
    await flushPosition({ isWritten: () => this.#isWritten, write }, this.#options.time);
    if (this.#options.isCurrent()) await this.#displayed?.flush();
  }

  /** Resolves when no write is in flight. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  stop(): void {
    this.#stopTimer();
    this.#displayed?.stop();
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #writeSoon(): void {
    if (this.#writing !== null || this.#isWritten) return;
    const { time, timers, random } = this.#options;
    // After a failed write the back-off applies, and many completions do not shorten it.
    if (this.#failures > 0) {
      this.#timer ??= time.after(retryDelayMs(this.#failures + 1, random), () => void this.#write());
      return;
    }
    this.#timer ??= timers.positions.wait(() => void this.#write());
    if (this.#completions >= completionsMax) timers.positions.fire();
  }

  get #isWritten(): boolean {
    return !this.#options.isCurrent() || this.#watermark.nextOffset === this.#writtenOffset;
  }

  async #write(): Promise<void> {
    this.#stopTimer();
    if (this.#writing !== null || this.#isWritten) return;
    this.#completions = 0;
    this.#writing = this.#writeOffset(this.#watermark.nextOffset);
    await this.#writing;
    this.#writing = null;
    this.#writeSoon();
  }

  /** #2 */
  async #writeOffset(nextOffset: bigint): Promise<void> {
    const options = this.#options;
    try {
      await options.write(nextOffset);
      this.#writtenOffset = nextOffset;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (!(error instanceof Fault) || !error.isRetryable) {
        if (options.isCurrent()) options.failed(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      options.warn("partition.retry", { what: "position", code: error.code, reason: formatReason(error) });
      return;
    }
    if (this.#displayed === null) await options.commit(nextOffset).catch((error: unknown) => this.#commitFailed(error));
    else if (options.isCurrent()) this.#displayed.advance(nextOffset);
  }

  #commitFailed(reason: unknown): void {
    this.#options.warn("partition.commit-failed", { reason: formatReason(reason) });
  }
}
