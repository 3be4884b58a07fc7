// The consumer over kafkajs.
//
// #1 The batch handler hands records over and returns at once (C, D), resolves their offsets (K), and never throws (F).
// #2 Every join revokes all partitions and raises the epoch (M). The start of a join hands over and revokes, its end
//    assigns. A member whom the group no longer knows has lost its partitions, and revokes at once.
// #3 A partition stays paused until `assigned` has resolved; then the consumer seeks to the answer and resumes it.
// #4 An answer outside the partition's offsets ends the consumer (L), because kafkajs would silently start somewhere
//    else. So does a position that retention has passed meanwhile (X).
// #5 A crash from which kafkajs does not restart ends the consumer (F).
// #6 A batch that cannot be read pauses its partition alone. It is fetched again after a back-off, until it can be read
//    or the answer of `unreadable` skips it.
// #7 `commit` works only for assigned partitions in the current epoch (M); partitions that commit at the same moment
//    share a request. `stop` leaves the group last (E).

import type { Admin, Consumer as KafkajsConsumer, EachBatchPayload, Kafka } from "kafkajs";
import { Fault, formatReason, gatherCalls, type Logger, sleep, type Time } from "@sluice/kernel";
import { commitFailed, consumerFailed, outsideLog, brokerUnavailable, unknownTopic } from "../faults.ts";
import { consumerRetry } from "./client.ts";
import { crashToFault, isUnknownTopic } from "./errors.ts";
import type { KafkaReader } from "./reader.ts";
import { type AssignedLogs, withCommitted } from "./kafkajs/assigned-logs.ts";
import { recordsFrom } from "./records.ts";
import { handOverPartitions } from "../hand-over.ts";
import { sinceAskedMs } from "./protocol/asked-times.ts";
import { spaceFetches } from "./kafkajs/activity.ts";
import { JoinTimes } from "./kafkajs/join-times.ts";
import { delayJoin, loopHeartbeatMs, pollIntervalMs } from "./kafkajs/kafkajs-repairs.ts";
import { isReportedNow, rereadDelayMs } from "../unreadable-batch.ts";
import type { AssignedOffsets, Consumer, ConsumerOptions, TopicPartition, UnreadableBatch } from "../port.ts";

export interface KafkaConsumerOptions {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly reader: Pick<KafkaReader, "ends">;
  readonly time: Time;
  readonly logger: Logger;
  readonly fetchSpacingMs: number;
  nextEpoch(): number;
}

interface AskedPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
  readonly epoch: number;
}

interface Commit {
  readonly partition: TopicPartition;
  readonly nextOffset: bigint;
  readonly epoch: number;
}

interface Assignment {
  readonly partition: TopicPartition;
  readonly epoch: number;
  /** Null until `assigned` has resolved. */
  nextOffset: bigint | null;
  isPaused: boolean;
  /** The batch at which the partition stands and how often it could not be read; null while all can be read (#6). */
  stopped: { readonly firstOffset: bigint; readings: number; isWaiting: boolean } | null;
}

const askAgainMs = 500;
/** Partitions in one commit. */
const commitsMax = 1_000;
/**
 * Compressed bytes of one fetch answer; decompressed it may be ten times as large. With 4 MiB a scheduler with a
 * backlog took 100 MiB more.
 */
const fetchBytesMax = 512 * 1024;
/** Bytes of one partition in it; a larger batch comes whole. With 1 MiB a dispatcher's full topic took 130 MiB more. */
const partitionBytesMax = 128 * 1024;
const sessionTimeoutMs = 6000;
const rebalanceTimeoutMs = 10_000;

export class KafkaConsumer implements Consumer {
  readonly #consumed: ConsumerOptions;
  readonly #options: KafkaConsumerOptions;
  readonly #client: KafkajsConsumer;
  readonly #commits: (commit: Commit) => Promise<null>;
  #assignments = new Map<string, Assignment>();
  #isOver = false;
  #isAllPaused = false;
  #isHandingOver = false;
  #isAssigned = false;
  readonly #joinTimes: JoinTimes;
  /** When the coordinator was asked for the newest of its answers, of the monotonic clock. */
  #answeredAtMs: number | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;
  /** Ends the waits before a batch is read again. */
  readonly #ended = new AbortController();

