// A worker handles one partition of the journal while this process owns it. Everything that concerns one UETR happens
// in one partition, in order.
//
// #1 A marker ends a batch: everything before it is written and produced before it is applied, and the position is
//    written then. A handler may demand that a batch begins with its record.
// #2 No owner handles a record twice: records below `nextOffset` are skipped when a batch is repeated.
// #3 The worker acts under the partition's lease (`partition-lease.ts` of messaging). A lost epoch stops it: it does
//    nothing more until the lease is granted again.
// #4 A record that stops the partition stops it alone: the records before it are done, so that the position names it.
//    At each retry the worker asks the dead letters whether an operator skipped the record; a skipped record is skipped
//    at every reading.
// #5 If the store was restored to an older point while this process lived, everything is forgotten, and the records
//    from the store's position on are read again.
// #6 The journal has a record at every offset. Where a record is handed over and the ones before it were not, they are
//    read first.
// #7 Two owners at the same moment do no harm: a stale write loses the compare-and-set, a stale batch loses the epoch.
// #8 Of a batch that is repeated, only those outputs are sent that are not acknowledged yet: a partition without a
//    leader holds up the batch, and repeats nothing in the others.
// #9 What only analysts read is sent with the position (`analysts/waiting-records.ts`).
// #10 A journal that no longer begins at 0 is an error: the store cannot be rebuilt from it.

import {
  type BatchHandler,
  type DoneSkips,
  isStoppedByRecord,
  type PartitionEnds,
  PartitionLease,
  type ReceivedRecord,
  ResendMemory,
  skipByOperator,
  skipStoppedRecord,
} from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { PartitionDocument, UnprovenPosition } from "@sluice/store";
import type { HandledRecord } from "../handlers/handler.ts";
import { WaitingRecords } from "./analysts/waiting-records.ts";
import { type BatchRecord, runBatch } from "./batch.ts";
import type { PartitionContext } from "./context.ts";
import { createDayLedgers, type DayLedgers } from "./day-ledgers.ts";
import { readJournal } from "./read-journal.ts";
import { reportBatch } from "./report/report-batch.ts";
import { traceBatch } from "./report/trace-batch.ts";
import { createStoreWitness, createVersionReader, findProven, type ReadVersions, type StoreWitness } from "./stored/store-witness.ts";
import { type OwnedPartition, takeOverPartition } from "./take-over.ts";

/** Records that are read again, or were missing, and are handled in one piece. */
const readAgainMax = 500;

/**
 * Opens the worker of a partition; `assigned` is what the partition had when it was assigned. Rejects where the
 * assignment is over before it is confirmed.
 */
export async function openPartitionWorker(
  context: PartitionContext,
  partition: number,
  assigned: PartitionEnds,
  assignmentOver: AbortSignal,
): Promise<BatchHandler> {
  return await new PartitionWorker(context, partition, assigned, assignmentOver).open();
}

class PartitionWorker {
  readonly #context: PartitionContext;
  readonly #partition: number;
  readonly #assigned: PartitionEnds;
  readonly #ledgers: DayLedgers;
  readonly #lease: PartitionLease<PartitionDocument, OwnedPartition, UnprovenPosition>;
  /** What is kept of the last epoch. */
  #before: Pick<OwnedPartition, "build" | "markers"> | null = null;
  /** What was written last under the newest lease (#5). */
  #witness: StoreWitness;
  readonly #readVersions: ReadVersions;
  /** The end of the partition when the lease was taken: another owner may have appended what lies below. */
  #caughtUpAt: bigint;
  /** The outputs of the batch that runs, or is repeated (#8). */
  readonly #sent: ResendMemory;
  /** What waits for the next position (#9). */
  readonly #analysts: WaitingRecords;
  /** What operators skipped, by offset. */
  #skips: DoneSkips = { find: () => null };
  #nextOffset = 0n;
  /** The consumer does not hand over records below this offset again, whatever the build. */
  #handedTo = 0n;

