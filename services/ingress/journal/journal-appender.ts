// Appends records to the journal. It bounds how long a caller waits, and makes no attempt while the broker is known to
// be away.
//
// #1 `appended` is returned only after the broker has acknowledged the record.
// #2 A caller waits at most 1 s, less if it had to wait for its turn before. After that the outcome is `unknown`: the
//    record may be in the journal or may still get there, and nobody here waits for it any more.
// #3 Partitions fail apart (I14): after a failure the appender accepts nothing for that partition. Every append to it
//    is `unavailable` at once, without an attempt, until its leader answers and nothing of ours waits for it any more.
//    A leader that answers may still refuse records. It gets about one a second, so that a caller who sends again after
//    a second is not refused by us.
// #4 It also accepts nothing while this process's clock is more than 2 s off the broker's, which is checked at every
//    append and every acknowledgement. After 10 s without an append a probe is sent, so that a clock that jumped
//    meanwhile is noticed before it stamps messages.
// #5 After a failure, also of a probe, the appender asks the leader of each partition, so that callers do not find out
//    one after another. A probe that is not acknowledged says nothing about the journal. Where the start's probe fails,
//    one record is accepted at a time until one is acknowledged, because that tells the broker's time.

import { topics } from "@sluice/contracts";
import {
  type AppendResult,
  type BrokerClock,
  createBrokerClock,
  type Messaging,
  type OutgoingRecord,
  type Producer,
  skewMaxMs,
} from "@sluice/messaging";
import { assert, Fault, formatReason, type Gauge, type Logger, type Metrics, sleep, type Time } from "@sluice/kernel";
import type { AppendOutcome, UnavailableReason } from "./append-outcome.ts";
import { AppendWaits } from "./append-waits.ts";

export interface JournalAppender {
  /** `waitMaxMs` is what is left of the time in which the caller must be answered, a second at most. */
  append(record: OutgoingRecord, waitMaxMs?: number): Promise<AppendOutcome>;
  /** Why nothing can be appended now; null: the appender accepts records of some partition at least. */
  unavailableReason(): UnavailableReason | null;
  /** The partitions for which nothing is accepted, in order. */
  closedPartitions(): readonly number[];
  stop(): Promise<void>;
}

export interface AppenderPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly messaging: Messaging;
  readonly metrics: Pick<Metrics, "gauge">;
}

/** One partition of the journal. */
interface PartitionState {
  /** Sends that have not settled. */
  waitingCount: number;
  isClosed: boolean;
  /** On the monotonic clock. */
  closedAtMs: number;
  isAsked: boolean;
  /** Asks the leader again when the partition may be opened. */
  reopening: Disposable | null;
}

const appendTimeoutMs = 1_000;
const probeIntervalMs = 1_000;
const idleProbeMs = 10_000;
const closedMinMs = 900;
const noBytes = new Uint8Array();

export function createJournalAppender(ports: AppenderPorts): JournalAppender {
  const appender = new Appender(ports);
  appender.start();
  return appender;
}

class Appender implements JournalAppender {
  readonly #time: Time;
  readonly #log: Logger;
  readonly #messaging: Messaging;
  readonly #closedCount: Gauge;
  readonly #clock: BrokerClock;
  readonly #stopping = new AbortController();
  readonly #waits: AppendWaits;
  #producer: Producer | null = null;
  #unavailable: "starting" | "clock" | "stopping" | null = "starting";
  /** The journal's partitions; empty until the broker has said how many there are. */
  #partitions: readonly PartitionState[] = [];
  #probing: Promise<void> = Promise.resolve();
  readonly #asking = new Set<Promise<void>>();

  constructor({ time, logger, messaging, metrics }: AppenderPorts) {
    this.#time = time;
    this.#log = logger;
    this.#messaging = messaging;
    this.#clock = createBrokerClock(time);
    this.#waits = new AppendWaits(time, appendTimeoutMs, (record) => this.#close(record));
    this.#closedCount = metrics.gauge("sluice_ingress_closed_partitions", "Partitions of the journal for which callers are answered 503.");
    this.#closedCount.set(0);
  }

