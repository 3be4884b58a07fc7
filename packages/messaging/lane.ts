// What batch lanes and keyed lanes share: one consumer of one topic, a lane per assigned partition, and how the whole of them
// starts, reports itself, drains and stops.
//
// #1 An assignment is tried again while it is current, as long as its trouble is retryable; other trouble ends the consumer.
// #2 A lane object lives for one epoch of one partition. Work of an epoch that is over has no way to reach the next one.
// #3 Shutdown order: pause, finish what runs, write the position, commit, stop. (kafkajs trouble E: a commit during stop is lost.)

import type { Random, Readiness, Running, Time } from "@sluice/runtime";
import { Fault, sleep } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import type { AssignedLog, Consumer, Messaging, ReceivedRecord, TopicPartition } from "./port.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface LanesOptions {
  readonly messaging: Messaging;
  readonly group: string;
  readonly topic: string;
  /** Per lane. Above it the partition is paused, below half of it resumed; a hand-over that was under way may go beyond. */
  readonly bufferedRecordsMax: number;
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  /** The lanes cannot go on; the process must end. Called once. */
  failed(reason: Error): void;
}

export interface Lanes extends Running {
  readiness(): Readiness;
  /** Milliseconds since the group's coordinator last answered; Infinity before the first. */
  heartbeatAgeMs(): number;
  /** Takes nothing new, waits for what runs, writes position and commit. Work in a back-off is left for the next owner. Idempotent. */
  drain(): Promise<void>;
  /** Drains, then leaves the group. Idempotent. */
  stop(): Promise<void>;
}

/** One partition under one epoch. */
export interface Lane {
  /** Answers where to start; null when the lane was closed meanwhile. */
  open(log: AssignedLog): Promise<bigint | null>;
  receive(records: readonly ReceivedRecord[]): void;
  /** Why this lane makes no progress; null while it does. */
  trouble(): string | null;
  /** Starts nothing new; resolves when nothing runs and all that is done is written. */
  drain(): Promise<void>;
  /** The epoch is over. Resolves when the next epoch of the partition may open. Never rejects. */
  close(): Promise<void>;
  /** Resolves when nothing of a closed lane runs any more. Never rejects. */
  settled(): Promise<void>;
}

/** What a lane may ask of the consumer; of its own partition and epoch. */
export interface LaneConsumer {
  readonly epoch: number;
  readonly partition: number;
  pause(): void;
  resume(): void;
  commit(nextOffset: bigint): Promise<void>;
  failed(reason: Error): void;
}

const heartbeatAgeMaxMs = 6000;

export async function startLanes(options: LanesOptions, createLane: (consumer: LaneConsumer) => Lane): Promise<Lanes> {
  const lanes = new RunningLanes(options, createLane);
  await lanes.start();
  return lanes;
}

class RunningLanes implements Lanes {
  readonly #options: LanesOptions;
  readonly #createLane: (consumer: LaneConsumer) => Lane;
  readonly #lanes = new Map<number, Lane>();
  /** The ends of earlier epochs that the next one of the partition waits for. */
  readonly #closing = new Map<number, Promise<void>>();
  /** Lanes whose epoch is over and of which something may still run. */
  readonly #settling = new Set<Promise<void>>();
  #consumer: Consumer | null = null;
  #failure: Error | null = null;
  #draining: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: LanesOptions, createLane: (consumer: LaneConsumer) => Lane) {
    this.#options = options;
    this.#createLane = createLane;
  }

  async start(): Promise<void> {
    const { messaging, group, topic } = this.#options;
    this.#consumer = await messaging.consumer({
      group,
      topics: [topic],
      handlers: {
        assigned: (partition, epoch, log) => this.#assigned(partition, epoch, log),
        revoked: (partition) => this.#revoked(partition.partition),
        records: (partition, _epoch, records) => this.#lanes.get(partition.partition)?.receive(records),
        failed: (reason) => this.#failed(reason),
      },
    });
  }

  async #assigned(place: TopicPartition, epoch: number, log: AssignedLog): Promise<bigint> {
    const { partition } = place;
    const lane = this.#createLane({
      epoch,
      partition,
      pause: () => this.#consumer?.pause(place),
      resume: () => this.#consumer?.resume(place),
      commit: async (nextOffset) => await this.#consumer?.commit(place, nextOffset, epoch),
      failed: (reason) => this.#failed(reason),
    });
    this.#lanes.set(partition, lane);
    await this.#closing.get(partition);
    const startAt = await lane.open(log);
    // The answer to an assignment that is over is not looked at.
    return startAt ?? log.logStart;
  }

  #revoked(partition: number): void {
    const lane = this.#lanes.get(partition);
    if (lane === undefined) return;
    this.#lanes.delete(partition);
    const before = this.#closing.get(partition) ?? Promise.resolve();
    const closing = Promise.all([before, lane.close()]).then(() => {
      if (this.#closing.get(partition) === closing) this.#closing.delete(partition);
      return undefined;
    });
    this.#closing.set(partition, closing);
    const settling = lane.settled().then(() => void this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  #failed(reason: Error): void {
    if (this.#failure !== null) return;
    this.#failure = reason;
    this.#consumer?.pauseAll();
    this.#options.log.error("lanes.failed", { group: this.#options.group, topic: this.#options.topic, error: reason });
    for (const partition of this.#lanes.keys()) this.#revoked(partition);
    this.#options.failed(reason);
  }

  readiness(): Readiness {
    const reasons: string[] = [];
    const { group } = this.#options;
    if (this.#failure !== null) reasons.push(`${group}: failed: ${this.#failure.message}`);
    if (this.#draining !== null) reasons.push(`${group}: draining`);
    const ageMs = this.heartbeatAgeMs();
    if (ageMs === Number.POSITIVE_INFINITY) reasons.push(`${group}: not yet in the group`);
    else if (ageMs > heartbeatAgeMaxMs) reasons.push(`${group}: no answer from the coordinator for ${Math.round(ageMs)} ms`);
    for (const [partition, lane] of this.#lanes) {
      const trouble = lane.trouble();
      if (trouble !== null) reasons.push(`${group}: lane ${partition}: ${trouble}`);
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
    await Promise.all([...this.#lanes.values()].map((lane) => lane.drain()));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.drain();
    await this.#consumer?.stop();
    for (const partition of this.#lanes.keys()) this.#revoked(partition);
    await Promise.all([...this.#closing.values(), ...this.#settling]);
  }
}

export interface RetryWatch {
  isOver(): boolean;
  /** Told after each failed try. */
  retrying(reason: Fault): void;
}

/**
 * Does `work` until it succeeds; tries again after a back-off as long as its Fault is retryable.
 * Answers null when `isOver` became true before it succeeded. Rejects with what is not retryable.
 */
export async function untilDone<T>(
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