  constructor(consumed: ConsumerOptions, options: KafkaConsumerOptions) {
    this.#consumed = consumed;
    this.#options = options;
    this.#joinTimes = new JoinTimes(options.time);
    this.#commits = gatherCalls({ time: options.time, itemsMax: commitsMax, call: (commits) => this.#commitAll(commits) });
    this.#client = options.kafka.consumer({
      groupId: consumed.group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: loopHeartbeatMs,
      maxWaitTimeInMs: pollIntervalMs,
      minBytes: 1,
      maxBytes: fetchBytesMax,
      maxBytesPerPartition: partitionBytesMax,
      allowAutoTopicCreation: false,
      // #5: once this consumer has ended, kafkajs must not restart it.
      retry: { ...consumerRetry, restartOnFailure: async () => !this.#isOver },
    });
  }

  /** Connects. The consumer joins its group only after the caller has received it. */
  async start(): Promise<void> {
    const { topics, group } = this.#consumed;
    this.#listen();
    try {
      await this.#client.connect();
      await this.#client.subscribe({ topics: [...topics], fromBeginning: true });
    } catch (error) {
      await this.#client.disconnect().catch(() => {});
      if (isUnknownTopic(error)) throw unknownTopic(`${group} reads a topic that does not exist: ${topics.join()}`, error);
      throw brokerUnavailable("the broker does not answer", error);
    }
    this.#options.time.after(0, () => {
      if (!this.#isOver) this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#client.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async (payload) => this.#receive(payload),
      });
    } catch (error) {
      this.#fail(consumerFailed("the consumer does not run", error));
    }
  }

  #listen(): void {
    const { events } = this.#client;
    this.#client.on(events.REBALANCING, ({ payload }) => {
      spaceFetches(payload, this.#options.fetchSpacingMs);
      delayJoin(payload, () => this.#handOver(payload.memberId));
    });
    this.#client.on(events.GROUP_JOIN, ({ payload }) => this.#assign(payload.memberAssignment, sinceAskedMs(payload)));
    this.#client.on(events.HEARTBEAT, ({ payload }) => this.#heard(sinceAskedMs(payload)));
    this.#client.on(events.CRASH, ({ payload }) => {
      this.#revokeAll();
      if (!payload.restart) this.#fail(crashToFault(payload.error));
    });
  }

  /** #2 */
  async #handOver(memberId: string | null): Promise<void> {
    const isKnown = memberId !== null && memberId !== "";
    this.#joinTimes.begin();
    if (isKnown && !this.#isOver) {
      this.#isHandingOver = true;
      await handOverPartitions([...this.#assignments.values()], { ...this.#options, handlers: this.#consumed.handlers });
    }
    this.#joinTimes.handedOver();
    this.#revokeAll();
  }

  /** #2 */
  #revokeAll(): void {
    const lost = [...this.#assignments.values()];
    this.#assignments = new Map();
    this.#isAssigned = false;
    for (const { partition, epoch } of lost) this.#consumed.handlers.revoked(partition, epoch);
  }

  /** `ageMs` is that of what the coordinator answered: the milliseconds since it was asked. */
  #heard(ageMs: number): void {
    this.#answeredAtMs = Math.max(this.#answeredAtMs ?? Number.NEGATIVE_INFINITY, this.#options.time.monotonicMs() - ageMs);
  }

  #assign(assignment: Readonly<Record<string, readonly number[]>>, ageMs: number): void {
    this.#revokeAll();
    this.#isHandingOver = false;
    if (this.#isOver) return;
    this.#heard(ageMs);
    this.#isAssigned = true;
    const partitions = Object.values(assignment).flat().length;
    this.#options.logger.info("consumer.joined", { group: this.#consumed.group, partitions, ...this.#joinTimes.end() });
    const epoch = this.#options.nextEpoch();
    for (const [topic, partitions] of Object.entries(assignment)) {
      // #3: paused at once, before the fetch loop continues.
      this.#client.pause([{ topic, partitions: [...partitions] }]);
      const logs = this.#fetchAssignedOffsets({ topic, partitions, epoch });
      for (const partition of partitions.toSorted((a, b) => a - b)) {
        const mine: Assignment = { partition: { topic, partition }, epoch, nextOffset: null, isPaused: false, stopped: null };
        this.#assignments.set(keyFor(mine.partition), mine);
        void this.#take(mine, logs);
      }
    }
  }

  async #take(mine: Assignment, logs: Promise<AssignedLogs | null>): Promise<void> {
    const { topic, partition } = mine.partition;
    try {
      const log = (await logs)?.get(partition) ?? (await this.#fetchOwnOffsets(mine));
      if (log === null || !this.#isCurrent(mine)) return;
      const startAt = await this.#consumed.handlers.assigned(mine.partition, mine.epoch, log);
      if (!this.#isCurrent(mine)) return;
      await this.#requireInside(mine, startAt, log);
      if (!this.#isCurrent(mine)) return;
      mine.nextOffset = startAt;
      this.#client.seek({ topic, partition, offset: startAt.toString() });
      this.#resumeFetch(mine);
    } catch (error) {
      if (this.#isCurrent(mine)) this.#fail(error);
    }
  }

  /**
   * #4: the partition may have grown or lost its start meanwhile, so its ends are fetched again before the answer is
   * refused.
   */
  async #requireInside({ partition, epoch }: Assignment, startAt: bigint, log: AssignedOffsets): Promise<void> {
    if (startAt >= log.logStart && startAt <= log.logEnd) return;
    const now = await this.#fetchOwnOffsets({ partition, epoch });
    if (now === null || (startAt >= now.logStart && startAt <= now.logEnd)) return;
    throw outsideLog(`position ${startAt} of ${keyFor(partition)} lies outside ${now.logStart}…${now.logEnd}`);
  }

  /** Asks the broker until it answers for one partition at least; null if the epoch ends first. */
  async #fetchAssignedOffsets({ topic, partitions, epoch }: AskedPartitions): Promise<AssignedLogs | null> {
    const { admin, reader, time, logger } = this.#options;
    for (;;) {
      try {
        const [ends, groups] = await Promise.all([
          reader.ends(topic, partitions),
          admin.fetchOffsets({ groupId: this.#consumed.group, topics: [topic] }),
        ]);
        const offsets = groups.flatMap((found) => found.partitions).map(({ partition, offset }) => [partition, BigInt(offset)] as const);
        if (ends.size > 0) return withCommitted(ends, new Map(offsets));
        logger.warn("consumer.log-not-answering", { topic, epoch, reason: `no leader of ${partitions.join()}` });
      } catch (error) {
        logger.warn("consumer.log-not-answering", { topic, epoch, reason: formatReason(error) });
      }
      await sleep(time, askAgainMs);
      const isCurrent = [...this.#assignments.values()].some((assignment) => assignment.epoch === epoch);
      if (this.#isOver || !isCurrent) return null;
    }
  }

  /** Asks for one partition alone, so that others start while its leader does not answer. */
  async #fetchOwnOffsets({ partition: { topic, partition }, epoch }: Pick<Assignment, "partition" | "epoch">) {
    return (await this.#fetchAssignedOffsets({ topic, partitions: [partition], epoch }))?.get(partition) ?? null;
  }

  /** #1 */
  #receive(payload: EachBatchPayload): void {
    const { batch } = payload;
    const mine = this.#assignments.get(keyFor(batch));
    // Offsets that are not resolved are fetched again after the resume.
    if (this.#isOver || this.#isAllPaused || this.#isHandingOver || mine === undefined || mine.nextOffset === null) return;
    if (mine.isPaused || mine.stopped?.isWaiting === true) return;
    const { records, unreadable } = recordsFrom(batch.messages, mine.nextOffset);
    const readTo = unreadable === null ? BigInt(batch.lastOffset()) : records.at(-1)?.offset;
    if (readTo !== undefined) {
      payload.resolveOffset(readTo.toString());
      mine.nextOffset = readTo + 1n;
    }
    try {
      if (records.length > 0) this.#consumed.handlers.records(mine.partition, mine.epoch, records);
    } catch (error) {
      this.#fail(error);
    }
    if (unreadable === null) mine.stopped = null;
    else void this.#stopAt(mine, unreadable);
  }

  /** #6 */
  async #stopAt(mine: Assignment, batch: UnreadableBatch): Promise<void> {
    const { topic, partition } = mine.partition;
    const readings = mine.stopped?.firstOffset === batch.firstOffset ? mine.stopped.readings + 1 : 1;
    const stopped = { firstOffset: batch.firstOffset, readings, isWaiting: true };
    mine.stopped = stopped;
    this.#client.pause([{ topic, partitions: [partition] }]);
    try {
      const isSkipped = isReportedNow(batch, readings) && (await this.#isSkipped(mine, batch));
      if (!isSkipped) await sleep(this.#options.time, rereadDelayMs(readings), this.#ended.signal);
      if (!this.#isCurrent(mine)) return;
      if (isSkipped) {
        mine.nextOffset = batch.lastOffset + 1n;
        mine.stopped = null;
        this.#client.seek({ topic, partition, offset: mine.nextOffset.toString() });
      }
      stopped.isWaiting = false;
      this.#resumeFetch(mine);
    } catch (error) {
      if (this.#isCurrent(mine)) this.#fail(error);
    }
  }

  async #isSkipped(mine: Assignment, batch: UnreadableBatch): Promise<boolean> {
    try {
      return (await this.#consumed.handlers.unreadable(batch, mine.epoch)) === "skip";
    } catch (error) {
      if (error instanceof Fault && error.isRetryable) return false;
      throw error;
    }
  }

  #resumeFetch(mine: Assignment): void {
    if (mine.nextOffset === null || mine.isPaused || this.#isAllPaused || mine.stopped?.isWaiting === true) return;
    this.#client.resume([{ topic: mine.partition.topic, partitions: [mine.partition.partition] }]);
  }

  #isCurrent(mine: Assignment): boolean {
    return !this.#isOver && this.#assignments.get(keyFor(mine.partition)) === mine;
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#assignments = new Map();
    this.#consumed.handlers.failed(reason instanceof Error ? reason : consumerFailed("a handler failed", reason));
    void this.#leave();
  }

  pause(partition: TopicPartition): void {
    const mine = this.#assignments.get(keyFor(partition));
    if (mine === undefined) return;
    mine.isPaused = true;
    this.#client.pause([{ topic: partition.topic, partitions: [partition.partition] }]);
  }

  resume(partition: TopicPartition): void {
    const mine = this.#assignments.get(keyFor(partition));
    if (mine === undefined) return;
    mine.isPaused = false;
    this.#resumeFetch(mine);
  }

  /** #7 */
  async commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void> {
    await this.#commits({ partition, nextOffset, epoch });
  }

  async #commitAll(commits: readonly Commit[]): Promise<readonly null[]> {
    const current = commits.filter(({ partition, epoch }) => this.#assignments.get(keyFor(partition))?.epoch === epoch);
    const offsets = current.map(({ partition, nextOffset }) => ({ ...partition, offset: nextOffset.toString() }));
    try {
      if (offsets.length > 0) await this.#client.commitOffsets(offsets);
    } catch (error) {
      throw commitFailed(`${current.map(({ partition }) => keyFor(partition)).join()}: not committed`, error);
    }
    return commits.map(() => null);
  }

  heartbeatAgeMs(): number {
    return this.#answeredAtMs === null ? Number.POSITIVE_INFINITY : this.#options.time.monotonicMs() - this.#answeredAtMs;
  }

  assignedCount(): number | null {
    return this.#isAssigned ? this.#assignments.size : null;
  }

  pauseAll(): void {
    this.#isAllPaused = true;
    for (const { partition } of this.#assignments.values()) {
      this.#client.pause([{ topic: partition.topic, partitions: [partition.partition] }]);
    }
  }

  stop(): Promise<void> {
    this.#isAllPaused = true;
    this.#revokeAll();
    this.#isOver = true;
    return this.#leave();
  }

  #leave(): Promise<void> {
    this.#ended.abort();
    this.#stopping ??= this.#disconnect();
    return this.#stopping;
  }

  async #disconnect(): Promise<void> {
    try {
      await this.#client.disconnect();
      await this.#running;
    } catch (error) {
      // The group will notice by the missing heartbeats.
      this.#options.logger.warn("consumer.leave-failed", { group: this.#consumed.group, reason: formatReason(error) });
    }
  }
}

function keyFor({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