  start(): void {
    this.#probing = this.#keepProbing();
  }

  unavailableReason(): UnavailableReason | null {
    if (this.#unavailable !== null) return this.#unavailable;
    if (this.#isClockOff()) return "clock";
    return this.#partitions.every(({ isClosed }) => isClosed) ? "broker" : null;
  }

  closedPartitions(): readonly number[] {
    return this.#partitions.flatMap(({ isClosed }, partition) => (isClosed ? [partition] : []));
  }

  async append(record: OutgoingRecord, waitMaxMs = appendTimeoutMs): Promise<AppendOutcome> {
    if (this.#unavailable === null && this.#isClockOff()) this.#suspend("clock");
    const reason = this.unavailableReason() ?? this.#refusalOf(record.partition);
    if (reason !== null || this.#producer === null) return { kind: "unavailable", reason: reason ?? "starting" };
    const { promise, resolve } = Promise.withResolvers<AppendOutcome>();
    void this.#send(this.#producer, record, waitMaxMs, resolve);
    return await promise;
  }

  /** #3, #5 */
  #refusalOf(partition: number): UnavailableReason | null {
    if (this.#partitions[partition]?.isClosed === true) return "partition";
    const isFirst = this.#clock.skewMs() === null && this.#partitions.some(({ waitingCount }) => waitingCount > 0);
    return isFirst ? "starting" : null;
  }

  async stop(): Promise<void> {
    this.#unavailable = "stopping";
    this.#stopping.abort();
    await this.#probing;
    await this.#producer?.close();
    await Promise.all(this.#asking);
    this.#waits.stop();
    for (const { reopening } of this.#partitions) reopening?.[Symbol.dispose]();
  }

  /**
   * After a failure the partition is closed, whether a caller still waits or not. The broker has its whole second, also
   * if the caller waits for a part of it only.
   */
  #send(through: Producer, record: OutgoingRecord, waitMaxMs: number, answer: (outcome: AppendOutcome) => void): Promise<void> {
    const sentMs = this.#time.monotonicMs();
    const state = record.topic === topics.journal ? this.#partitions[record.partition] : undefined;
    if (state !== undefined) state.waitingCount += 1;
    const wait = this.#waits.start(record, waitMaxMs, answer);
    const settle = (outcome: AppendOutcome): void => {
      if (state !== undefined) state.waitingCount -= 1;
      this.#waits.settle(wait, outcome);
    };
    return through
      .send([record])
      .then(([appended]) => this.#appended(appended, sentMs))
      .then(settle, (error: unknown) => settle(this.#failed(record, error)));
  }

  #appended(appended: AppendResult | undefined, sentMs: number): AppendOutcome {
    assert(appended !== undefined, "a send answers for each record");
    this.#clock.measure(appended.appendedAtMs, sentMs);
    if (this.#isClockOff()) this.#suspend("clock");
    return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
  }

  #failed(record: OutgoingRecord, error: unknown): AppendOutcome {
    this.#close(record, error);
    const isRefused = error instanceof Fault && error.code === "messaging.refused";
    return isRefused ? { kind: "unavailable", reason: "partition" } : { kind: "unknown", reason: "not acknowledged" };
  }

  async #keepProbing(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#unavailable !== null || this.#clock.ageMs() >= idleProbeMs) await this.#probe();
      for (const partition of this.closedPartitions()) this.#ask(partition);
      await sleep(this.#time, probeIntervalMs, this.#stopping.signal);
    }
  }

  /** Settles when the probe itself does, however long the producer takes: there is one at a time. */
  async #probe(): Promise<void> {
    const connected = await this.#connect();
    if (connected === null) return;
    const record = { topic: topics.probe, partition: 0, key: null, value: noBytes, headers: {} };
    const { promise, resolve } = Promise.withResolvers<AppendOutcome>();
    void this.#send(connected, record, Infinity, resolve);
    const outcome = await promise;
    if (outcome.kind === "appended" && !this.#isClockOff()) this.#resume();
  }

  async #connect(): Promise<Producer | null> {
    try {
      this.#producer ??= await this.#messaging.producer("ingress");
      if (this.#partitions.length === 0) {
        const count = (await this.#messaging.partitionCount(topics.journal)) ?? 0;
        this.#partitions = Array.from({ length: count }, () => ({
          waitingCount: 0,
          isClosed: false,
          closedAtMs: 0,
          isAsked: false,
          reopening: null,
        }));
      }
      return this.#producer;
    } catch (error) {
      this.#log.warn("ingress.not-connected", { reason: formatReason(error) });
      return null;
    }
  }

  /** #3, #5: opens or closes a partition by whether its leader answers. Never rejects. */
  #ask(partition: number): void {
    const state = this.#partitions[partition];
    if (state === undefined || state.isAsked) return;
    state.isAsked = true;
    const asked = this.#answers(partition).then((answers) => {
      state.isAsked = false;
      this.#asking.delete(asked);
      if (!answers) this.#closePartition(partition);
      else if (state.waitingCount === 0) this.#reopen(partition, state);
      if (answers && this.#unavailable === "starting") this.#resume();
      return undefined;
    });
    this.#asking.add(asked);
  }

  /** #3: opens the partition once it has been closed for long enough. */
  #reopen(partition: number, state: PartitionState): void {
    const leftMs = closedMinMs - (this.#time.monotonicMs() - state.closedAtMs);
    if (!state.isClosed || this.#stopping.signal.aborted) return;
    if (leftMs <= 0) return this.#openPartition(partition);
    state.reopening ??= this.#time.after(leftMs, () => {
      state.reopening = null;
      this.#ask(partition);
    });
  }

