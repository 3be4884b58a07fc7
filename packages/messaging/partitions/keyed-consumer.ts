// Handles the records of one key in order and different keys concurrently. Dispatcher and event publisher use it.
//
// #1 Records of one key are handled first in, first out: the next one starts when the one before is complete.
// #2 At most `runningMax` handlers count as running per partition, so that a busy partition does not slow another one
//    down. A key in a back-off blocks only itself and takes none of these places; while `backOffsMax` keys are in one,
//    nothing else starts in the partition.
// #3 The position is the watermark (`positions/watermark.ts`, `positions/keyed-position.ts`).
// #4 A completion after the end of its epoch is ignored, because a duplicate is better than a loss. An epoch inherits
//    no state from the one before, so that no record can meet a stale entry. (parallel-consumer issue 909.)
// #5 What a partition has in memory is bounded, and it is paused above that (`partition-buffer.ts`).
// #6 A record is decoded when a handler is free, not when it arrives: waiting records are only bytes, and decoded ones
//    die young.
//
// With `sharing`, records wait in a line for each receiver, and a receiver that waits delays no other (I14):
//
// #7 Receivers take turns. Whatever the others have, each may have `receiverRunningMin` handlers in the partition. A
//    handler that has run for 100 ms no longer counts as running, because it waits for its receiver. Records for no
//    receiver, such as the markers of days and pauses, start at once: no record may pass a marker before it.
// #8 What all partitions have in progress and in memory is bounded together (`shared-limits.ts`).
//
// With `sharing` and without:
//
// #9 A drain starts no record behind those that have started, but all before them: the position is the first record
//    that is not done, so the next owner would handle again whatever is done behind one that waits for its turn.

import { assert, type BlockedPosition, Fault, formatReason, type LogFields } from "@sluice/kernel";
import {
  type AssignedPartition,
  notYetOpen,
  type PartitionConsumer,
  type PartitionControl,
  retryUntilDone,
  startPartitionConsumer,
} from "./partition-consumer.ts";
import type { AssignedOffsets, ReceivedRecord } from "../port.ts";
import { Watermark } from "./positions/watermark.ts";
import { findBlockedPosition } from "./blocked-position.ts";
import { findOldestRecord, type OldestRecord } from "./scrape/partition-series.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { PartitionBuffer } from "./partition-buffer.ts";
import type { KeyedConsumerOptions, PartitionEpoch } from "./keyed-options.ts";
import { createPositionTimers, KeyedPosition, type PositionTimers } from "./positions/keyed-position.ts";
import { recordBytes, SharedLimits } from "./shared-limits.ts";
import { type PoolItem, TaskPool } from "./task-pool.ts";
import { type UnreadRecord, UnreadRecords } from "./unread-records.ts";

type Source<Content> = UnreadRecords<Content, Entry<Content>>;

interface Entry<Content> extends PoolItem<Entry<Content>, Source<Content>> {
  readonly key: string;
  readonly content: Content;
  readonly record: ReceivedRecord;
  readonly place: UnreadRecord<Content>;
  /** The next entry of the same key; null while this is the last one. */
  next: Entry<Content> | null;
  tries: number;
}

/** #2 */
const backOffsMax = 500;
/** Lines of receivers kept in a partition although nothing is in them. */
const unusedLinesMax = 1_024;

export async function createKeyedConsumer<Content>(options: KeyedConsumerOptions<Content>): Promise<PartitionConsumer> {
  const limits = options.sharing?.limits ?? new SharedLimits(unlimited);
  const timers = createPositionTimers(options.time, options.writePosition !== undefined);
  return await startPartitionConsumer(options, (consumer) => new ConcurrentPartition(options, consumer, limits, timers));
}

const unlimited = { runningMax: Infinity, runningBytesMax: Infinity, bufferedBytesMax: Infinity };

class ConcurrentPartition<Content> implements AssignedPartition, PartitionEpoch {
  readonly partition: number;
  readonly epoch: number;
  readonly #options: KeyedConsumerOptions<Content>;
  readonly #consumer: PartitionControl;
  readonly #limits: SharedLimits;
  readonly #timers: PositionTimers;
  readonly #pool: TaskPool<Entry<Content>, Source<Content>>;
  readonly #over = new AbortController();
  readonly #lines = new Map<string | null, Source<Content>>();
  readonly #buffer: PartitionBuffer;
  #position: KeyedPosition | null = null;
  readonly #lastByKey = new Map<string, Entry<Content>>();
  readonly #troubleByKey = new Map<string, string>();
  #isOver = false;
  #watermark: Watermark<UnreadRecord<Content>> | null = null;
  /** When the watermark moved last, in milliseconds of the monotonic clock. */
  #movedAtMs = 0;
  #opening: Promise<{ readonly value: bigint } | null> | null = null;
  #openTrouble: string | null = notYetOpen;
  #closing: Promise<void> | null = null;
  /** The highest offset whose handler has started. */
  #startedTo = -1n;
  /** Set by a drain (#9). */
  #drainTo: bigint | null = null;
  #backOffs = 0;

