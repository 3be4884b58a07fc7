// Lane i = partition i of the journal, and its one owner: the place where everything of a UETR happens in order.
//
// 1. A marker ends a batch: all before it is written and produced before it is passed, and the position is written then. A handler may ask that a
//    batch begins with its record.
// 2. No record is handled twice by one owner: what is below `nextOffset` is skipped when a batch is done again.
// 3. An epoch that is lost stops the lane: nothing of it is done any more. If the group still says that the lane is ours (a late
//    take-over of an earlier owner came between), it is taken anew, after the coordinator has confirmed us since.
// 4. A record that stops the lane stops it alone: what lies before it is done, so that the position says where the lane stands, and at each try
//    the dead letters are asked whether an operator put it aside by hand. What was once, is at every reading.
// 5. Two owners for a moment do no harm: a stale write loses the compare-and-set, a stale batch loses the epoch.

import { topics } from "@sluice/contracts";
import { isStoppedByRecord } from "@sluice/messaging";
import type { BatchLane, ByHand, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { Turn } from "./handler.ts";
import type { BatchRecord } from "./lane-batch.ts";
import { runBatch } from "./lane-batch.ts";
import type { LaneContext } from "./lane-context.ts";
import { createLaneLedgers } from "./lane-ledgers.ts";
import type { LaneLedgers } from "./lane-ledgers.ts";
import { passedNothing } from "./lane-markers.ts";
import type { Passed } from "./lane-markers.ts";
import { putAsideByHand, readJournal } from "./read-journal.ts";
import { reportBatch } from "./report-batch.ts";
import type { Tenure } from "./tenure.ts";
import { takeLane } from "./tenure.ts";

/** Longer than two heartbeats: an answer this young came after the epoch was lost. */
const confirmedAfterMs = 3_500;
/** Records of a build before, at a time. */
const readAgainMax = 500;

/** `logEnd`: of the partition when it was assigned. */
export async function openLane(context: LaneContext, partition: number, logEnd: bigint): Promise<BatchLane> {
  const lane = new OwnedLane(context, partition, logEnd);
  const startAt = await lane.take();
  return { startAt, handle: (records) => lane.handle(records), close: () => lane.close() };
}

class OwnedLane {
  readonly #context: LaneContext;
  readonly #lane: number;
  readonly #logEnd: bigint;
  readonly #ledgers: LaneLedgers;
  #tenure: Tenure | null = null;
  #passed: Passed = passedNothing;
  /** Put aside by hand, by offset. */
  #byHand: ReadonlyMap<bigint, ByHand> = new Map();
  #build: number | null = null;
  #nextOffset = 0n;
  /** Of all builds: what lies below is not handed over again. */
  #handedTo = 0n;
  #isReadingAgain = false;
  #lostAtMs = 0;
  #retaking: Disposable | null = null;
  #isClosed = false;

  constructor(context: LaneContext, lane: number, logEnd: bigint) {
    this.#context = context;
    this.#lane = lane;
    this.#logEnd = logEnd;
    this.#ledgers = createLaneLedgers({ lane, store: context.store.ledgers });
  }

  async take(): Promise<bigint> {
    this.#byHand = await this.#context.asides.done(topics.journal, this.#lane);
    const tenure = await takeLane({
      context: this.#context,
      lane: this.#lane,
      ledgers: this.#ledgers,
      passed: this.#passed,
      build: this.#build,
      doneOffset: this.#nextOffset,
      isCaughtUp: () => this.#nextOffset >= this.#logEnd,
      lost: () => this.#lost(),
    });
    const isAnew = this.#build !== null && this.#build !== tenure.build;
    if (isAnew || tenure.startAt > this.#nextOffset) this.#nextOffset = tenure.startAt;
    this.#build = tenure.build;
    this.#tenure = tenure;
    if (!this.#isClosed && this.#handedTo > this.#nextOffset) await this.#readAgain(this.#nextOffset, this.#handedTo);
    if (this.#isClosed) this.#giveUp();
    else tenure.tasks.wake();
    return this.#nextOffset;
  }

  /** The lane was built anew to a point below what this process has done in the build before: those records are not handed over again. */
  async #readAgain(from: bigint, to: bigint): Promise<void> {
    this.#isReadingAgain = true;
    try {
      const records: ReceivedRecord[] = [];
      for await (const record of this.#context.read(this.#lane, from, to)) {
        records.push(record);
        if (records.length >= readAgainMax) await this.#handle(records.splice(0));
      }
      await this.#handle(records);
      this.#context.log.info("lane.read-again", { lane: this.#lane, from, to });
    } catch (error) {
      this.#giveUp();
      throw error;
    } finally {
      this.#isReadingAgain = false;
    }
  }

  async handle(records: readonly ReceivedRecord[]): Promise<void> {
    if (this.#isReadingAgain) throw laneLost(this.#lane);
    await this.#handle(records);
  }

  async #handle(records: readonly ReceivedRecord[]): Promise<void> {
    const fresh: BatchRecord[] = [];
    for (const record of records) {
      if (record.offset < this.#nextOffset) continue;
      const read = await this.#read(record, fresh);
      if (beginsBatch(read) && fresh.length > 0) await this.#runOrPart(fresh.splice(0));
      fresh.push(read);
      if (isMarker(read)) await this.#runOrPart(fresh.splice(0));
    }
    if (fresh.length > 0) await this.#runOrPart(fresh);
  }

  /** `before`: read and not done yet. #4 */
  async #read(record: ReceivedRecord, before: BatchRecord[]): Promise<BatchRecord> {
    const { serde, handlers, lanes } = this.#context;
    const by = this.#byHand.get(record.offset);
    if (by !== undefined) return putAsideByHand(record, by);
    try {
      return await readJournal(record, { serde, handlers, lanes });
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      if (before.length > 0) await this.#runOrPart(before.splice(0));
      return await this.#stoppedAt(record, error);
    }
  }

  /** One by one, where one of them cannot be judged yet. #4 */
  async #runOrPart(records: readonly BatchRecord[]): Promise<void> {
    try {
      await this.#run(records);
    } catch (error) {
      if (!isStoppedByRecord(error)) throw error;
      const [first] = records;
      if (first !== undefined && records.length === 1) await this.#run([await this.#stoppedAt(first.record, error)]);
      else for (const one of records) await this.#runOrPart([one]);
    }
  }

  async #stoppedAt(record: ReceivedRecord, error: Error): Promise<BatchRecord> {
    const by = await this.#context.asides.askedFor(record);
    if (by === null) throw error;
    return putAsideByHand(record, by);
  }

  async #run(records: readonly BatchRecord[]): Promise<void> {
    const tenure = this.#owned();
    const { time, serde, configuration, lanes, service, producer, agreedTime, store } = this.#context;
    const startedMs = time.monotonicMs();
    const newest = records.at(-1)?.record;
    if (newest === undefined) return;
    agreedTime.saw(newest.appendedAtMs);
    const end = await runBatch(records, {
      serde,
      configuration,
      lanes,
      service,
      lane: tenure.markers,
      transactions: store.transactions,
      days: store.days,
      banks: store.banks,
      producer,
      agreedTime,
      cache: tenure.cache,
      lostWrite: async () => {
        this.#context.metrics.lostWrites.add({ lane: String(this.#lane) });
        await tenure.position.confirm();
        this.#owned();
      },
    });
    await this.#ledgers.take(end.turns, newest.offset + 1n);
    // The epoch went while the batch was under way: done again by whoever owns the lane next, and its outputs are the same.
    if (this.#owned() !== tenure) throw laneLost(this.#lane);
    this.#nextOffset = newest.offset + 1n;
    if (this.#nextOffset > this.#handedTo) this.#handedTo = this.#nextOffset;
    tenure.position.done(this.#nextOffset);
    tenure.tasks.saw(end.turns);
    reportBatch(this.#context, tenure, end, time.monotonicMs() - startedMs);
    await this.#pass(tenure, end.turns.at(-1));
  }

  /** What the batch ended with, if that is a marker. */
  async #pass({ markers, tasks, position }: Tenure, last: Turn | undefined): Promise<void> {
    const { marker = null, bankMarker = null } = last ?? {};
    if (marker !== null && markers.pass(marker.marker, marker.place)) {
      position.stateChanged();
      tasks.passed(marker.marker);
    }
    if (bankMarker !== null && markers.passOfBank(bankMarker.marker, bankMarker.place)) {
      position.stateChanged();
      tasks.passedOfBank();
    }
    if (marker !== null || bankMarker !== null) await position.write();
  }

  #owned(): Tenure {
    if (this.#tenure === null) throw laneLost(this.#lane);
    return this.#tenure;
  }

  #lost(): void {
    if (this.#tenure === null) return;
    this.#passed = this.#tenure.markers.all();
    this.#giveUp();
    this.#lostAtMs = this.#context.time.monotonicMs();
    this.#retakeLater();
  }

  /** If the lane is not ours, the group tells so by closing it. */
  #retakeLater(): void {
    if (this.#isClosed) return;
    const { time, log } = this.#context;
    this.#retaking = time.after(confirmedAfterMs, () => {
      const sinceLostMs = time.monotonicMs() - this.#lostAtMs;
      if (this.#isClosed) return;
      if (this.#context.heartbeatAgeMs() >= sinceLostMs) {
        this.#retakeLater();
        return;
      }
      this.take().catch((error: unknown) => {
        log.warn("lane.retake-failed", { lane: this.#lane, reason: String(error) });
        this.#retakeLater();
      });
    });
  }

  #giveUp(): void {
    this.#tenure?.tasks.stop();
    this.#tenure?.position.stop();
    this.#tenure = null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retaking?.[Symbol.dispose]();
    const tenure = this.#tenure;
    tenure?.tasks.stop();
    await tenure?.position.write();
    this.#giveUp();
  }
}

function laneLost(lane: number): Fault {
  return new Fault("scheduler.lane-lost", `lane ${lane} has another owner`, { isRetryable: true });
}

function isMarker(read: BatchRecord): boolean {
  return "handler" in read && read.handler.aggregate === "lane";
}

function beginsBatch(read: BatchRecord): boolean {
  return "handler" in read && read.handler.beginsBatch === true;
}
