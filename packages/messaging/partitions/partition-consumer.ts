// The part that batch consumers and keyed consumers share: one consumer of one topic with one AssignedPartition per
// assignment. It starts them, reports their readiness, drains them and stops them.
//
// #1 Opening a partition is retried while the assignment is current and the Fault is retryable; any other error ends
//    the consumer.
// #2 An AssignedPartition lives for one epoch of one partition, so that work of an old epoch cannot reach the next one.
// #3 Shutdown order: pause, finish running work, write the position, commit, stop. (kafkajs trouble E: a commit during
//    stop is lost.)

import { Fault, type Logger, type Random, type Readiness, type Running, sleep, type Time } from "@sluice/kernel";
import type { AssignedOffsets, Consumer, Messaging, ReceivedRecord, TopicPartition } from "../port.ts";
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
  /** The reason why this partition makes no progress; null while it does. */
  trouble(): string | null;
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

const heartbeatAgeMaxMs = 6000;

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
  /** Ended epochs of which some work may still run. */
  readonly #settling = new Set<Promise<void>>();
  #consumer: Consumer | null = null;
  #failure: Error | null = null;
  #draining: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: PartitionConsumerOptions, openPartition: (consumer: PartitionControl) => AssignedPartition) {
    this.#options = options;
    this.#openPartition = openPartition;
  }

  async start(): Promise<void> {
    const { messaging, group, topic } = this.#options;
    this.#consumer = await messaging.consumer({
      group,
      topics: [topic],
      handlers: {
        assigned: (partition, epoch, log) => this.#assigned(partition, epoch, log),
        revoked: (partition) => this.#revoked(partition.partition),
        records: (partition, _epoch, records) => this.#partitions.get(partition.partition)?.receive(records),
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
      commit: async (nextOffset) => await this.#consumer?.commit(place, nextOffset, epoch),
      fail: (reason) => this.#fail(reason),
    });
    this.#partitions.set(partition, worker);
    await this.#closing.get(partition);
    const startAt = await worker.open(log);
    // The consumer ignores the answer to an assignment that is over.
    return startAt ?? log.logStart;
  }

  #revoked(partition: number): void {
    const worker = this.#partitions.get(partition);
    if (worker === undefined) return;
    this.#partitions.delete(partition);
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
    const reasons: string[] = [];
    const { group } = this.#options;
    if (this.#failure !== null) reasons.push(`${group}: failed: ${this.#failure.message}`);
    if (this.#draining !== null) reasons.push(`${group}: draining`);
    const ageMs = this.heartbeatAgeMs();
    if (ageMs === Number.POSITIVE_INFINITY) reasons.push(`${group}: not yet in the group`);
    else if (ageMs > heartbeatAgeMaxMs) reasons.push(`${group}: no answer from the coordinator for ${Math.round(ageMs)} ms`);
    for (const [partition, worker] of this.#partitions) {
      const trouble = worker.trouble();
      if (trouble !== null) reasons.push(`${group}: partition ${partition}: ${trouble}`);
    }
    return { isReady: reasons.length === 0, reasons };
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
