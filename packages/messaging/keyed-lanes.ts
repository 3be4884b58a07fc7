// Records of one key in order, keys side by side: the dispatcher's and the event publisher's way of reading.
//
// #1 Per key first in, first out: the next record of a key is handled when the one before is completed.
// #2 At most `runningMax` handlers run in a lane, so that a lane with much to do does not hold up another. A key in a back-off holds itself alone, and no place among them.
// #3 The position is the watermark (`received-records.ts`), written when it grew: 200 ms after the last time, where much is completed every second or
//    1,000 completions; one write of a lane at a time, and only in the epoch that is current.
// #4 What completes after its epoch is over is ignored: a duplicate beats a loss. An epoch starts with nothing of the one before:
//    no record can land on a stale entry. (parallel-consumer issue 909.)
// #5 A commit or position that fails is tried again and stops nothing. (parallel-consumer issue 857.)
// #6 Above `bufferedRecordsMax` the partition is paused, so that memory does not grow while handlers are slow. (parallel-consumer issue 832.)
// #7 A record is read when a handler has room, not when it comes: what waits is its bytes, and what was read dies young.

import { Fault } from "@sluice/runtime";
import type { LogFields } from "@sluice/telemetry";
import type { Lane, LaneConsumer, Lanes, LanesOptions } from "./lane.ts";
import { startLanes, untilDone } from "./lane.ts";
import type { AssignedLog, ReceivedRecord } from "./port.ts";
import type { ReceivedPlace } from "./received-records.ts";
import { ReceivedRecords } from "./received-records.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { TaskPool } from "./task-pool.ts";
import { UnreadRecords } from "./unread-records.ts";

/** The lane and epoch a record was received in. */
export interface KeyedLane {
  readonly partition: number;
  readonly epoch: number;
  /** False once the epoch is over: what the handler does from then on must have no effect outside. */
  isCurrent(): boolean;
}

export interface KeyedLanesOptions<Content> extends LanesOptions {
  /** Handlers at once, in each lane. */
  readonly runningMax: number;
  /** Takes a partition and answers where to start. Tried again as `handle` is. */
  startAt(partition: number, epoch: number, log: AssignedLog): Promise<bigint>;
  /** The epoch is over. Called once for each `startAt` that was called, after it settled. */
  closed?(partition: number, epoch: number): void;
  /** Called once for each record, in their order, when a handler has room. Must not throw. */
  read(record: ReceivedRecord): Keyed<Content>;
  /** Rejected with a retryable Fault it is called again after a back-off; any other rejection ends the lanes. */
  handle(record: ReceivedRecord, lane: KeyedLane, content: Content): Promise<void>;
  /** Keeps the first offset not done. Tried again as `handle` is. */
  position?(partition: number, epoch: number, nextOffset: bigint): Promise<void>;
}

/** Records of one key are handled in order, one at a time. */
export interface Keyed<Content> {
  readonly key: string;
  /** What the handler gets beside the record. */
  readonly content: Content;
}

interface Entry<Content> extends Keyed<Content> {
  readonly record: ReceivedRecord;
  readonly place: ReceivedPlace;
  /** Of the same key; null while it is the last. */
  next: Entry<Content> | null;
  tries: number;
}

const nothing = Promise.resolve();

const positionIntervalMs = 200;
/** Of a lane in which so many were completed between two writes. */
const positionBusyIntervalMs = 1_000;
const positionBusyCompletions = 50;
const positionCompletionsMax = 1_000;

export async function createKeyedLanes<Content>(options: KeyedLanesOptions<Content>): Promise<Lanes> {
  return await startLanes(options, (consumer) => new ConcurrentLane(options, consumer));
}

class ConcurrentLane<Content> implements Lane, KeyedLane {
  readonly partition: number;
  readonly epoch: number;
  readonly #options: KeyedLanesOptions<Content>;
  readonly #consumer: LaneConsumer;
  readonly #pool: TaskPool<Entry<Content>>;
  readonly #over = new AbortController();
  readonly #unread = new UnreadRecords();
  readonly #lastByKey = new Map<string, Entry<Content>>();
  readonly #troubleByKey = new Map<string, string>();
  #isOver = false;
  #received: ReceivedRecords | null = null;
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

