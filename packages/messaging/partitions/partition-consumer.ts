// The part that batch consumers and keyed consumers share: one consumer of one topic with one AssignedPartition per
// assignment. It starts them, reports their readiness, drains them and stops them.
//
// #1 Opening a partition is retried while the assignment is current and the Fault is retryable; any other error ends
//    the consumer.
// #2 An AssignedPartition lives for one epoch of one partition, so that work of an old epoch cannot reach the next one.
// #3 A batch that cannot be read stops its partition alone. Readiness and a gauge say which. Once an operator has asked
//    to skip it, its placeholders are handed over in its place.
// #4 Shutdown order: pause, finish running work, write the position, commit, stop. (kafkajs trouble E: a commit during
//    stop is lost.)
// #5 A partition that others' joining takes away is drained likewise, as long as the port waits for it.
// #6 Partitions fail apart: the consumer is ready while it works on one of them at least, and none is being opened for
//    the first time in its epoch. The reasons and a gauge name those that make no progress.
// #7 It is not ready before it has opened what its group has given it first. A rollout would otherwise end the process
//    before it, and move the same partitions again while they are being opened.
// #8 A member that joins again is ready for as long as a join takes, and then no longer: its group may be waiting for
//    an answer that never comes, and nobody else would say so.

import {
  type BlockedPosition,
  Fault,
  type Gauge,
  type ListedSample,
  type Logger,
  type Metrics,
  type Random,
  type Readiness,
  type Running,
  sleep,
  type Time,
} from "@sluice/kernel";
import type { OperatorSkips } from "../dead-letters/operator-skips.ts";
import { buildSkippedRecords, formatUnreadableBatch } from "../unreadable-batch.ts";
import type { AssignedOffsets, Consumer, Messaging, ReceivedRecord, TopicPartition, UnreadableBatch } from "../port.ts";
import { listPartitionSamples, type OldestRecord, partitionSeries } from "./scrape/partition-series.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface PartitionConsumerOptions {
  readonly messaging: Messaging;
  readonly group: string;
  readonly topic: string;
  /**
   * Records buffered per partition. Above this the partition is paused, below half of it resumed; one fetch in flight
   * may exceed it.
   */
  readonly bufferedRecordsMax: number;
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "gauge" | "listed">;
  /** Finds operators' requests to skip a batch that cannot be read. */
  readonly operatorSkips: Pick<OperatorSkips, "findBatchRequest">;
  /** Why a partition makes no progress, as far as its service knows; null: it does. */
  troubleOf?(partition: number): string | null;
  /** The consumer cannot go on and the process must end. Called once. */
  fail(reason: Error): void;
}

export interface PartitionConsumer extends Running {
  readiness(): Readiness;
  /** Milliseconds since the group's coordinator last answered; Infinity before the first answer. */
  heartbeatAgeMs(): number;
  /**
   * Starts no new work, waits for running work, writes position and commit. Leaves work in a back-off to the next
   * owner. Idempotent.
   */
  drain(): Promise<void>;
  /** Drains, then leaves the group. Idempotent. */
  stop(): Promise<void>;
}

/** One partition under one epoch. */
export interface AssignedPartition {
  /** Returns the offset to start at; null if the epoch ended meanwhile. */
  open(log: AssignedOffsets): Promise<bigint | null>;
  receive(records: readonly ReceivedRecord[]): void;
  /** The reason why this partition makes no progress, `notYetOpen` among them; null while it does. */
  trouble(): string | null;
  oldest(): OldestRecord | null;
  /** What has held its position back for 10 s or more; absent where records are done in batches. */
  blocked?(): BlockedPosition | null;
  /** Starts no new work. Resolves once nothing runs and the position of all finished work is written. */
  drain(): Promise<void>;
  /** The epoch is over. Resolves when the next epoch of the partition may open. Never rejects. */
  close(): Promise<void>;
  /** Resolves once no work of the closed epoch runs any more. Never rejects. */
  settled(): Promise<void>;
}

/** The consumer's operations on one partition under one epoch. */
export interface PartitionControl {
  readonly epoch: number;
  readonly partition: number;
  pause(): void;
  resume(): void;
  commit(nextOffset: bigint): Promise<void>;
  fail(reason: Error): void;
}

