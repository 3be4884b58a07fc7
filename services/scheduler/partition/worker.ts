// A worker handles one partition of the journal while this process owns it. Everything that concerns one UETR happens
// in one partition, in order.
//
// #1 A marker ends a batch: everything before it is written and produced before it is applied, and the position is
//    written then. A handler may demand that a batch begins with its record.
// #2 No owner handles a record twice: records below `nextOffset` are skipped when a batch is repeated.
// #3 A lost epoch stops the worker: it does nothing more. If the group still assigns the partition to this process (a
//    late take-over by an earlier owner came between), the worker takes the lease again, once the coordinator has
//    confirmed the assignment after the loss.
// #4 A record that stops the partition stops it alone: the records before it are done, so that the position names it.
//    At each retry the worker asks the dead letters whether an operator skipped the record; a skipped record is skipped
//    at every reading.
// #5 Two owners at the same moment do no harm: a stale write loses the compare-and-set, a stale batch loses the epoch.

import { topics } from "@sluice/contracts";
import {
  type BatchHandler,
  type DoneSkips,
  isStoppedByRecord,
  type ReceivedRecord,
  skipByOperator,
  skipStoppedRecord,
} from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { HandledRecord } from "../handlers/handler.ts";
import { type BatchRecord, runBatch } from "./batch.ts";
import type { PartitionContext } from "./context.ts";
import { createDayLedgers, type DayLedgers } from "./day-ledgers.ts";
import { emptyMarkerHistory, type MarkerHistory } from "./applied-markers.ts";
import { readJournal } from "./read-journal.ts";
import { reportBatch } from "./report-batch.ts";
import { type PartitionLease, takePartitionLease } from "./lease.ts";

/**
 * Milliseconds, longer than two heartbeats: an answer of the coordinator that is younger came after the epoch was lost.
 */
const confirmedAfterMs = 3_500;
/** Records of an earlier build that are read again in one piece. */
const readAgainMax = 500;

/** Opens the worker of a partition; `logEnd` is the end offset of the partition when it was assigned. */
export async function openPartitionWorker(context: PartitionContext, partition: number, logEnd: bigint): Promise<BatchHandler> {
  const worker = new PartitionWorker(context, partition, logEnd);
  const startAt = await worker.take();
  return { startAt, handle: (records) => worker.handle(records), close: () => worker.close() };
}

class PartitionWorker {
  readonly #context: PartitionContext;
  readonly #partition: number;
  readonly #logEnd: bigint;
  readonly #ledgers: DayLedgers;
  #lease: PartitionLease | null = null;
  #history: MarkerHistory = emptyMarkerHistory;
  /** What operators skipped. */
  #skips: DoneSkips = { find: () => null };
  #build: number | null = null;
  #nextOffset = 0n;
  /** The consumer does not hand over records below this offset again, whatever the build. */
  #handedTo = 0n;
  #isReadingAgain = false;
  #lostAtMs = 0;
  #retaking: Disposable | null = null;
  #isClosed = false;

  constructor(context: PartitionContext, partition: number, logEnd: bigint) {
    this.#context = context;
    this.#partition = partition;
    this.#logEnd = logEnd;
    this.#ledgers = createDayLedgers({ partition, store: context.store.ledgers });
  }

