// The Kafka adapter of the port, over kafkajs. It passes `conformance/` as the memory adapter does. The trouble table
// in README.md lists what kafkajs gets wrong and the rule for each; its letters are cited where a rule is kept.

import type { Admin, Kafka } from "kafkajs";
import { Fault, type Logger, type Metrics, type Time } from "@sluice/kernel";
import { clientClosed, brokerUnavailable, unknownTopic } from "../faults.ts";
import { createKafkaClient, type KafkaConnection } from "./client.ts";
import { KafkaConsumer } from "./consumer.ts";
import { KafkaProducer } from "./producer.ts";
import { KafkaReader } from "./reader.ts";
import { shareQuestions } from "./sharing/shared-questions.ts";
import { TopicSizes } from "./topic-sizes.ts";
import type { ConsumerOptions, LogIdentity, PartitionEnds, Messaging, ReceivedRecord, TopicPartition } from "../port.ts";

export type { KafkaConnection } from "./client.ts";

export interface KafkaMessagingOptions {
  readonly connection: KafkaConnection;
  /**
   * Most milliseconds that a record waits for others while many are sent. Set it to trade latency for throughput; 2 ms
   * by default.
   */
  readonly busyLingerMaxMs?: number;
  /**
   * Least milliseconds between two fetches while records come in quick succession, so that several come together; 5 by
   * default. A record after a pause waits for nothing.
   */
  readonly fetchSpacingMs?: number;
  readonly time: Time;
  readonly logger: Logger;
  /** Metrics for how long the broker takes to acknowledge; left out, nothing is measured. */
  readonly metrics?: Pick<Metrics, "gauge" | "histogram">;
}

const fetchSpacingDefaultMs = 5;

/** Connects at the first call. A call that finds no broker rejects with a retryable Fault. */
export function createKafkaMessaging(options: KafkaMessagingOptions): Messaging {
  return new KafkaMessaging(options);
}

class KafkaMessaging implements Messaging {
  readonly #time: Time;
  readonly #log: Logger;
  readonly #kafka: Kafka;
  readonly #admin: Admin;
  readonly #reader: KafkaReader;
  readonly #sizes: TopicSizes;
  readonly #questions: Pick<Messaging, "ends" | "identity">;
  readonly #sending: Pick<KafkaMessagingOptions, "busyLingerMaxMs" | "metrics">;
  readonly #producers: KafkaProducer[] = [];
  readonly #consumers: KafkaConsumer[] = [];
  readonly #fetchSpacingMs: number;
  #epoch = 0;
  #connecting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor({ connection, time, logger, fetchSpacingMs = fetchSpacingDefaultMs, ...sending }: KafkaMessagingOptions) {
    this.#sending = sending;
    this.#fetchSpacingMs = fetchSpacingMs;
    this.#time = time;
    this.#log = logger;
    this.#kafka = createKafkaClient(connection, logger);
    this.#admin = this.#kafka.admin();
    this.#reader = new KafkaReader(connection, this.#kafka, time);
    this.#sizes = new TopicSizes(this.#admin, time);
    this.#questions = shareQuestions({ ends: (asked) => this.#findEnds(asked), identity: (topic) => this.#findIdentity(topic) }, time);
  }

  async producer(name: string): Promise<KafkaProducer> {
    await this.#connected();
    const producer = new KafkaProducer({
      ...this.#sending,
      kafka: this.#kafka,
      sizes: this.#sizes,
      name,
      time: this.#time,
      logger: this.#log,
    });
    await producer.connect();
    this.#producers.push(producer);
    return producer;
  }

  async consumer(consumed: ConsumerOptions): Promise<KafkaConsumer> {
    await this.#connected();
    const consumer = new KafkaConsumer(consumed, {
      kafka: this.#kafka,
      admin: this.#admin,
      reader: this.#reader,
      time: this.#time,
      logger: this.#log,
      fetchSpacingMs: this.#fetchSpacingMs,
      nextEpoch: () => (this.#epoch += 1),
    });
    await consumer.start();
    this.#consumers.push(consumer);
    return consumer;
  }

  async partitionCount(topic: string): Promise<number | null> {
    await this.#connected();
    await this.#sizes.learn([topic]);
    return this.#sizes.count(topic);
  }

  identity(topic: string): Promise<LogIdentity> {
    return this.#questions.identity(topic);
  }

  async #findIdentity(topic: string): Promise<LogIdentity> {
    await this.#requireKnown([{ topic, partition: 0 }]);
    return await this.#reader.identity(topic);
  }

  ends(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnds[]> {
    return this.#questions.ends(partitions);
  }

  async #findEnds(partitions: readonly TopicPartition[]): Promise<readonly PartitionEnds[]> {
    await this.#requireKnown(partitions);
    const byPlace = new Map<string, PartitionEnds>();
    for (const topic of new Set(partitions.map((asked) => asked.topic))) {
      const asked = partitions.filter((place) => place.topic === topic).map(({ partition }) => partition);
      for (const [partition, ends] of await this.#reader.ends(topic, [...new Set(asked)])) byPlace.set(`${topic}/${partition}`, ends);
    }
    return partitions.map(({ topic, partition }) => {
      const found = byPlace.get(`${topic}/${partition}`);
      if (found === undefined) throw brokerUnavailable(`the ends of ${topic}/${partition} cannot be read: it has no leader`);
      return found;
    });
  }

  async committedOffsets(group: string, partitions: readonly TopicPartition[]): Promise<readonly (bigint | null)[]> {
    await this.#requireKnown(partitions);
    const byPlace = new Map<string, bigint>();
    for (const { topic, partitions: found } of await this.#committed(group, [...new Set(partitions.map((asked) => asked.topic))])) {
      for (const { partition, offset } of found) byPlace.set(`${topic}/${partition}`, BigInt(offset));
    }
    return partitions.map(({ topic, partition }) => {
      const offset = byPlace.get(`${topic}/${partition}`);
      return offset === undefined || offset < 0n ? null : offset;
    });
  }

  async *read(partition: TopicPartition, from: bigint, to: bigint): AsyncGenerator<ReceivedRecord> {
    const [ends] = await this.ends([partition]);
    if (ends !== undefined) yield* this.#reader.read(partition, ends, from, to);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const consumer of this.#consumers) await consumer.stop();
    for (const producer of this.#producers) await producer.close();
    await this.#reader.close();
    await this.#connecting?.catch(() => {});
    await this.#admin.disconnect();
  }

  async #committed(groupId: string, topics: string[]) {
    try {
      return await this.#admin.fetchOffsets({ groupId, topics });
    } catch (error) {
      throw brokerUnavailable(`the offsets of ${groupId} cannot be read`, error);
    }
  }

  async #requireKnown(partitions: readonly TopicPartition[]): Promise<void> {
    await this.#connected();
    await this.#sizes.learn(partitions.map(({ topic }) => topic));
    const missing = partitions.find((asked) => !this.#sizes.has(asked));
    if (missing !== undefined) throw unknownTopic(`there is no ${missing.topic}/${missing.partition}`);
  }

  async #connected(): Promise<void> {
    if (this.#closing !== null) throw clientClosed("this client is closed");
    this.#connecting ??= this.#admin.connect();
    try {
      await this.#connecting;
    } catch (error) {
      this.#connecting = null;
      throw error instanceof Fault ? error : brokerUnavailable("no broker can be reached", error);
    }
  }
}