/** The trouble of a partition whose first opening under its epoch is under way. */
export const notYetOpen = "not yet open";

const heartbeatAgeMaxMs = 6000;
/** #8: milliseconds, longer than a hand-over and the end of a session together. */
const joinMaxMs = 20_000;

export async function startPartitionConsumer(
  options: PartitionConsumerOptions,
  openPartition: (consumer: PartitionControl) => AssignedPartition,
): Promise<PartitionConsumer> {
  const partitions = new RunningConsumer(options, openPartition);
  await partitions.start();
  return partitions;
}

class RunningConsumer implements PartitionConsumer {
  readonly #options: PartitionConsumerOptions;
  readonly #openPartition: (consumer: PartitionControl) => AssignedPartition;
  readonly #partitions = new Map<number, AssignedPartition>();
  /** Closes of earlier epochs, by partition; the next epoch of the partition waits for them. */
  readonly #closing = new Map<number, Promise<void>>();
  /** The batches at which partitions stand, by partition (#3). */
  readonly #unreadable = new Map<number, UnreadableBatch>();
  readonly #unreadableBatches: Gauge;
  readonly #troubled: Gauge;
  /** Offsets of what was received and of what is done: a partition that stands finishes nothing of what it received. */
  readonly #receivedOffset: Gauge;
  readonly #committedOffset: Gauge;
  readonly #owned: Gauge;
  /** The newest heartbeat of each partition, epoch milliseconds. */
  readonly #beats = new Map<number, number>();
  /** Ended epochs of which some work may still run. */
  readonly #settling = new Set<Promise<void>>();
  #consumer: Consumer | null = null;
  #hasOpened = false;
  /** #8: since when it joins again, in milliseconds of the monotonic clock; null: it does not. */
  #joiningSinceMs: number | null = null;
  #failure: Error | null = null;
  #draining: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: PartitionConsumerOptions, openPartition: (consumer: PartitionControl) => AssignedPartition) {
    this.#options = options;
    this.#openPartition = openPartition;
    this.#unreadableBatches = options.metrics.gauge(
      "sluice_partition_unreadable_batches",
      "Batches that cannot be read and at which a partition of this process stands: 1 or 0",
      ["topic", "partition"],
    );
    this.#troubled = options.metrics.gauge(
      "sluice_partition_troubled",
      "Partitions of this process that make no progress for a reason that /readyz names: 1 or 0",
      ["topic", "partition"],
    );
    this.#receivedOffset = options.metrics.gauge(
      "sluice_partition_received_offset",
      "Offset after the newest record received; 0: not owned",
      ["topic", "partition"],
    );
    this.#owned = options.metrics.gauge("sluice_partition_owned", "Partitions that this process owns: 1 or 0", ["topic", "partition"]);
    this.#committedOffset = options.metrics.gauge("sluice_partition_committed_offset", "Offset up to which all is done; 0: not owned", [
      "topic",
      "partition",
    ]);
    options.metrics.listed(partitionSeries, () => this.#scrape());
  }

  async start(): Promise<void> {
    const { messaging, group, topic } = this.#options;
    this.#consumer = await messaging.consumer({
      group,
      topics: [topic],
      handlers: {
        assigned: (partition, epoch, log) => this.#assigned(partition, epoch, log),
        // #5
        handOver: async ({ partition }) => await this.#partitions.get(partition)?.drain(),
        revoked: (partition) => this.#revoked(partition.partition),
        records: (partition, _epoch, records) => {
          if (this.#unreadable.size > 0) this.#setUnreadable(partition.partition, null);
          this.#partitions.get(partition.partition)?.receive(records);
          const last = records.at(-1);
          if (last !== undefined) this.#receivedOffset.set(Number(last.offset + 1n), this.#labels(partition.partition));
        },
        unreadable: (batch) => this.#skipUnreadable(batch),
        failed: (reason) => this.#fail(reason),
      },
    });
  }

  async #assigned(place: TopicPartition, epoch: number, log: AssignedOffsets): Promise<bigint> {
    const { partition } = place;
    const worker = this.#openPartition({
      epoch,
      partition,
      pause: () => this.#consumer?.pause(place),
      resume: () => this.#consumer?.resume(place),
      commit: async (nextOffset) => {
        await this.#consumer?.commit(place, nextOffset, epoch);
        if (this.#partitions.has(partition)) this.#committedOffset.set(Number(nextOffset), this.#labels(partition));
      },
      fail: (reason) => this.#fail(reason),
    });
    this.#partitions.set(partition, worker);
    this.#beats.set(partition, this.#options.time.nowMs());
    this.#owned.set(1, this.#labels(partition));
    await this.#closing.get(partition);
    const startAt = await worker.open(log);
    if (this.#partitions.get(partition) === worker) this.#showOffsets(partition, startAt ?? log.logStart);
    // The consumer ignores the answer to an assignment that is over.
    return startAt ?? log.logStart;
  }

  /** #3 */
  async #skipUnreadable(batch: UnreadableBatch): Promise<"skip" | "read-again"> {
    const { logger, operatorSkips, time } = this.#options;
    const { topic, partition, firstOffset, lastOffset, reason, detail } = batch;
    const worker = this.#partitions.get(partition);
    logger.error("partition.batch-unreadable", { topic, partition, firstOffset, lastOffset, reason, detail });
    this.#setUnreadable(partition, batch);
    const skip = await operatorSkips.findBatchRequest(batch);
    if (skip === null || worker === undefined || this.#partitions.get(partition) !== worker) return "read-again";
    worker.receive(buildSkippedRecords(batch, skip, time.nowMs()));
    this.#setUnreadable(partition, null);
    logger.warn("partition.batch-skipped", { topic, partition, firstOffset, lastOffset, operator: skip.operator, action: skip.actionId });
    return "skip";
  }

  #setUnreadable(partition: number, batch: UnreadableBatch | null): void {
    if (batch === null && !this.#unreadable.delete(partition)) return;
    if (batch !== null) this.#unreadable.set(partition, batch);
    this.#unreadableBatches.set(batch === null ? 0 : 1, { topic: this.#options.topic, partition: String(partition) });
  }

  #labels(partition: number): Readonly<Record<"topic" | "partition", string>> {
    return { topic: this.#options.topic, partition: String(partition) };
  }

  #showOffsets(partition: number, offset: bigint): void {
    this.#receivedOffset.set(Number(offset), this.#labels(partition));
    this.#committedOffset.set(Number(offset), this.#labels(partition));
  }

  #scrape(): readonly ListedSample[] {
    const { topic, time } = this.#options;
    const nowMs = time.nowMs();
    return [...this.#partitions].flatMap(([partition, worker]) => {
      const oldest = worker.oldest();
      const beatAtMs = Math.max(this.#beats.get(partition) ?? 0, this.#findBeat(partition, worker, oldest));
      this.#beats.set(partition, beatAtMs);
      return listPartitionSamples({ topic, partition, oldest, beatAtMs }, nowMs);
    });
  }

  /** With work, a heartbeat is work that is done; without, the group's counts while the partition has no trouble. */
  #findBeat(partition: number, worker: AssignedPartition, oldest: OldestRecord | null): number {
    const { time } = this.#options;
    if (oldest !== null) return time.nowMs() - (time.monotonicMs() - oldest.sinceMs);
    return this.#listTroubles(partition, worker).length > 0 ? 0 : time.nowMs() - this.heartbeatAgeMs();
  }

  #revoked(partition: number): void {
    this.#showOffsets(partition, 0n);
    this.#setUnreadable(partition, null);
    this.#troubled.set(0, this.#labels(partition));
    this.#owned.set(0, this.#labels(partition));
    const worker = this.#partitions.get(partition);
    if (worker === undefined) return;
    this.#partitions.delete(partition);
    this.#beats.delete(partition);
    const before = this.#closing.get(partition) ?? Promise.resolve();
    const closing = Promise.all([before, worker.close()]).then(() => {
      if (this.#closing.get(partition) === closing) this.#closing.delete(partition);
      return undefined;
    });
    this.#closing.set(partition, closing);
    const settling = worker.settled().then(() => void this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  #fail(reason: Error): void {
    if (this.#failure !== null) return;
    this.#failure = reason;
    this.#consumer?.pauseAll();
    this.#options.logger.error("partitions.failed", { group: this.#options.group, topic: this.#options.topic, error: reason });
    for (const partition of this.#partitions.keys()) this.#revoked(partition);
    this.#options.fail(reason);
  }

  readiness(): Readiness {
    const { group } = this.#options;
    const common: string[] = [];
    if (this.#failure !== null) common.push(`${group}: failed: ${this.#failure.message}`);
    if (this.#draining !== null) common.push(`${group}: draining`);
    const ageMs = this.heartbeatAgeMs();
    if (ageMs === Number.POSITIVE_INFINITY) common.push(`${group}: not yet in the group`);
    else if (ageMs > heartbeatAgeMaxMs) common.push(`${group}: no answer from the coordinator for ${Math.round(ageMs)} ms`);
    const troubles = [...this.#partitions].map(([partition, worker]) => ({ partition, texts: this.#listTroubles(partition, worker) }));
    for (const { partition, texts } of troubles) this.#troubled.set(texts.length === 0 ? 0 : 1, this.#labels(partition));
    // #6
    const isOpening = troubles.some(({ texts }) => texts.includes(notYetOpen));
    const assigned = this.#consumer?.assignedCount() ?? null;
    const hasNone = troubles.length === 0 && assigned !== 0;
    const isServing = troubles.length === 0 || troubles.some(({ texts }) => texts.length === 0);
    // #7
    this.#hasOpened ||= isServing && !isOpening && !hasNone;
    if (hasNone && ageMs < Number.POSITIVE_INFINITY && (assigned !== null || !this.#hasOpened))
      common.push(`${group}: no partition is open yet`);
    const joinsMs = this.#joinsMs(assigned);
    if (joinsMs > joinMaxMs) common.push(`${group}: has joined its group for ${joinsMs} ms, and has no partition meanwhile`);
    const reasons = troubles.flatMap(({ partition, texts }) => texts.map((text) => `${group}: partition ${partition}: ${text}`));
    return { isReady: common.length === 0 && isServing && !isOpening, reasons: [...common, ...reasons], blocked: this.#blocked() };
  }

  /** #8: milliseconds. */
  #joinsMs(assigned: number | null): number {
    const nowMs = this.#options.time.monotonicMs();
    this.#joiningSinceMs = assigned === null && this.#hasOpened ? (this.#joiningSinceMs ?? nowMs) : null;
    return this.#joiningSinceMs === null ? 0 : Math.round(nowMs - this.#joiningSinceMs);
  }

  #listTroubles(partition: number, worker: AssignedPartition): readonly string[] {
    const batch = this.#unreadable.get(partition);
    const found = [
      worker.trouble(),
      this.#options.troubleOf?.(partition) ?? null,
      batch === undefined ? null : formatUnreadableBatch(batch),
    ];
    return found.filter((text) => text !== null);
  }

  #blocked(): readonly BlockedPosition[] {
    const blocked = [...this.#partitions.values()].flatMap((worker) => worker.blocked?.() ?? []);
    return blocked.toSorted((a, b) => a.partition - b.partition);
  }

  heartbeatAgeMs(): number {
    return this.#consumer?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY;
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    this.#consumer?.pauseAll();
    await Promise.all([...this.#partitions.values()].map((worker) => worker.drain()));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.drain();
    await this.#consumer?.stop();
    for (const partition of this.#partitions.keys()) this.#revoked(partition);
    await Promise.all([...this.#closing.values(), ...this.#settling]);
  }
}

export interface RetryWatch {
  isOver(): boolean;
  /** Called after each failed attempt. */
  retrying(reason: Fault): void;
}

/**
 * Runs `work` until it succeeds, with a back-off between attempts as long as its Fault is retryable.
 * Returns null if `isOver` became true first. Rejects with any error that is not retryable.
 */
export async function retryUntilDone<T>(
  work: () => Promise<T>,
  watch: RetryWatch,
  { time, random, signal }: { time: Time; random: Random; signal: AbortSignal },
): Promise<{ readonly value: T } | null> {
  for (let attempt = 1; !watch.isOver(); attempt += 1) {
    try {
      return { value: await work() };
    } catch (error) {
      if (!(error instanceof Fault) || !error.isRetryable) throw error;
      watch.retrying(error);
    }
    if (!watch.isOver()) await sleep(time, retryDelayMs(attempt, random), signal);
  }
  return null;
}