  constructor(options: KeyedLanesOptions<Content>, consumer: LaneConsumer) {
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

  async open(log: AssignedLog): Promise<bigint | null> {
    if (!this.isCurrent()) return null;
    this.#opening = this.#open(log);
    const opened = await this.#opening;
    if (opened === null || !this.isCurrent()) return null;
    this.#openTrouble = null;
    this.#received = new ReceivedRecords(opened.value);
    this.#writtenOffset = opened.value;
    return opened.value;
  }

  async #open(log: AssignedLog): Promise<{ readonly value: bigint } | null> {
    const { time, random } = this.#options;
    const watch = {
      isOver: () => !this.isCurrent(),
      retrying: (fault: Fault) => {
        this.#openTrouble = `opening is tried again: ${fault.code}`;
        this.#warn("lane.retry", { what: "opening", code: fault.code, reason: fault.message });
      },
    };
    return await untilDone(() => this.#options.startAt(this.partition, this.epoch, log), watch, {
      time,
      random,
      signal: this.#over.signal,
    });
  }

  receive(records: readonly ReceivedRecord[]): void {
    if (this.#received === null || !this.isCurrent()) return;
    this.#unread.push(records);
    this.#pool.fill();
    this.#pauseOrResume();
  }

  /** #1, #7: reads on to the next record whose key is not in hand. */
  #take(): Entry<Content> | undefined {
    if (!this.isCurrent() || this.#isDraining) return undefined;
    for (;;) {
      const record = this.#unread.take();
      if (record === undefined) return undefined;
      const { key, content } = this.#options.read(record);
      const place = { offset: record.offset, isDone: false };
      const entry = { record, place, key, content, next: null, tries: 0 };
      this.#received?.add(place);
      const last = this.#lastByKey.get(key);
      this.#lastByKey.set(key, entry);
      if (last === undefined) return entry;
      last.next = entry;
    }
  }

  /** Without a promise of its own: each record comes through here. */
  #handle(entry: Entry<Content>, over: () => void): void {
    if (!this.isCurrent() || this.#isDraining) return void nothing.then(over);
    entry.tries += 1;
    this.#handling(entry).then(
      () => this.#handled(entry, over),
      (error: unknown) => this.#notHandled(entry, error, over),
    );
  }

  /** #4 */
  #handled(entry: Entry<Content>, over: () => void): void {
    if (this.isCurrent()) this.#complete(entry);
    over();
  }

  #notHandled(entry: Entry<Content>, error: unknown, over: () => void): void {
    if (this.isCurrent()) this.#failed(entry, error);
    over();
  }

  #handling({ record, content }: Entry<Content>): Promise<void> {
    try {
      return this.#options.handle(record, this, content);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #failed(entry: Entry<Content>, error: unknown): void {
    if (!(error instanceof Fault) || !error.isRetryable) {
      this.#consumer.failed(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#troubleByKey.set(entry.key, error.code);
    this.#warn("lane.retry", { what: "handling", code: error.code, reason: error.message });
    if (this.#isDraining) return;
    // #2: the wait is outside the pool. A wait that a drain or the end of the epoch leaves behind submits what does nothing.
    const { time, random } = this.#options;
    time.after(retryDelayMs(entry.tries, random), () => this.#pool.submit(entry));
  }

  #complete(entry: Entry<Content>): void {
    if (this.#troubleByKey.size > 0) this.#troubleByKey.delete(entry.key);
    this.#received?.complete(entry.place);
    this.#completions += 1;
    const { next } = entry;
    if (next === null) this.#lastByKey.delete(entry.key);
    else this.#pool.submit(next);
    // Else one that is old already would keep all after it from being collected young.
    entry.next = null;
    this.#pauseOrResume();
    this.#writeSoon();
  }

  #pauseOrResume(): void {
    const { bufferedRecordsMax } = this.#options;
    const count = this.#unread.count + (this.#received?.count ?? 0);
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
    // After a failure the timer waits longer, and a thousand completions do not shorten it.
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
    return !this.isCurrent() || this.#received === null || this.#received.nextOffset === this.#writtenOffset;
  }

  async #write(): Promise<void> {
    this.#writeTimer?.[Symbol.dispose]();
    this.#writeTimer = null;
    if (this.#writing !== null || this.#isWritten || this.#received === null) return;
    this.#isBusy = this.#completions >= positionBusyCompletions;
    this.#completions = 0;
    this.#writing = this.#writeOffset(this.#received.nextOffset);
    await this.#writing;
    this.#writing = null;
    this.#writeSoon();
  }

  /** #5 */
  async #writeOffset(nextOffset: bigint): Promise<void> {
    try {
      await this.#options.position?.(this.partition, this.epoch, nextOffset);
      this.#writtenOffset = nextOffset;
      this.#writeFailures = 0;
    } catch (error) {
      this.#writeFailures += 1;
      if (!(error instanceof Fault) || !error.isRetryable) {
        if (this.isCurrent()) this.#consumer.failed(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      this.#warn("lane.retry", { what: "position", code: error.code, reason: error.message });
      return;
    }
    try {
      await this.#consumer.commit(nextOffset);
    } catch (error) {
      // The group's offset is for display; the next commit names a later one.
      this.#warn("lane.commit-failed", { reason: String(error) });
    }
  }

  #warn(event: string, fields: LogFields): void {
    this.#options.log.warn(event, { topic: this.#options.topic, partition: this.partition, epoch: this.epoch, ...fields });
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
    // Why a lane did not open is told by `assigned`.
    await this.#opening.catch(() => null);
    this.#options.closed?.(this.partition, this.epoch);
  }

  async settled(): Promise<void> {
    await this.#closing;
    await this.#pool.idle();
    await this.#writing;
  }
}
