// Handles each partition with one serial handler that takes batches. The scheduler reads this way.
//
// #1 `handle` gets the next records in order, 1 to `batchRecordsMax`; two calls for one partition never overlap.
// #2 After a retryable Fault it is called again with the same records, with a back-off; any other rejection ends the
//    consumer.
// #3 A partition is opened only after the handler of its last epoch in this process has ended and was closed.
// #4 The group's offset is only for display (`display-commit.ts`).
// #5 A drain writes the handler's own position before it ends: the next owner may begin at once.

import { type Fault, formatReason, SharedTimer } from "@sluice/kernel";
import {
  type AssignedPartition,
  notYetOpen,
  type PartitionConsumer,
  type PartitionConsumerOptions,
  type PartitionControl,
  retryUntilDone,
  startPartitionConsumer,
} from "./partition-consumer.ts";
import { DisplayCommit, displayCommitMs } from "./display-commit.ts";
import type { OldestRecord } from "./scrape/partition-series.ts";
import type { AssignedOffsets, ReceivedRecord } from "../port.ts";

export interface BatchHandler {
  /** First offset to hand over. */
  readonly startAt: bigint;
  handle(records: readonly ReceivedRecord[]): Promise<void>;
  /** Writes the position of all that is handled, where the handler keeps one. Called while nothing is handled. */
  flush?(): Promise<void>;
  close(): Promise<void>;
}

export interface BatchConsumerOptions extends PartitionConsumerOptions {
  readonly batchRecordsMax: number;
  /**
   * Takes a partition. After a retryable Fault it is called again, with a back-off, while the epoch is current.
   * `assignmentOver` is aborted when the epoch ends, also while this is under way.
   */
  open(partition: number, epoch: number, log: AssignedOffsets, assignmentOver: AbortSignal): Promise<BatchHandler>;
}

export async function createBatchConsumer(options: BatchConsumerOptions): Promise<PartitionConsumer> {
  const commitTimer = new SharedTimer(options.time, displayCommitMs);
  return await startPartitionConsumer(options, (consumer) => new SerialPartition(options, consumer, commitTimer));
}

class SerialPartition implements AssignedPartition {
  readonly #options: BatchConsumerOptions;
  readonly #consumer: PartitionControl;
  readonly #over = new AbortController();
  /** Aborts the back-offs between attempts, because the epoch is over or the partition drains. */
  readonly #skipBackOff = new AbortController();
  #buffered: ReceivedRecord[] = [];
  /** When the first of them became the oldest, in milliseconds of the monotonic clock. */
  #oldestSinceMs = 0;
  #isPaused = false;
  #isDraining = false;
  #opening: Promise<BatchHandler | null> | null = null;
  #opened: BatchHandler | null = null;
  #working: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #trouble: string | null = notYetOpen;
  readonly #displayed: DisplayCommit;

  constructor(options: BatchConsumerOptions, consumer: PartitionControl, commitTimer: SharedTimer) {
    this.#options = options;
    this.#consumer = consumer;
    const { logger, topic } = options;
    const { partition } = consumer;
    this.#displayed = new DisplayCommit({
      timer: commitTimer,
      commit: (nextOffset) => consumer.commit(nextOffset),
      failed: (reason) => logger.warn("partition.commit-failed", { topic, partition, reason: formatReason(reason) }),
    });
  }

  async open(log: AssignedOffsets): Promise<bigint | null> {
    this.#opening = this.#open(log);
    return (await this.#opening)?.startAt ?? null;
  }

  async #open(log: AssignedOffsets): Promise<BatchHandler | null> {
    const { partition, epoch } = this.#consumer;
    const work = async (): Promise<BatchHandler> => await this.#options.open(partition, epoch, log, this.#over.signal);
    const opened = await this.#untilDone("opening", work, () => this.#over.signal.aborted);
    if (opened !== null) this.#trouble = null;
    this.#opened = opened?.value ?? null;
    return this.#opened;
  }

  receive(records: readonly ReceivedRecord[]): void {
    if (this.#over.signal.aborted) return;
    if (this.#buffered.length === 0) this.#oldestSinceMs = this.#options.time.monotonicMs();
    this.#buffered.push(...records);
    if (this.#buffered.length > this.#options.bufferedRecordsMax && !this.#isPaused) {
      this.#isPaused = true;
      this.#consumer.pause();
    }
    this.#work();
  }

  #work(): void {
    if (this.#working !== null || this.#isStopped || this.#buffered.length === 0) return;
    this.#working = this.#handleAll().finally(() => {
      this.#working = null;
    });
  }

  get #isStopped(): boolean {
    return this.#over.signal.aborted || this.#isDraining;
  }

  async #handleAll(): Promise<void> {
    const worker = await this.#opening;
    if (worker === null) return;
    while (!this.#isStopped && this.#buffered.length > 0) {
      const records = this.#buffered.slice(0, this.#options.batchRecordsMax);
      try {
        const done = await this.#untilDone(
          "handling",
          () => worker.handle(records),
          () => this.#isStopped,
        );
        if (done === null) return;
      } catch (error) {
        this.#consumer.fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      this.#finish(records);
    }
  }

  #finish(records: readonly ReceivedRecord[]): void {
    this.#trouble = null;
    this.#buffered = this.#buffered.slice(records.length);
    this.#oldestSinceMs = this.#options.time.monotonicMs();
    const nextOffset = (records.at(-1)?.offset ?? 0n) + 1n;
    if (this.#isPaused && this.#buffered.length <= this.#options.bufferedRecordsMax / 2) {
      this.#isPaused = false;
      this.#consumer.resume();
    }
    if (!this.#over.signal.aborted) this.#displayed.advance(nextOffset);
  }

  async #untilDone<T>(what: string, work: () => Promise<T>, isOver: () => boolean): Promise<{ readonly value: T } | null> {
    const { time, random, logger, topic } = this.#options;
    const { partition, epoch } = this.#consumer;
    const watch = {
      isOver,
      retrying: (reason: Fault) => {
        this.#trouble = `${what} is tried again: ${reason.code}: ${formatReason(reason)}`;
        logger.warn("partition.retry", { topic, partition, epoch, what, code: reason.code, reason: formatReason(reason) });
      },
    };
    return await retryUntilDone(work, watch, { time, random, signal: this.#skipBackOff.signal });
  }

  trouble(): string | null {
    return this.#trouble;
  }

  oldest(): OldestRecord | null {
    const [record] = this.#buffered;
    return record === undefined ? null : { record, sinceMs: this.#oldestSinceMs };
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#skipBackOff.abort();
    await this.#working;
    // #5
    if (!this.#over.signal.aborted) await Promise.all([this.#opened?.flush?.(), this.#displayed.flush()]);
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#skipBackOff.abort();
    this.#buffered = [];
    this.#displayed.stop();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async settled(): Promise<void> {
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#working;
    // A partition that did not open has nothing to close, and `assigned` has reported why.
    const worker = await this.#opening?.catch(() => null);
    try {
      await worker?.close();
    } catch (error) {
      const { partition, epoch } = this.#consumer;
      this.#options.logger.error("partition.close-failed", { topic: this.#options.topic, partition, epoch, error });
    }
  }
}
