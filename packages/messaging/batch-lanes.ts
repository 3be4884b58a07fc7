// One serial handler per partition: the scheduler's way of reading.
//
// #1 `handle` gets the next records in order, 1 to `batchRecordsMax`, never two calls of one lane at a time.
// #2 Rejected with a retryable Fault it is called again with the same records, after a back-off; any other rejection ends the lanes.
// #3 `open` of a partition comes after the `close` of its last epoch in this process, which comes after the running `handle`.
// #4 The group's offset is for display; a commit that fails changes nothing.

import type { Fault } from "@sluice/runtime";
import type { Lane, LaneConsumer, Lanes, LanesOptions } from "./lane.ts";
import { startLanes, untilDone } from "./lane.ts";
import type { AssignedLog, ReceivedRecord } from "./port.ts";

export interface BatchLane {
  /** The first offset to hand over. */
  readonly startAt: bigint;
  handle(records: readonly ReceivedRecord[]): Promise<void>;
  close(): Promise<void>;
}

export interface BatchLanesOptions extends LanesOptions {
  readonly batchRecordsMax: number;
  /** Takes a partition. Rejected with a retryable Fault it is called again, after a back-off, while the epoch is current. */
  open(partition: number, epoch: number, log: AssignedLog): Promise<BatchLane>;
}

const commitIntervalMs = 1000;

export async function createBatchLanes(options: BatchLanesOptions): Promise<Lanes> {
  return await startLanes(options, (consumer) => new SerialLane(options, consumer));
}

class SerialLane implements Lane {
  readonly #options: BatchLanesOptions;
  readonly #consumer: LaneConsumer;
  readonly #over = new AbortController();
  /** Ends waits between tries: the epoch is over, or the lane drains. */
  readonly #waitless = new AbortController();
  #buffered: ReceivedRecord[] = [];
  #isPaused = false;
  #isDraining = false;
  #opening: Promise<BatchLane | null> | null = null;
  #working: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #trouble: string | null = "not yet open";
  #doneOffset: bigint | null = null;
  #committedOffset: bigint | null = null;
  #commitTimer: Disposable | null = null;

  constructor(options: BatchLanesOptions, consumer: LaneConsumer) {
    this.#options = options;
    this.#consumer = consumer;
  }

  async open(log: AssignedLog): Promise<bigint | null> {
    this.#opening = this.#open(log);
    return (await this.#opening)?.startAt ?? null;
  }

  async #open(log: AssignedLog): Promise<BatchLane | null> {
    const { partition, epoch } = this.#consumer;
    const work = async (): Promise<BatchLane> => await this.#options.open(partition, epoch, log);
    const opened = await this.#untilDone("opening", work, () => this.#over.signal.aborted);
    if (opened !== null) this.#trouble = null;
    return opened?.value ?? null;
  }

  receive(records: readonly ReceivedRecord[]): void {
    if (this.#over.signal.aborted) return;
    this.#buffered.push(...records);
    if (this.#buffered.length > this.#options.bufferedRecordsMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#consumer.pause();
    }
    this.#work();
  }

  #work(): void {
    if (this.#working !== null || this.#isIdleForGood || this.#buffered.length === 0) return;
    this.#working = this.#handleAll().finally(() => {
      this.#working = null;
    });
  }

  get #isIdleForGood(): boolean {
    return this.#over.signal.aborted || this.#isDraining;
  }

  async #handleAll(): Promise<void> {
    const lane = await this.#opening;
    if (lane === null) return;
    while (!this.#isIdleForGood && this.#buffered.length > 0) {
      const records = this.#buffered.slice(0, this.#options.batchRecordsMax);
      try {
        const done = await this.#untilDone(
          "handling",
          () => lane.handle(records),
          () => this.#isIdleForGood,
        );
        if (done === null) return;
      } catch (error) {
        this.#consumer.failed(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      this.#finish(records);
    }
  }

  #finish(records: readonly ReceivedRecord[]): void {
    this.#trouble = null;
    this.#buffered = this.#buffered.slice(records.length);
    this.#doneOffset = (records.at(-1)?.offset ?? 0n) + 1n;
    if (this.#isPaused && this.#buffered.length <= this.#options.bufferedRecordsMax / 2) {
      this.#isPaused = false;
      this.#consumer.resume();
    }
    if (this.#over.signal.aborted) return;
    this.#commitTimer ??= this.#options.time.after(commitIntervalMs, () => void this.#commit());
  }

  async #untilDone<T>(what: string, work: () => Promise<T>, isOver: () => boolean): Promise<{ readonly value: T } | null> {
    const { time, random, log, topic } = this.#options;
    const { partition, epoch } = this.#consumer;
    const watch = {
      isOver,
      retrying: (reason: Fault) => {
        this.#trouble = `${what} is tried again: ${reason.code}`;
        log.warn("lane.retry", { topic, partition, epoch, what, code: reason.code, reason: reason.message });
      },
    };
    return await untilDone(work, watch, { time, random, signal: this.#waitless.signal });
  }

  async #commit(): Promise<void> {
    this.#commitTimer?.[Symbol.dispose]();
    this.#commitTimer = null;
    const nextOffset = this.#doneOffset;
    if (nextOffset === null || nextOffset === this.#committedOffset || this.#over.signal.aborted) return;
    try {
      await this.#consumer.commit(nextOffset);
      this.#committedOffset = nextOffset;
    } catch (error) {
      // #4: the next one names a later offset.
      const { partition } = this.#consumer;
      this.#options.log.warn("lane.commit-failed", { topic: this.#options.topic, partition, reason: String(error) });
    }
  }

  trouble(): string | null {
    return this.#trouble;
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#waitless.abort();
    await this.#working;
    await this.#commit();
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#waitless.abort();
    this.#buffered = [];
    this.#commitTimer?.[Symbol.dispose]();
    this.#commitTimer = null;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async settled(): Promise<void> {
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#working;
    // A lane that did not open has nothing to close; why is told by `assigned`.
    const lane = await this.#opening?.catch(() => null);
    try {
      await lane?.close();
    } catch (error) {
      const { partition, epoch } = this.#consumer;
      this.#options.log.error("lane.close-failed", { topic: this.#options.topic, partition, epoch, error });
    }
  }
}
