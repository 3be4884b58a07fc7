// The consumer over kafkajs.
//
// #1 The handler hands records over and returns at once (C, D), resolves what it handed over (K), and never throws (F).
// #2 Every join revokes everything and raises every epoch (M). The start of a join revokes; its end assigns.
// #3 A partition is held paused until `assigned` was answered; then it is sought and resumed.
// #4 An answer outside the log ends the consumer (L): kafkajs would start somewhere else without a word.
// #5 A crash that kafkajs does not restart from ends the consumer (F).
// #6 `commit` is for what is ours in the current epoch (M). `stop` leaves the group after all else (E).

import type { Admin, Consumer as KafkajsConsumer, EachBatchPayload, Kafka } from "kafkajs";
import type { Time } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { commitFailed, consumerFailed, outsideLog, unavailable, unknownTopic } from "./faults.ts";
import { consumerRetry } from "./kafka-client.ts";
import { isUnknownTopic } from "./kafka-errors.ts";
import { receivedFrom } from "./kafka-records.ts";
import { pollIntervalMs } from "./kafkajs-repairs.ts";
import type { AssignedLog, Consumer, ConsumerOptions, TopicPartition } from "./port.ts";

export interface KafkaConsumerOptions {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly time: Time;
  readonly log: Log;
  nextEpoch(): number;
}

interface Held {
  readonly partition: TopicPartition;
  readonly epoch: number;
  /** Null until `assigned` was answered. */
  nextOffset: bigint | null;
  isPaused: boolean;
}

const askAgainMs = 500;
/** Of one answer, compressed: what is read into memory may be ten times as much. Measured: with 4 MiB a scheduler with a backlog took 100 MiB more. */
const fetchBytesMax = 512 * 1024;
/** Of one partition in it: what a lane reads ahead. A larger batch comes whole. Measured: with a mebibyte a dispatcher with a full topic took 130 MiB more. */
const partitionBytesMax = 128 * 1024;
export const sessionTimeoutMs = 6000;
export const heartbeatIntervalMs = 1500;
export const rebalanceTimeoutMs = 10_000;

export class KafkaConsumer implements Consumer {
  readonly #consumed: ConsumerOptions;
  readonly #options: KafkaConsumerOptions;
  readonly #client: KafkajsConsumer;
  #held = new Map<string, Held>();
  #isOver = false;
  #isAllPaused = false;
  #answeredAtMs: number | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;