  async take(): Promise<bigint> {
    this.#skips = await this.#context.operatorSkips.listDone(topics.journal, this.#partition);
    const lease = await takePartitionLease({
      context: this.#context,
      partition: this.#partition,
      ledgers: this.#ledgers,
      history: this.#history,
      build: this.#build,
      handledBelow: this.#nextOffset,
      isCaughtUp: () => this.#nextOffset >= this.#logEnd,
      onLost: () => this.#lost(),
    });
    const isRebuilt = this.#build !== null && this.#build !== lease.build;
    if (isRebuilt || lease.startAt > this.#nextOffset) this.#nextOffset = lease.startAt;
    this.#build = lease.build;
    this.#lease = lease;
    if (!this.#isClosed && this.#handedTo > this.#nextOffset) await this.#readAgain(this.#nextOffset, this.#handedTo);
    if (this.#isClosed) this.#giveUp();
    else lease.tasks.wake();
    return this.#nextOffset;
  }

  /**
   * Handles records again after a rebuild that ends below what this process handled in the earlier build: the consumer
   * does not hand them over a second time.
   */
  async #readAgain(from: bigint, to: bigint): Promise<void> {
    this.#isReadingAgain = true;
    try {
      const records: ReceivedRecord[] = [];
      for await (const record of this.#context.read(this.#partition, from, to, this.#skips)) {
        records.push(record);
        if (records.length >= readAgainMax) await this.#handle(records.splice(0));
      }
      await this.#handle(records);
      this.#context.logger.info("partition.read-again", { partition: this.#partition, from, to });
    } catch (error) {
      this.#giveUp();
      throw error;
    } finally {
      this.#isReadingAgain = false;
    }
  }

  async handle(records: readonly ReceivedRecord[]): Promise<void> {
    if (this.#isReadingAgain) throw partitionLost(this.#partition);
    await this.#handle(records);
  }

  async #handle(records: readonly ReceivedRecord[]): Promise<void> {
    const fresh: BatchRecord[] = [];
    for (const record of records) {
      if (record.offset < this.#nextOffset) continue;
      const read = await this.#read(record, fresh);
      if (beginsBatch(read) && fresh.length > 0) await this.#runOrSplit(fresh.splice(0));
      fresh.push(read);
      if (isMarker(read)) await this.#runOrSplit(fresh.splice(0));
    }
    if (fresh.length > 0) await this.#runOrSplit(fresh);
  }

  /**
   * Reads a record; runs `before`, the records that are read and not handled yet, first if this one stops the partition
   * (#4).
   */
  async #read(record: ReceivedRecord, before: BatchRecord[]): Promise<BatchRecord> {
    const { serde, handlers, partitionCount } = this.#context;
    const skip = record.skip ?? this.#skips.find(record.offset);
    if (skip !== null) return { record, ...skipByOperator(skip) };
    try {
      return await readJournal(record, { serde, handlers, partitionCount });
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      if (before.length > 0) await this.#runOrSplit(before.splice(0));
      return { record, ...(await skipStoppedRecord(this.#context.operatorSkips, record, error)) };
    }
  }

  /** Runs the records as one batch, or one by one if one of them cannot be handled yet (#4). */
  async #runOrSplit(records: readonly BatchRecord[]): Promise<void> {
    try {
      await this.#run(records);
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      const [first] = records;
      if (first !== undefined && records.length === 1) {
        const skipped = await skipStoppedRecord(this.#context.operatorSkips, first.record, error);
        await this.#run([{ record: first.record, ...skipped }]);
      } else for (const one of records) await this.#runOrSplit([one]);
    }
  }

  async #run(records: readonly BatchRecord[]): Promise<void> {
    const lease = this.#requireLease();
    const { time, serde, configuration, partitionCount, service, producer, brokerClock, store } = this.#context;
    const startedMs = time.monotonicMs();
    const newest = records.at(-1)?.record;
    if (newest === undefined) return;
    brokerClock.observe(newest.appendedAtMs);
    const end = await runBatch(records, {
      serde,
      configuration,
      partitionCount,
      service,
      markers: lease.markers,
      transactions: store.transactions,
      days: store.days,
      banks: store.banks,
      producer,
      brokerClock,
      cache: lease.cache,
      onLostWrite: async () => {
        this.#context.metrics.lostWrites.add({ partition: String(this.#partition) });
        await lease.position.confirm();
        this.#requireLease();
      },
    });
    await this.#ledgers.count(end.handled, newest.offset + 1n);
    // The epoch was lost during the batch. The next owner repeats it, with the same outputs.
    if (this.#requireLease() !== lease) throw partitionLost(this.#partition);
    this.#nextOffset = newest.offset + 1n;
    if (this.#nextOffset > this.#handedTo) this.#handedTo = this.#nextOffset;
    lease.position.advance(this.#nextOffset);
    lease.tasks.observe(end.handled);
    reportBatch(this.#context, lease, end, time.monotonicMs() - startedMs);
    await this.#applyMarkers(lease, end.handled.at(-1));
  }

  /** Applies the marker that the batch ended with, if it ended with one. */
  async #applyMarkers({ markers, tasks, position }: PartitionLease, last: HandledRecord | undefined): Promise<void> {
    const { marker = null, bankMarker = null } = last ?? {};
    if (marker !== null && markers.apply(marker.marker, marker.position)) {
      position.markStateChanged();
      tasks.onMarkerApplied(marker.marker);
    }
    if (bankMarker !== null && markers.applyBankMarker(bankMarker.marker, bankMarker.position)) {
      position.markStateChanged();
      tasks.onBankMarkerApplied();
    }
    if (marker !== null || bankMarker !== null) await position.write();
  }

  #requireLease(): PartitionLease {
    if (this.#lease === null) throw partitionLost(this.#partition);
    return this.#lease;
  }

  #lost(): void {
    if (this.#lease === null) return;
    this.#history = this.#lease.markers.history();
    this.#giveUp();
    this.#lostAtMs = this.#context.time.monotonicMs();
    this.#retakeLater();
  }

  /** Takes the lease again later. If the partition belongs to another process, the group closes this worker. */
  #retakeLater(): void {
    if (this.#isClosed) return;
    const { time, logger } = this.#context;
    this.#retaking = time.after(confirmedAfterMs, () => {
      const sinceLostMs = time.monotonicMs() - this.#lostAtMs;
      if (this.#isClosed) return;
      if (this.#context.heartbeatAgeMs() >= sinceLostMs) {
        this.#retakeLater();
        return;
      }
      this.take().catch((error: unknown) => {
        logger.warn("partition.retake-failed", { partition: this.#partition, reason: String(error) });
        this.#retakeLater();
      });
    });
  }

  #giveUp(): void {
    this.#lease?.tasks.stop();
    this.#lease?.position.stop();
    this.#lease = null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retaking?.[Symbol.dispose]();
    const lease = this.#lease;
    lease?.tasks.stop();
    await lease?.position.write();
    this.#giveUp();
  }
}

function partitionLost(partition: number): Fault {
  return new Fault("scheduler.partition-lost", `partition ${partition} has another owner`, { isRetryable: true });
}

function isMarker(read: BatchRecord): boolean {
  return "handler" in read && read.handler.aggregate === "partition";
}

function beginsBatch(read: BatchRecord): boolean {
  return "handler" in read && read.handler.beginsBatch === true;
}
