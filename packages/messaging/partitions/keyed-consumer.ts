// Handles the records of one key in order and different keys concurrently. Dispatcher and event publisher read this
// way.
//
// #1 Records of one key are handled first in, first out: the next one starts when the one before is complete.
// #2 At most `runningMax` handlers run per partition, so that a busy partition does not slow another one down. A key in
//    a back-off blocks only itself and takes none of these slots.
// #3 The position is the watermark (`watermark.ts`). It is written after it has advanced: 200 ms after the last write,
//    or under load every second or 1,000 completions. One write per partition is in flight at a time, and only in the
//    current epoch.
// #4 A completion after the end of its epoch is ignored, because a duplicate is better than a loss. An epoch inherits
//    no state from the one before, so that no record can meet a stale entry. (parallel-consumer issue 909.)
// #5 A commit or position write that fails is retried and stops nothing. (parallel-consumer issue 857.)
// #6 Above `bufferedRecordsMax` the partition is paused, so that memory does not grow while handlers are slow.
//    (parallel-consumer issue 832.)
// #7 A record is decoded when a handler is free, not when it arrives: waiting records are only bytes, and decoded ones
//    die young.

import { Fault, type LogFields } from "@sluice/kernel";
import {
  type AssignedPartition,
  type PartitionConsumer,
  type PartitionConsumerOptions,
  type PartitionControl,
  retryUntilDone,
  startPartitionConsumer,
} from "./partition-consumer.ts";
import type { AssignedOffsets, ReceivedRecord } from "../port.ts";
import { type TrackedRecord, Watermark } from "./watermark.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { TaskPool } from "./task-pool.ts";
import { UnreadRecords } from "./unread-records.ts";

/** The partition and epoch in which a record was received. */
export interface PartitionEpoch {
  readonly partition: number;
  readonly epoch: number;
  /** False once the epoch is over. From then on the handler must have no outside effect. */
  isCurrent(): boolean;
}

export interface KeyedConsumerOptions<Content> extends PartitionConsumerOptions {
  /** Handlers that may run at once in each partition. */
  readonly runningMax: number;
  /** Takes a partition and answers the offset to start at. Retried as `handle` is. */
  startAt(partition: number, epoch: number, log: AssignedOffsets): Promise<bigint>;
  /** The epoch is over. Called once for each call of `startAt`, after that call has settled. */
  closed?(partition: number, epoch: number): void;
  /** Decodes a record. Called once for each record, in order, when a handler is free. Must not throw. */
  read(record: ReceivedRecord): KeyedContent<Content>;
  /**
   * Handles a record. After a retryable Fault it is called again, with a back-off; any other rejection ends the
   * consumer.
   */
  handle(record: ReceivedRecord, owned: PartitionEpoch, content: Content): Promise<void>;
  /** Persists the first offset that is not done. Retried as `handle` is. */
  writePosition?(partition: number, epoch: number, nextOffset: bigint): Promise<void>;
}

/** A decoded record with its key: records of one key are handled in order, one at a time. */
export interface KeyedContent<Content> {
  readonly key: string;
  /** The decoded content, which the handler gets together with the record. */
  readonly content: Content;
}

interface Entry<Content> extends KeyedContent<Content> {
  readonly record: ReceivedRecord;
  readonly place: TrackedRecord;
  /** The next entry of the same key; null while this is the last one. */
  next: Entry<Content> | null;
  tries: number;
}

const nothing = Promise.resolve();

const positionIntervalMs = 200;
/** Interval of a busy partition: one with at least `positionBusyCompletions` completions since its last write. */
const positionBusyIntervalMs = 1_000;
const positionBusyCompletions = 50;
const positionCompletionsMax = 1_000;

export async function createKeyedConsumer<Content>(options: KeyedConsumerOptions<Content>): Promise<PartitionConsumer> {
  return await startPartitionConsumer(options, (consumer) => new ConcurrentPartition(options, consumer));
}

