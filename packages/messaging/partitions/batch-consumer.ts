// Handles each partition with one serial handler that takes batches. The scheduler reads this way.
//
// #1 `handle` gets the next records in order, 1 to `batchRecordsMax`; two calls for one partition never overlap.
// #2 After a retryable Fault it is called again with the same records, with a back-off; any other rejection ends the
//    consumer.
// #3 A partition is opened only after the handler of its last epoch in this process has ended and was closed.
// #4 The group's offset is only for display, so that a failed commit changes nothing.

import { type Fault, formatReason } from "@sluice/kernel";
import {
  type AssignedPartition,
  type PartitionConsumer,
  type PartitionConsumerOptions,
  type PartitionControl,
  retryUntilDone,
  startPartitionConsumer,
} from "./partition-consumer.ts";
import type { AssignedOffsets, ReceivedRecord } from "../port.ts";

export interface BatchHandler {
  /** First offset to hand over. */
  readonly startAt: bigint;
  handle(records: readonly ReceivedRecord[]): Promise<void>;
  close(): Promise<void>;
}

export interface BatchConsumerOptions extends PartitionConsumerOptions {
  readonly batchRecordsMax: number;
  /** Takes a partition. After a retryable Fault it is called again, with a back-off, while the epoch is current. */
  open(partition: number, epoch: number, log: AssignedOffsets): Promise<BatchHandler>;
}

const commitIntervalMs = 1000;

export async function createBatchConsumer(options: BatchConsumerOptions): Promise<PartitionConsumer> {
  return await startPartitionConsumer(options, (consumer) => new SerialPartition(options, consumer));
}

class SerialPartition implements AssignedPartition {
  readonly #options: BatchConsumerOptions;
  readonly #consumer: PartitionControl;
  readonly #over = new AbortController();
  /** Aborts the back-offs between attempts, because the epoch is over or the partition drains. */
  readonly #skipBackOff = new AbortController();
  #buffered: ReceivedRecord[] = [];
  #isPaused = false;
  #isDraining = false;
  #opening: Promise<BatchHandler | null> | null = null;
  #working: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #trouble: string | null = "not yet open";
  #doneOffset: bigint | null = null;
  #committedOffset: bigint | null = null;
  #commitTimer: Disposable | null = null;

  constructor(options: BatchConsumerOptions, consumer: PartitionControl) {
    this.#options = options;
    this.#consumer = consumer;
  }

  async open(log: AssignedOffsets): Promise<bigint | null> {
    this.#opening = this.#open(log);
    return (await this.#opening)?.startAt ?? null;
  }

  async #open(log: AssignedOffsets): Promise<BatchHandler | null> {
    const { partition, epoch } = this.#consumer;
    const work = async (): Promise<BatchHandler> => await this.#options.open(partition, epoch, log);
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
    this.#doneOffset = (records.at(-1)?.offset ?? 0n) + 1n;
    if (this.#isPaused && this.#buffered.length <= this.#options.bufferedRecordsMax / 2) {
      this.#isPaused = false;
      this.#consumer.resume();
    }
    if (this.#over.signal.aborted) return;
    this.#commitTimer ??= this.#options.time.after(commitIntervalMs, () => void this.#commit());
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

  async #commit(): Promise<void> {
    this.#commitTimer?.[Symbol.dispose]();
    this.#commitTimer = null;
    const nextOffset = this.#doneOffset;
    if (nextOffset === null || nextOffset === this.#committedOffset || this.#over.signal.aborted) return;
    try {
      await this.#consumer.commit(nextOffset);
      this.#committedOffset = nextOffset;
    } catch (error) {
      // #4: the next commit carries a later offset.
      const { partition } = this.#consumer;
      this.#options.logger.warn("partition.commit-failed", { topic: this.#options.topic, partition, reason: String(error) });
    }
  }

  trouble(): string | null {
    return this.#trouble;
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#skipBackOff.abort();
    await this.#working;
    await this.#commit();
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#skipBackOff.abort();
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
