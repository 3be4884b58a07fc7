// Writes the position of a partition: the watermark, after it has advanced.
//
// #1 It is written 200 ms after the last write, or under load every second or 1,000 completions. One write is in flight
//    at a time, and only in the current epoch.
// #2 A commit or position write that fails is retried and stops nothing. (parallel-consumer issue 857.)

import { Fault, formatReason, type LogFields, type Random, type Time } from "@sluice/kernel";
import { retryDelayMs } from "./retry-delay.ts";
import type { TrackedRecord, Watermark } from "./watermark.ts";

export interface KeyedPositionOptions {
  readonly time: Time;
  readonly random: Random;
  isCurrent(): boolean;
  /** Persists the first offset that is not done. */
  write(nextOffset: bigint): Promise<void>;
  commit(nextOffset: bigint): Promise<void>;
  failed(reason: Error): void;
  warn(event: string, fields: LogFields): void;
}

const intervalMs = 200;
/** Interval of a busy partition: one with at least `busyCompletions` completions since its last write. */
const busyIntervalMs = 1_000;
const busyCompletions = 50;
const completionsMax = 1_000;

export class KeyedPosition {
  readonly #watermark: Pick<Watermark<TrackedRecord>, "nextOffset">;
  readonly #options: KeyedPositionOptions;
  #completions = 0;
  #isBusy = false;
  #failures = 0;
  #writtenOffset: bigint;
  #timer: Disposable | null = null;
  #writing: Promise<void> | null = null;

  constructor(watermark: Pick<Watermark<TrackedRecord>, "nextOffset">, options: KeyedPositionOptions) {
    this.#watermark = watermark;
    this.#writtenOffset = watermark.nextOffset;
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Notes that a record is complete. */
  advance(): void {
    this.#completions += 1;
    this.#writeSoon();
  }

  /** Writes what is not yet written. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#write();
  }

  /** Resolves when no write is in flight. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #writeSoon(): void {
    if (this.#writing !== null || this.#isWritten) return;
    // After a failed write the back-off applies, and even a thousand completions do not shorten it.
    if (this.#completions >= completionsMax && this.#failures === 0) {
      void this.#write();
      return;
    }
    const { time, random } = this.#options;
    const ordinaryMs = this.#isBusy ? busyIntervalMs : intervalMs;
    const delayMs = this.#failures === 0 ? ordinaryMs : retryDelayMs(this.#failures + 1, random);
    this.#timer ??= time.after(delayMs, () => void this.#write());
  }

  get #isWritten(): boolean {
    return !this.#options.isCurrent() || this.#watermark.nextOffset === this.#writtenOffset;
  }

  async #write(): Promise<void> {
    this.stop();
    if (this.#writing !== null || this.#isWritten) return;
    this.#isBusy = this.#completions >= busyCompletions;
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
    try {
      await options.commit(nextOffset);
    } catch (error) {
      // The group's offset is only for display, and the next commit carries a later one.
      options.warn("partition.commit-failed", { reason: String(error) });
    }
  }
}