class ConcurrentPartition<Content> implements AssignedPartition, PartitionEpoch {
  readonly partition: number;
  readonly epoch: number;
  readonly #options: KeyedConsumerOptions<Content>;
  readonly #consumer: PartitionControl;
  readonly #pool: TaskPool<Entry<Content>>;
  readonly #over = new AbortController();
  readonly #unread = new UnreadRecords();
  readonly #lastByKey = new Map<string, Entry<Content>>();
  readonly #troubleByKey = new Map<string, string>();
  #isOver = false;
  #watermark: Watermark | null = null;
  #opening: Promise<{ readonly value: bigint } | null> | null = null;
  #openTrouble: string | null = "not yet open";
  #closing: Promise<void> | null = null;
  #isPaused = false;
  #isDraining = false;
  #completions = 0;
  #isBusy = false;
  #writeFailures = 0;
  #writtenOffset: bigint | null = null;
  #writeTimer: Disposable | null = null;
  #writing: Promise<void> | null = null;

  constructor(options: KeyedConsumerOptions<Content>, consumer: PartitionControl) {
    this.#options = options;
    this.#consumer = consumer;
    this.#pool = new TaskPool({
      runningMax: options.runningMax,
      work: (entry, over) => this.#handle(entry, over),
      take: () => this.#take(),
    });
    this.partition = consumer.partition;
    this.epoch = consumer.epoch;
  }

  isCurrent(): boolean {
    return !this.#isOver;
  }

  async open(log: AssignedOffsets): Promise<bigint | null> {
    if (!this.isCurrent()) return null;
    this.#opening = this.#open(log);
    const opened = await this.#opening;
    if (opened === null || !this.isCurrent()) return null;
    this.#openTrouble = null;
    this.#watermark = new Watermark(opened.value);
    this.#writtenOffset = opened.value;
    return opened.value;
  }

  async #open(log: AssignedOffsets): Promise<{ readonly value: bigint } | null> {
    const { time, random } = this.#options;
    const watch = {
      isOver: () => !this.isCurrent(),
      retrying: (fault: Fault) => {
        this.#openTrouble = `opening is tried again: ${fault.code}`;
        this.#warn("partition.retry", { what: "opening", code: fault.code, reason: fault.message });
      },
    };
    return await retryUntilDone(() => this.#options.startAt(this.partition, this.epoch, log), watch, {
      time,
      random,
      signal: this.#over.signal,
    });
  }

  receive(records: readonly ReceivedRecord[]): void {
    if (this.#watermark === null || !this.isCurrent()) return;
    this.#unread.push(records);
    this.#pool.fill();
    this.#pauseOrResume();
  }

  /** #1, #7: decodes records up to the next one whose key is idle. */
  #take(): Entry<Content> | undefined {
    if (!this.isCurrent() || this.#isDraining) return undefined;
    for (;;) {
      const record = this.#unread.take();
      if (record === undefined) return undefined;
      const { key, content } = this.#options.read(record);
      const place = { offset: record.offset, isDone: false };
      const entry = { record, place, key, content, next: null, tries: 0 };
      this.#watermark?.add(place);
      const last = this.#lastByKey.get(key);
      this.#lastByKey.set(key, entry);
      if (last === undefined) return entry;
      last.next = entry;
    }
  }

  /** Makes no promise of its own, because every record passes through here. */
  #handle(entry: Entry<Content>, over: () => void): void {
    if (!this.isCurrent() || this.#isDraining) return void nothing.then(over);
    entry.tries += 1;
    this.#startHandler(entry).then(
      () => this.#handled(entry, over),
      (error: unknown) => this.#handleFailed(entry, error, over),
    );
  }

  /** #4 */
  #handled(entry: Entry<Content>, over: () => void): void {
    if (this.isCurrent()) this.#complete(entry);
    over();
  }

  #handleFailed(entry: Entry<Content>, error: unknown, over: () => void): void {
    if (this.isCurrent()) this.#failed(entry, error);
    over();
  }

  #startHandler({ record, content }: Entry<Content>): Promise<void> {
    try {
      return this.#options.handle(record, this, content);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #failed(entry: Entry<Content>, error: unknown): void {
    if (!(error instanceof Fault) || !error.isRetryable) {
      this.#consumer.fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#troubleByKey.set(entry.key, error.code);
    this.#warn("partition.retry", { what: "handling", code: error.code, reason: error.message });
    if (this.#isDraining) return;
    // #2: the wait takes no slot of the pool. If it outlives the drain or the epoch, the entry it submits does nothing.
    const { time, random } = this.#options;
    time.after(retryDelayMs(entry.tries, random), () => this.#pool.submit(entry));
  }

  #complete(entry: Entry<Content>): void {
    if (this.#troubleByKey.size > 0) this.#troubleByKey.delete(entry.key);
    this.#watermark?.complete(entry.place);
    this.#completions += 1;
    const { next } = entry;
    if (next === null) this.#lastByKey.delete(entry.key);
    else this.#pool.submit(next);
    // Otherwise an old entry would keep all later ones from being collected young.
    entry.next = null;
    this.#pauseOrResume();
    this.#writeSoon();
  }

  #pauseOrResume(): void {
    const { bufferedRecordsMax } = this.#options;
    const count = this.#unread.count + (this.#watermark?.count ?? 0);
    if (!this.#isPaused && count > bufferedRecordsMax) {
      this.#isPaused = true;
      this.#consumer.pause();
    }
    if (this.#isPaused && count <= bufferedRecordsMax / 2) {
      this.#isPaused = false;
      this.#consumer.resume();
    }
  }

  #writeSoon(): void {
    if (this.#writing !== null || this.#isWritten) return;
    // After a failed write the back-off applies, and even a thousand completions do not shorten it.
    if (this.#completions >= positionCompletionsMax && this.#writeFailures === 0) {
      void this.#write();
      return;
    }
    const { time, random } = this.#options;
    const intervalMs = this.#isBusy ? positionBusyIntervalMs : positionIntervalMs;
    const delayMs = this.#writeFailures === 0 ? intervalMs : retryDelayMs(this.#writeFailures + 1, random);
    this.#writeTimer ??= time.after(delayMs, () => void this.#write());
  }

  get #isWritten(): boolean {
    return !this.isCurrent() || this.#watermark === null || this.#watermark.nextOffset === this.#writtenOffset;
  }

  async #write(): Promise<void> {
    this.#writeTimer?.[Symbol.dispose]();
    this.#writeTimer = null;
    if (this.#writing !== null || this.#isWritten || this.#watermark === null) return;
    this.#isBusy = this.#completions >= positionBusyCompletions;
    this.#completions = 0;
    this.#writing = this.#writeOffset(this.#watermark.nextOffset);
    await this.#writing;
    this.#writing = null;
    this.#writeSoon();
  }

  /** #5 */
  async #writeOffset(nextOffset: bigint): Promise<void> {
    try {
      await this.#options.writePosition?.(this.partition, this.epoch, nextOffset);
      this.#writtenOffset = nextOffset;
      this.#writeFailures = 0;
    } catch (error) {
      this.#writeFailures += 1;
      if (!(error instanceof Fault) || !error.isRetryable) {
        if (this.isCurrent()) this.#consumer.fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      this.#warn("partition.retry", { what: "position", code: error.code, reason: error.message });
      return;
    }
    try {
      await this.#consumer.commit(nextOffset);
    } catch (error) {
      // The group's offset is only for display, and the next commit carries a later one.
      this.#warn("partition.commit-failed", { reason: String(error) });
    }
  }

  #warn(event: string, fields: LogFields): void {
    this.#options.logger.warn(event, { topic: this.#options.topic, partition: this.partition, epoch: this.epoch, ...fields });
  }

  trouble(): string | null {
    if (this.#openTrouble !== null) return this.#openTrouble;
    if (this.#writeFailures > 0) return "the position cannot be written";
    const [code] = this.#troubleByKey.values();
    return code === undefined ? null : `${this.#troubleByKey.size} keys are tried again: ${code}`;
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#pool.idle();
    await this.#writing;
    await this.#write();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#over.abort();
    this.#writeTimer?.[Symbol.dispose]();
    this.#writeTimer = null;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#opening === null) return;
    // `assigned` reports why a partition did not open.
    await this.#opening.catch(() => null);
    this.#options.closed?.(this.partition, this.epoch);
  }

  async settled(): Promise<void> {
    await this.#closing;
    await this.#pool.idle();
    await this.#writing;
  }
}