  async #answers(partition: number): Promise<boolean> {
    const ended = this.#messaging.ends([{ topic: topics.journal, partition }]).then(
      () => true,
      () => false,
    );
    const waiting = new AbortController();
    const inTime = await Promise.race([ended, sleep(this.#time, appendTimeoutMs, waiting.signal).then(() => null)]);
    waiting.abort();
    if (inTime === null) this.#closePartition(partition);
    return await ended;
  }

  #isClockOff(): boolean {
    return (this.#clock.skewMs() ?? 0) > skewMaxMs;
  }

  #resume(): void {
    if (this.#unavailable === null || this.#unavailable === "stopping") return;
    this.#log.info("ingress.open", { was: this.#unavailable });
    this.#unavailable = null;
  }

  #suspend(why: "clock"): void {
    if (this.#unavailable !== why) {
      this.#log.warn("ingress.closed", { unavailable: why, was: this.#unavailable, skewMs: this.#clock.skewMs() });
    }
    if (this.#unavailable !== "stopping") this.#unavailable = why;
  }

  /** After a failed send. A probe is no record of the journal, and closes nothing by itself (#5). */
  #close({ topic, partition }: OutgoingRecord, error?: unknown): void {
    if (topic === topics.journal) this.#closePartition(partition, error);
    for (const other of this.#partitions.keys()) this.#ask(other);
  }

  #closePartition(partition: number, error?: unknown): void {
    const state = this.#partitions[partition];
    if (state === undefined || state.isClosed) return;
    state.isClosed = true;
    state.closedAtMs = this.#time.monotonicMs();
    this.#log.warn("ingress.partition-closed", { partition, ...(error === undefined ? {} : { reason: formatReason(error) }) });
    this.#closedCount.set(this.closedPartitions().length);
  }

  #openPartition(partition: number): void {
    const state = this.#partitions[partition];
    if (state?.isClosed !== true) return;
    state.isClosed = false;
    this.#log.info("ingress.partition-open", { partition });
    this.#closedCount.set(this.closedPartitions().length);
  }
}