  constructor(context: PartitionContext, partition: number, assigned: PartitionEnds, assignmentOver: AbortSignal) {
    const { service, store, time, logger } = context;
    this.#context = context;
    this.#partition = partition;
    this.#assigned = assigned;
    this.#caughtUpAt = assigned.logEnd;
    this.#sent = new ResendMemory(context.producer);
    this.#analysts = new WaitingRecords({
      producer: context.producer,
      serde: context.serde,
      partitionCount: context.partitionCount,
      recordsMax: context.analystRecordsMax,
      onAppended: (appended) => this.#lease.owned?.tasks.onAppended(appended),
    });
    this.#readVersions = createVersionReader(store, partition);
    this.#witness = createStoreWitness(this.#readVersions);
    this.#ledgers = createDayLedgers({
      partition,
      store: store.ledgers,
      requireLease: () => this.#requireLease(this.#lease.epoch),
      onWritten: (day, version) => this.#witness.wrote({ kind: "ledger", id: day, version }),
    });
    this.#lease = new PartitionLease({
      service,
      partition,
      store: store.partitions,
      time,
      logger,
      assignmentOver,
      heartbeatAgeMs: () => context.heartbeatAgeMs(),
      watch: context.watch,
      takeOver: (document, hasGoneBack) => this.#takeOver(document, hasGoneBack),
      isWitnessMissing: () => this.#witness.isMissing(),
      findProven: ({ unproven }) => findProven(unproven, this.#readVersions),
      granted: ({ tasks }) => tasks.wake(),
      lost: (epoch) => logger.warn("partition.lost", { partition, epoch }),
      drop: stopOwned,
    });
  }

  async open(): Promise<BatchHandler> {
    this.#reportStart();
    await this.#lease.take();
    // The consumer begins here: below it nothing is handed over, also before the first record.
    this.#handedTo = this.#nextOffset;
    return {
      startAt: this.#nextOffset,
      handle: (records) => this.handle(records),
      flush: async () => this.#lease.owned?.position.flush(),
      close: () => this.close(),
    };
  }

  /** #10 */
  #reportStart(): void {
    const { logStart } = this.#assigned;
    // An alarm sees an increase only of a series that is there before.
    this.#context.metrics.storeGoneBack.add({ partition: String(this.#partition) }, 0);
    this.#context.metrics.journalStart.set(Number(logStart), { partition: String(this.#partition) });
    if (logStart > 0n) this.#context.logger.error("partition.journal-cut", { partition: this.#partition, logStart });
  }

  async #takeOver(document: PartitionDocument, hasGoneBack: boolean): Promise<OwnedPartition> {
    if (hasGoneBack) this.#context.metrics.storeGoneBack.add({ partition: String(this.#partition) });
    this.#witness = createStoreWitness(this.#readVersions, document.position);
    this.#sent.forget();
    this.#analysts.beginLease();
    const owned = await takeOverPartition({
      context: this.#context,
      document,
      lease: this.#lease,
      hasGoneBack,
      witness: this.#witness,
      ledgers: this.#ledgers,
      analysts: this.#analysts,
      before: this.#before,
      handledBelow: this.#nextOffset,
      isCaughtUp: () => this.#nextOffset >= this.#caughtUpAt,
    });
    const { build, markers, startAt, skips, journal } = owned;
    this.#skips = skips;
    this.#caughtUpAt = journal?.logEnd ?? this.#caughtUpAt;
    const isRebuilt = this.#before !== null && this.#before.build !== build;
    if (isRebuilt || hasGoneBack || startAt > this.#nextOffset) this.#nextOffset = startAt;
    this.#before = { build, markers };
    if (this.#isCurrent(owned) && this.#handedTo > this.#nextOffset) await this.#readAgain(owned, this.#nextOffset, this.#handedTo);
    return owned;
  }

  /**
   * Handles records again that the consumer does not hand over a second time: after a rebuild that ends below what this
   * process handled in the earlier build, and after the store has gone back.
   */
  async #readAgain(owned: OwnedPartition, from: bigint, to: bigint): Promise<void> {
    try {
      await this.#readRange(owned, from, to);
      this.#context.logger.info("partition.read-again", { partition: this.#partition, from, to });
    } catch (error) {
      stopOwned(owned);
      throw error;
    }
  }

  async #readRange(owned: OwnedPartition, from: bigint, to: bigint): Promise<void> {
    const records: ReceivedRecord[] = [];
    for await (const record of this.#context.read(this.#partition, from, to, this.#skips)) {
      records.push(record);
      if (records.length >= readAgainMax) await this.#handle(owned, records.splice(0));
    }
    await this.#handle(owned, records);
  }

  /** #6 */
  async #readMissing(owned: OwnedPartition, from: bigint, to: bigint): Promise<void> {
    this.#context.logger.error("partition.records-missing", { partition: this.#partition, from, to });
    await this.#readRange(owned, from, to);
  }

  async handle(records: readonly ReceivedRecord[]): Promise<void> {
    const { owned } = this.#lease;
    if (owned === null) throw partitionLost(this.#partition);
    await this.#handle(owned, records);
  }

  async #handle(owned: OwnedPartition, records: readonly ReceivedRecord[]): Promise<void> {
    const fresh: BatchRecord[] = [];
    for (const record of records) {
      if (record.offset < this.#nextOffset) continue;
      const expected = nextAfter(fresh) ?? this.#nextOffset;
      // The placeholders of a skipped batch stand for all of its records.
      if (record.offset > expected && record.skip === undefined) {
        if (fresh.length > 0) await this.#runOrSplit(owned, fresh.splice(0));
        await this.#readMissing(owned, expected, record.offset);
      }
      const read = await this.#read(owned, record, fresh);
      if (beginsBatch(read) && fresh.length > 0) await this.#runOrSplit(owned, fresh.splice(0));
      fresh.push(read);
      if (isMarker(read)) await this.#runOrSplit(owned, fresh.splice(0));
    }
    if (fresh.length > 0) await this.#runOrSplit(owned, fresh);
  }

  /**
   * Reads a record; runs `before`, the records that are read and not handled yet, first if this one stops the partition
   * (#4).
   */
  async #read(owned: OwnedPartition, record: ReceivedRecord, before: BatchRecord[]): Promise<BatchRecord> {
    const { serde, handlers, partitionCount, operatorJudge } = this.#context;
    const skip = record.skip ?? this.#skips.find(record.offset);
    if (skip !== null) return { record, ...skipByOperator(skip) };
    try {
      return await readJournal(record, { serde, handlers, partitionCount, operatorJudge });
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      if (before.length > 0) await this.#runOrSplit(owned, before.splice(0));
      return { record, ...(await skipStoppedRecord(this.#context.operatorSkips, record, error)) };
    }
  }

  /** Runs the records as one batch, or one by one if one of them cannot be handled yet (#4). */
  async #runOrSplit(owned: OwnedPartition, records: readonly BatchRecord[]): Promise<void> {
    try {
      await this.#run(owned, records);
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      const [first] = records;
      if (first !== undefined && records.length === 1) {
        const skipped = await skipStoppedRecord(this.#context.operatorSkips, first.record, error);
        await this.#run(owned, [{ record: first.record, ...skipped }]);
      } else for (const one of records) await this.#runOrSplit(owned, [one]);
    }
  }

  async #run(owned: OwnedPartition, records: readonly BatchRecord[]): Promise<void> {
    this.#requireCurrent(owned);
    if (this.#analysts.isFull) await this.#analysts.send();
    const { time, serde, configuration, partitionCount, rulesVersion, service, brokerClock, store } = this.#context;
    const startedMs = time.monotonicMs();
    const newest = records.at(-1)?.record;
    if (newest === undefined) return;
    brokerClock.observe(newest.appendedAtMs);
    const end = await runBatch(records, {
      serde,
      configuration,
      partitionCount,
      rulesVersion,
      service,
      markers: owned.markers,
      transactions: store.transactions,
      days: store.days,
      banks: store.banks,
      producer: { send: this.#sent.attempt() },
      brokerClock,
      cache: owned.cache,
      witness: owned.witness,
      analysts: this.#analysts,
      onLostWrite: async () => {
        this.#context.metrics.lostWrites.add({ partition: String(this.#partition) });
        await owned.position.confirm();
        this.#requireCurrent(owned);
      },
      requireLease: () => this.#requireLease(owned.epoch),
      onStoreGoneBack: () => {
        this.#lease.loseStore(owned.epoch);
        throw partitionLost(this.#partition);
      },
    });
    await this.#ledgers.count(end.handled, newest.offset + 1n);
    // The epoch was lost during the batch. The next owner repeats it, with the same outputs.
    this.#requireCurrent(owned);
    this.#sent.forget();
    this.#nextOffset = newest.offset + 1n;
    if (this.#nextOffset > this.#handedTo) this.#handedTo = this.#nextOffset;
    owned.position.advance(this.#nextOffset);
    owned.tasks.observe(end.handled);
    const tookMs = time.monotonicMs() - startedMs;
    reportBatch(this.#context, owned, end, tookMs);
    traceBatch(this.#context, end.handled, tookMs);
    await this.#applyMarkers(owned, end.handled.at(-1));
  }

  /** Applies the marker that the batch ended with, if it ended with one. */
  async #applyMarkers({ markers, tasks, position }: OwnedPartition, last: HandledRecord | undefined): Promise<void> {
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

  #isCurrent({ epoch }: OwnedPartition): boolean {
    return this.#lease.epoch === epoch;
  }

  /** Looks at the store; rejects if the lease of that epoch is over. */
  async #requireLease(epoch: number | null): Promise<void> {
    await this.#lease.look();
    if (epoch === null || this.#lease.epoch !== epoch) throw partitionLost(this.#partition);
  }

  #requireCurrent(owned: OwnedPartition): void {
    if (!this.#isCurrent(owned)) throw partitionLost(this.#partition);
  }

  async close(): Promise<void> {
    const { owned } = this.#lease;
    owned?.tasks.stop();
    if (owned !== null) await owned.position.write();
    this.#lease.close("its assignment is over");
  }
}

/** The offset behind the last of these records; null if there are none. */
function nextAfter(records: readonly BatchRecord[]): bigint | null {
  const last = records.at(-1);
  return last === undefined ? null : last.record.offset + 1n;
}

function stopOwned({ tasks, position }: OwnedPartition): void {
  tasks.stop();
  position.stop();
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
