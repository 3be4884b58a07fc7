// What a partition has in memory: decides whether it reads on, and lets go handlers that run for long.
//
// #1 Above `bufferedRecordsMax` records, or above its part of the bytes of all partitions (shared-limits.ts #3), the
//    partition is full. It reads on when half of its records are gone and there are bytes again. (parallel-consumer
//    issue 832.)
// #2 Beyond `readAheadFrom` records it reads on only where they would take more than half a second to leave: then those
//    that wait may hide the record of a receiver that need not. What leaves quickly is worth no memory.
// #3 While it is beyond that, or its handlers keep others from starting, it looks every 50 ms at both.

import type { Time } from "@sluice/kernel";
import type { ReceivedRecord } from "../port.ts";
import type { ReachedBound, SharedLimits } from "./shared-limits.ts";

/** How receivers share a partition, and partitions memory. */
export interface ReceiverSharing {
  /** Handlers of each receiver that may run in a partition, whatever the others have. */
  readonly receiverRunningMin: number;
  /** Handlers of a receiver that may run in a partition; more than it can be sent at once are of no use. */
  runningMaxOf(receiver: string | null): number;
  /** Records in a partition from which on it reads no further while they leave quickly. */
  readonly readAheadFrom: number;
  /** Of all partitions of the consumer; nothing else may use them. */
  readonly limits: SharedLimits;
  /** Reads the receiver without decoding; null where the record does not name it, and is decoded for it. */
  receiverOf(record: ReceivedRecord): string | null;
  /** A bound begins to hold something up. */
  reached(bound: ReachedBound, place: { readonly partition: number; readonly receiver: string | null }): void;
  /** The partition has begun or ceased to be full: what is in it delays what it has not read. */
  full(partition: number, epoch: number, isFull: boolean): void;
}

export interface PartitionBufferOptions {
  readonly partition: number;
  readonly epoch: number;
  readonly time: Time;
  readonly bufferedRecordsMax: number;
  /** Null where all records are alike. */
  readonly sharing: ReceiverSharing | null;
  readonly limits: SharedLimits;
  /** The number of records from the watermark on. */
  count(): number;
  /** True while handlers keep others from starting. */
  isCrowded(): boolean;
  /** No longer counts handlers that have run for long. */
  letGo(): void;
  pause(): void;
  resume(): void;
}

const lookMs = 50;
const looksIn500Ms = 500 / lookMs;

export class PartitionBuffer {
  readonly #options: PartitionBufferOptions;
  readonly #readAheadFrom: number;
  #bytes = 0;
  #isPaused = false;
  #isFull = false;
  #isReadingAhead = false;
  /** Records that have left since the last look. */
  #left = 0;
  #lookTimer: Disposable | null = null;
  #isClosed = false;

  constructor(options: PartitionBufferOptions) {
    this.#options = options;
    this.#readAheadFrom = Math.min(options.sharing?.readAheadFrom ?? Infinity, options.bufferedRecordsMax);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#options.limits.buffer(bytes);
  }

  remove(bytes: number): void {
    this.#left += 1;
    this.#bytes -= bytes;
    this.#options.limits.unbuffer(bytes);
    // Every record passes here, and most of them while the partition reads.
    if (this.#isPaused) this.pauseOrResume();
    if (this.#lookTimer === null && (this.#isPaused || this.#options.isCrowded())) this.lookSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#lookTimer?.[Symbol.dispose]();
    this.#options.limits.unbuffer(this.#bytes);
  }

  /** Reads on where others have released memory. */
  proceed(): boolean {
    if (this.#isClosed || !this.#isPaused) return false;
    this.pauseOrResume();
    return !this.#isPaused;
  }

  /** #1, #2 */
  pauseOrResume(): void {
    const { limits } = this.#options;
    const count = this.#options.count();
    this.#judgeFullness(count, limits.mayBuffer(this.#bytes));
    if (!this.#isPaused && (this.#isFull || (count > this.#readAheadFrom && !this.#isReadingAhead))) {
      this.#isPaused = true;
      this.#options.pause();
    }
    if (this.#isPaused && !this.#isFull && (this.#isReadingAhead || count <= this.#readAheadFrom / 2)) {
      this.#isPaused = false;
      this.#options.resume();
    }
  }

  #judgeFullness(count: number, mayBuffer: boolean): void {
    const { bufferedRecordsMax, limits, sharing, partition, epoch } = this.#options;
    if (!mayBuffer) limits.holdReading(this);
    const isFull = !mayBuffer || count > (this.#isFull ? bufferedRecordsMax / 2 : bufferedRecordsMax);
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) sharing?.reached(mayBuffer ? "buffered-records" : "buffered-bytes", { partition, receiver: null });
    sharing?.full(partition, epoch, isFull);
  }

  /** #3 */
  lookSoon(): void {
    const { sharing, time } = this.#options;
    if (sharing === null || this.#lookTimer !== null || this.#isClosed) return;
    if (this.#options.count() <= this.#readAheadFrom && !this.#options.isCrowded()) {
      this.#isReadingAhead = false;
      return;
    }
    this.#left = 0;
    this.#lookTimer = time.after(lookMs, () => {
      this.#lookTimer = null;
      this.#isReadingAhead = this.#left * looksIn500Ms < this.#options.count();
      this.#options.letGo();
      this.pauseOrResume();
      this.lookSoon();
    });
  }
}
