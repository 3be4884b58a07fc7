// Bounds what all partitions of one consumer have in memory together, and shares it between receivers and partitions.
//
// #1 At most `runningMax` records are in progress. A receiver may have at most a third of what is free: 1,024 of 4,096
//    if it is alone, 124 if there are thirty like it. So there is always room for another one.
// #2 Records in progress have at most `runningBytesMax` bytes; the last one to start may exceed it.
// #3 Records in memory, in progress or not, have at most `bufferedBytesMax` bytes. A partition is sure of its equal
//    part of one half; the other half goes to whichever needs it first. One fetch in flight may exceed it.

export interface SharedLimitsOptions {
  readonly runningMax: number;
  readonly runningBytesMax: number;
  readonly bufferedBytesMax: number;
}

/** The name of a bound that was reached, as log lines and metrics have it. */
export const reachedBounds = ["running-records", "running-bytes", "receiver-share", "buffered-records", "buffered-bytes"] as const;
export type ReachedBound = (typeof reachedBounds)[number];

/** What one receiver has in progress in all partitions. */
export interface ReceiverLoad {
  readonly receiver: string | null;
  running: number;
  /** The partitions that have records of it. */
  partitions: number;
}

/** A partition that waits for others to end or to release something. */
export interface HeldPartition {
  /** Tells whether it has started or read something; otherwise the next one is asked. */
  proceed(): boolean;
}

/** What an object in memory costs beside its bytes. */
const recordOverheadBytes = 400;

export function recordBytes({ key, value }: { readonly key: Uint8Array | null; readonly value: Uint8Array | null }): number {
  return recordOverheadBytes + (key?.byteLength ?? 0) + (value?.byteLength ?? 0);
}

export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #loads = new Map<string | null, ReceiverLoad>();
  /** Partitions that may start nothing more (#1, #2), and partitions that may read nothing more (#3). */
  readonly #held = new Set<HeldPartition>();
  readonly #full = new Set<HeldPartition>();
  #running = 0;
  #runningBytes = 0;
  #bufferedBytes = 0;
  #partitions = 0;
  #isWaking = false;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  addPartition(): void {
    this.#partitions += 1;
  }

  removePartition(starting: HeldPartition, reading: HeldPartition): void {
    this.#partitions -= 1;
    this.#held.delete(starting);
    this.#full.delete(reading);
  }

  /** Returns the load of a receiver for one partition, which gives it back with `release`. */
  load(receiver: string | null): ReceiverLoad {
    const known = this.#loads.get(receiver) ?? { receiver, running: 0, partitions: 0 };
    known.partitions += 1;
    this.#loads.set(receiver, known);
    return known;
  }

  release(load: ReceiverLoad): void {
    load.partitions -= 1;
    this.#forgetUnused(load);
  }

  #forgetUnused(load: ReceiverLoad): void {
    if (load.partitions === 0 && load.running === 0) this.#loads.delete(load.receiver);
  }

  /** #1, #2: the bound that keeps the receiver from starting one more; null where it may. */
  reachedBy(load: ReceiverLoad): ReachedBound | null {
    const free = this.#options.runningMax - this.#running;
    if (free <= 0) return "running-records";
    if (this.#runningBytes >= this.#options.runningBytesMax) return "running-bytes";
    return load.running >= Math.max(1, free / 3) ? "receiver-share" : null;
  }

  start(load: ReceiverLoad, bytes: number): void {
    load.running += 1;
    this.#running += 1;
    this.#runningBytes += bytes;
  }

  end(load: ReceiverLoad, bytes: number): void {
    load.running -= 1;
    this.#running -= 1;
    this.#runningBytes -= bytes;
    if (load.partitions === 0) this.#forgetUnused(load);
  }

  hold(partition: HeldPartition): void {
    this.#held.add(partition);
  }

  /** Lets the partitions that were held go on, in turn, until one has started something. */
  wakeHeld(): void {
    if (this.#held.size > 0) this.#wake(this.#held);
  }

  /** #3 */
  mayBuffer(ownBytes: number): boolean {
    const half = this.#options.bufferedBytesMax / 2;
    return this.#bufferedBytes < half || ownBytes < half / Math.max(1, this.#partitions);
  }

  holdReading(partition: HeldPartition): void {
    this.#full.add(partition);
  }

  buffer(bytes: number): void {
    this.#bufferedBytes += bytes;
  }

  unbuffer(bytes: number): void {
    this.#bufferedBytes -= bytes;
    if (this.#full.size > 0 && this.#bufferedBytes < this.#options.bufferedBytesMax / 2) this.#wake(this.#full);
  }

  /** What a partition does when it is woken must not wake others again. */
  #wake(waiting: Set<HeldPartition>): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    let left = waiting.size;
    for (const partition of waiting) {
      waiting.delete(partition);
      left -= 1;
      // One that cannot go on comes back at the end.
      if (partition.proceed() || left === 0) break;
    }
    this.#isWaking = false;
  }
}