  constructor(consumed: ConsumerOptions, options: KafkaConsumerOptions) {
    this.#consumed = consumed;
    this.#options = options;
    this.#client = options.kafka.consumer({
      groupId: consumed.group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs,
      maxWaitTimeInMs: pollIntervalMs,
      minBytes: 1,
      maxBytes: fetchBytesMax,
      maxBytesPerPartition: partitionBytesMax,
      allowAutoTopicCreation: false,
      // #5: what kafkajs would restart from is not restarted once this consumer is over.
      retry: { ...consumerRetry, restartOnFailure: async () => !this.#isOver },
    });
  }

  /** Connects; the group is joined after the caller has this consumer in hand. */
  async start(): Promise<void> {
    const { topics, group } = this.#consumed;
    this.#listen();
    try {
      await this.#client.connect();
      await this.#client.subscribe({ topics: [...topics], fromBeginning: true });
    } catch (error) {
      await this.#client.disconnect().catch(() => {});
      if (isUnknownTopic(error)) throw unknownTopic(`${group} reads a topic that does not exist: ${topics.join()}`, error);
      throw unavailable("the log does not answer", error);
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
    const { time } = this.#options;
    this.#client.on(events.REBALANCING, () => this.#revokeAll());
    this.#client.on(events.GROUP_JOIN, ({ payload }) => this.#assign(payload.memberAssignment));
    this.#client.on(events.HEARTBEAT, () => void (this.#answeredAtMs = time.monotonicMs()));
    this.#client.on(events.CRASH, ({ payload }) => {
      this.#revokeAll();
      if (!payload.restart) this.#fail(consumerFailed(`the consumer crashed: ${payload.error.message}`, payload.error));
    });
  }

  /** #2 */
  #revokeAll(): void {
    const lost = [...this.#held.values()];
    this.#held = new Map();
    for (const { partition, epoch } of lost) this.#consumed.handlers.revoked(partition, epoch);
  }

  #assign(assignment: Readonly<Record<string, readonly number[]>>): void {
    this.#revokeAll();
    if (this.#isOver) return;
    this.#answeredAtMs = this.#options.time.monotonicMs();
    const epoch = this.#options.nextEpoch();
    for (const [topic, partitions] of Object.entries(assignment)) {
      // #3: at once, before the fetch loop goes on.
      this.#client.pause([{ topic, partitions: [...partitions] }]);
      const logs = this.#logsOf(topic, epoch);
      for (const partition of partitions.toSorted((a, b) => a - b)) {
        const mine: Held = { partition: { topic, partition }, epoch, nextOffset: null, isPaused: false };
        this.#held.set(placeOf(mine.partition), mine);
        void this.#take(mine, logs);
      }
    }
  }

  async #take(mine: Held, logs: Promise<ReadonlyMap<number, AssignedLog> | null>): Promise<void> {
    const { topic, partition } = mine.partition;
    try {
      const log = (await logs)?.get(partition);
      if (log === undefined || !this.#isMine(mine)) return;
      const startAt = await this.#consumed.handlers.assigned(mine.partition, mine.epoch, log);
      if (!this.#isMine(mine)) return;
      await this.#requireInside(mine, startAt, log);
      if (!this.#isMine(mine)) return;
      mine.nextOffset = startAt;
      this.#client.seek({ topic, partition, offset: startAt.toString() });
      if (!mine.isPaused && !this.#isAllPaused) this.#client.resume([{ topic, partitions: [partition] }]);
    } catch (error) {
      if (this.#isMine(mine)) this.#fail(error);
    }
  }

  /** #4: the log may have grown, or lost its start, since it was asked; so it is asked again before the answer is refused. */
  async #requireInside({ partition, epoch }: Held, startAt: bigint, log: AssignedLog): Promise<void> {
    if (startAt >= log.logStart && startAt <= log.logEnd) return;
    const now = (await this.#logsOf(partition.topic, epoch))?.get(partition.partition);
    if (now === undefined || (startAt >= now.logStart && startAt <= now.logEnd)) return;
    throw outsideLog(`position ${startAt} of ${placeOf(partition)} lies outside ${now.logStart}…${now.logEnd}`);
  }

  /** Asks until the log answers, or the epoch is over (null). */
  async #logsOf(topic: string, epoch: number): Promise<ReadonlyMap<number, AssignedLog> | null> {
    for (;;) {
      try {
        return await logsOf(this.#options.admin, this.#consumed.group, topic);
      } catch (error) {
        this.#options.log.warn("consumer.log-not-answering", { topic, epoch, reason: String(error) });
      }
      await sleep(this.#options.time, askAgainMs);
      const isCurrent = [...this.#held.values()].some((held) => held.epoch === epoch);
      if (this.#isOver || !isCurrent) return null;
    }
  }

  /** #1 */
  #receive(payload: EachBatchPayload): void {
    const { batch } = payload;
    const mine = this.#held.get(placeOf(batch));
    // Not resolved, so fetched again after the resume.
    if (this.#isOver || this.#isAllPaused || mine === undefined || mine.nextOffset === null || mine.isPaused) return;
    const records = receivedFrom(batch.messages, mine.nextOffset);
    payload.resolveOffset(batch.lastOffset());
    mine.nextOffset = BigInt(batch.lastOffset()) + 1n;
    if (records.length === 0) return;
    try {
      this.#consumed.handlers.records(mine.partition, mine.epoch, records);
    } catch (error) {
      this.#fail(error);
    }
  }

  #isMine(mine: Held): boolean {
    return !this.#isOver && this.#held.get(placeOf(mine.partition)) === mine;
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = new Map();
    this.#consumed.handlers.failed(reason instanceof Error ? reason : consumerFailed("a handler failed", reason));
    void this.#leave();
  }

  pause(partition: TopicPartition): void {
    const mine = this.#held.get(placeOf(partition));
    if (mine === undefined) return;
    mine.isPaused = true;
    this.#client.pause([{ topic: partition.topic, partitions: [partition.partition] }]);
  }

  resume(partition: TopicPartition): void {
    const mine = this.#held.get(placeOf(partition));
    if (mine === undefined) return;
    mine.isPaused = false;
    if (mine.nextOffset !== null && !this.#isAllPaused) {
      this.#client.resume([{ topic: partition.topic, partitions: [partition.partition] }]);
    }
  }

  /** #6 */
  async commit(partition: TopicPartition, nextOffset: bigint, epoch: number): Promise<void> {
    if (this.#held.get(placeOf(partition))?.epoch !== epoch) return;
    try {
      await this.#client.commitOffsets([{ ...partition, offset: nextOffset.toString() }]);
    } catch (error) {
      throw commitFailed(`${placeOf(partition)} was not committed`, error);
    }
  }

  heartbeatAgeMs(): number {
    return this.#answeredAtMs === null ? Number.POSITIVE_INFINITY : this.#options.time.monotonicMs() - this.#answeredAtMs;
  }

  pauseAll(): void {
    this.#isAllPaused = true;
    for (const { partition } of this.#held.values()) {
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
    this.#stopping ??= this.#disconnect();
    return this.#stopping;
  }

  async #disconnect(): Promise<void> {
    try {
      await this.#client.disconnect();
      await this.#running;
    } catch (error) {
      // The group will miss its heartbeats.
      this.#options.log.warn("consumer.left-without-word", { group: this.#consumed.group, reason: String(error) });
    }
  }
}

async function logsOf(admin: Admin, group: string, topic: string): Promise<ReadonlyMap<number, AssignedLog>> {
  const [ends, groups] = await Promise.all([admin.fetchTopicOffsets(topic), admin.fetchOffsets({ groupId: group, topics: [topic] })]);
  const committed = new Map(groups.flatMap(({ partitions }) => partitions).map(({ partition, offset }) => [partition, BigInt(offset)]));
  return new Map(
    ends.map(({ partition, low, high }) => {
      const offset = committed.get(partition) ?? -1n;
      return [partition, { logStart: BigInt(low), logEnd: BigInt(high), committed: offset < 0n ? null : offset }];
    }),
  );
}

function placeOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