  constructor(options: KeyedConsumerOptions<Content>, consumer: PartitionControl, limits: SharedLimits, timers: PositionTimers) {
    this.#options = options;
    this.#timers = timers;
    this.#consumer = consumer;
    this.#limits = limits;
    this.#pool = new TaskPool({
      runningMax: options.runningMax,
      sourceRunningMin: options.sharing?.receiverRunningMin ?? 0,
      limits,
      work: (entry) => this.#handle(entry),
      take: (line) => this.#take(line),
      mayStart: (line) => this.isCurrent() && this.#backOffs < backOffsMax && this.#mayStart(line),
      held: (bound, { load: { receiver } }) => this.#options.sharing?.reached(bound, { partition: this.partition, receiver }),
    });
    this.partition = consumer.partition;
    this.epoch = consumer.epoch;
    this.#buffer = new PartitionBuffer({
      partition: consumer.partition,
      epoch: consumer.epoch,
      time: options.time,
      bufferedRecordsMax: options.bufferedRecordsMax,
      sharing: options.sharing ?? null,
      limits,
      count: () => this.#watermark?.count ?? 0,
      isCrowded: () => this.#pool.isCrowded,
      letGo: () => this.#pool.letGo(),
      pause: () => consumer.pause(),
      resume: () => consumer.resume(),
    });
    limits.addPartition();
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
    this.#position = this.#createPosition(this.#watermark);
    return opened.value;
  }

  async #open(log: AssignedOffsets): Promise<{ readonly value: bigint } | null> {
    const { time, random } = this.#options;
    const watch = {
      isOver: () => !this.isCurrent(),
      retrying: (fault: Fault) => {
        this.#openTrouble = `opening is tried again: ${fault.code}: ${formatReason(fault)}`;
        this.#warn("partition.retry", { what: "opening", code: fault.code, reason: formatReason(fault) });
      },
    };
    return await retryUntilDone(() => this.#options.startAt(this.partition, this.epoch, log, this.#over.signal), watch, {
      time,
      random,
      signal: this.#over.signal,
    });
  }

  #createPosition(watermark: Watermark<UnreadRecord<Content>>): KeyedPosition {
    const { partition, epoch } = this;
    return new KeyedPosition(watermark, {
      time: this.#options.time,
      random: this.#options.random,
      isCurrent: () => this.isCurrent(),
      timers: this.#timers,
      write: async (nextOffset) => this.#options.writePosition?.(partition, epoch, nextOffset),
      commit: (nextOffset) => this.#consumer.commit(nextOffset),
      failed: (reason) => this.#consumer.fail(reason),
      warn: (event, fields) => this.#warn(event, fields),
    });
  }

  receive(records: readonly ReceivedRecord[]): void {
    if (this.#watermark === null || !this.isCurrent()) return;
    let bytes = 0;
    const receivedAtMs = this.#options.time.monotonicMs();
    for (const record of records) {
      bytes += recordBytes(record);
      const receiver = this.#options.sharing?.receiverOf(record) ?? null;
      const read = receiver === null && this.#options.sharing !== undefined ? this.#options.read(record) : null;
      const unread = { offset: record.offset, isDone: false, record, taken: null, receivedAtMs, read };
      this.#watermark.add(unread);
      const line = this.#line(receiver ?? read?.receiver ?? null);
      line.push(unread);
      this.#pool.offer(line);
    }
    this.#buffer.add(bytes);
    this.#pool.fill();
    this.#buffer.pauseOrResume();
    this.#buffer.lookSoon();
  }

  #line(receiver: string | null): Source<Content> {
    const known = this.#lines.get(receiver);
    if (known !== undefined) return known;
    if (this.#lines.size >= unusedLinesMax) this.#forgetUnusedLines();
    const { sharing } = this.#options;
    const isFirst = sharing !== undefined && receiver === null;
    const line: Source<Content> = new UnreadRecords(this.#limits.load(receiver), sharing?.runningMaxOf(receiver) ?? Infinity, isFirst);
    this.#lines.set(receiver, line);
    return line;
  }

  #forgetUnusedLines(): void {
    for (const [receiver, line] of this.#lines) {
      if (!line.isUnused) continue;
      this.#lines.delete(receiver);
      this.#limits.release(line.load);
    }
  }

  /** #1, #6: decodes records of one receiver up to the next one whose key is idle. */
  #take(line: Source<Content>): Entry<Content> | undefined {
    const again = line.retries.shift();
    if (again !== undefined) return again;
    for (let unread = this.#takeUnread(line); unread !== undefined; unread = this.#takeUnread(line)) {
      const { record } = unread;
      assert(record !== null, "a record is taken once");
      const { key, content } = unread.read ?? this.#options.read(record);
      unread.record = null;
      unread.read = null;
      const entry: Entry<Content> = {
        record,
        place: unread,
        source: line,
        bytes: recordBytes(record),
        key,
        content,
        next: null,
        tries: 0,
        before: null,
        after: null,
        isLinked: false,
        startedAtLook: 0,
      };
      unread.taken = entry;
      const last = this.#lastByKey.get(key);
      this.#lastByKey.set(key, entry);
      if (last === undefined) return entry;
      last.next = entry;
    }
    return undefined;
  }

  #takeUnread(line: Source<Content>): UnreadRecord<Content> | undefined {
    return this.#isDrained(line.nextOffset) ? undefined : line.take();
  }

  /** #9: a record that is tried again was started before. */
  #mayStart(line: Source<Content>): boolean {
    return line.retries.length > 0 || !this.#isDrained(line.nextOffset);
  }

  /** #9: tells whether a drain leaves the record to the next owner. */
  #isDrained(offset: bigint | null): boolean {
    return this.#drainTo !== null && offset !== null && offset > this.#drainTo;
  }

  /** Makes no promise of its own, because every record passes through here. */
  #handle(entry: Entry<Content>): void {
    entry.tries += 1;
    const { offset } = entry.place;
    if (offset > this.#startedTo) this.#startedTo = offset;
    this.#startHandler(entry).then(
      () => this.#handled(entry),
      (error: unknown) => this.#handleFailed(entry, error),
    );
  }

  /** #4 */
  #handled(entry: Entry<Content>): void {
    this.#pool.ended(entry, this.isCurrent() ? this.#complete(entry) : null);
  }

  #handleFailed(entry: Entry<Content>, error: unknown): void {
    if (this.isCurrent()) this.#failed(entry, error);
    this.#pool.ended(entry, null);
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
    this.#warn("partition.retry", { what: "handling", code: error.code, reason: formatReason(error) });
    if (this.#drainTo !== null) return;
    // #2: the wait takes no place in the pool. After a drain or the end of the epoch the pool starts nothing.
    const { time, random } = this.#options;
    this.#backOffs += 1;
    time.after(retryDelayMs(entry.tries, random), () => {
      this.#backOffs -= 1;
      entry.source.retries.push(entry);
      this.#pool.offer(entry.source);
      this.#pool.fill();
      this.#buffer.lookSoon();
    });
  }

  /** Returns the next record of the key, which takes its place. */
  #complete(entry: Entry<Content>): Entry<Content> | null {
    if (this.#troubleByKey.size > 0) this.#troubleByKey.delete(entry.key);
    this.#completePlace(entry.place);
    const { next } = entry;
    if (next === null) this.#lastByKey.delete(entry.key);
    // Otherwise an old entry would keep all later ones from being collected young.
    entry.next = null;
    this.#buffer.remove(entry.bytes);
    this.#position?.advance();
    return next === null || this.#isDrained(next.place.offset) ? null : next;
  }

  #completePlace(place: UnreadRecord<Content>): void {
    place.taken = null;
    const before = this.#watermark?.first;
    this.#watermark?.complete(place);
    if (this.#watermark?.first !== before) this.#movedAtMs = this.#options.time.monotonicMs();
  }

  oldest(): OldestRecord | null {
    return findOldestRecord(this.#watermark?.first ?? null, this.#movedAtMs);
  }

  blocked(): BlockedPosition | null {
    const { topic, time, sharing } = this.#options;
    const receiverOf = (record: ReceivedRecord): string | null => sharing?.receiverOf(record) ?? null;
    const first = this.#watermark?.first ?? null;
    const progress = { topic, partition: this.partition, first, movedAtMs: this.#movedAtMs, troubleByKey: this.#troubleByKey, receiverOf };
    return findBlockedPosition(progress, { nowMs: time.nowMs(), monotonicMs: time.monotonicMs() });
  }

  #warn(event: string, fields: LogFields): void {
    this.#options.logger.warn(event, { topic: this.#options.topic, partition: this.partition, epoch: this.epoch, ...fields });
  }

  trouble(): string | null {
    if (this.#openTrouble !== null) return this.#openTrouble;
    if (this.#position?.isFailing === true) return "the position cannot be written";
    const [code] = this.#troubleByKey.values();
    return code === undefined ? null : `${this.#troubleByKey.size} keys are tried again: ${code}`;
  }

  async drain(): Promise<void> {
    this.#drainTo ??= this.#startedTo;
    this.#options.draining?.(this.partition, this.epoch);
    this.#pool.fill();
    await this.#pool.idle();
    await this.#position?.flush();
    await this.#options.handOver?.(this.partition, this.epoch);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#over.abort();
    this.#position?.stop();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#releaseLimits();
    if (this.#opening === null) return;
    // `assigned` reports why a partition did not open.
    await this.#opening.catch(() => null);
    this.#options.closed?.(this.partition, this.epoch);
  }

  #releaseLimits(): void {
    this.#buffer.close();
    this.#limits.removePartition(this.#pool, this.#buffer);
    for (const { load } of this.#lines.values()) this.#limits.release(load);
    this.#lines.clear();
  }

  async settled(): Promise<void> {
    await this.#closing;
    await this.#pool.idle();
    await this.#position?.settled();
  }
}
