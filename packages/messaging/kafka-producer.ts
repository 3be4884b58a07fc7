// The producer over kafkajs.
//
// #1 One `sendBatch` is under way at a time, never raced with a time-out of our own (A); the send queue sees to it.
// #2 Every record names its partition; the answer's (topic, partition) set is compared with the set sent, and what is missing is
//    sent again (B: kafkajs resolves although it skipped partitions whose leader moved).
// #3 After an error kafkajs's producer is thrown away: its sequence numbers are no longer known to be right (A).
// #4 A topic or partition that does not exist is refused before kafkajs hears of it: kafkajs would fail all later sends with it.

import kafkajs from "kafkajs";
import type { Kafka, ProducerBatch, RecordMetadata } from "kafkajs";
import type { Time } from "@sluice/runtime";
import { Fault } from "@sluice/runtime";
import type { Histogram, Log, Metrics } from "@sluice/telemetry";
import { closed, refused, unknownOutcome } from "./faults.ts";
import { GroupedRecords } from "./grouped-records.ts";
import { callRetry } from "./kafka-client.ts";
import type { TopicSizes } from "./kafka-topic-sizes.ts";
import type { Appended, OutgoingRecord, Producer } from "./port.ts";
import type { SendQueue } from "./send-queue.ts";
import { createSendQueue } from "./send-queue.ts";

const resendsMax = 5;

export interface KafkaProducerOptions {
  readonly kafka: Kafka;
  readonly sizes: TopicSizes;
  readonly name: string;
  /** As the send queue's. */
  readonly busyLingerMaxMs?: number;
  readonly metrics?: Pick<Metrics, "histogram">;
  readonly time: Time;
  readonly log: Log;
}

/** kafkajs's message is our record: `produce-request.ts` writes it. */
export interface OutgoingBatch extends Pick<ProducerBatch, "acks" | "compression"> {
  readonly topicMessages: readonly { readonly topic: string; readonly messages: readonly OutgoingRecord[] }[];
}

/** What is used of kafkajs's producer; tests bring their own. */
export interface BatchSender {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  sendBatch(batch: OutgoingBatch): Promise<readonly RecordMetadata[]>;
}

export class KafkaProducer implements Producer {
  readonly #options: KafkaProducerOptions;
  readonly #createSender: () => BatchSender;
  readonly #queue: SendQueue;
  readonly #appendSeconds: Histogram | null;
  #sender: BatchSender | null = null;
  #learning: Promise<void> | null = null;
  /** Sends that wait for the sizes of their topics, or were queued after it. */
  readonly #unqueued = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: KafkaProducerOptions, createSender: () => BatchSender = () => idempotentSender(options.kafka)) {
    this.#options = options;
    this.#createSender = createSender;
    const { metrics = null } = options;
    this.#appendSeconds =
      metrics?.histogram("sluice_log_append_seconds", "How long the log took to acknowledge a batch, repeats included.", ["producer"]) ??
      null;
    this.#queue = createSendQueue({
      time: options.time,
      lingerMs: 2,
      ...(options.busyLingerMaxMs === undefined ? {} : { busyLingerMaxMs: options.busyLingerMaxMs }),
      batchRecordsMax: 1_500,
      batchPartitionBytesMax: 700_000,
      recordBytesMax: 1_000_000,
      waitingRecordsMax: 50_000,
      transmit: (records) => this.#transmit(records),
    });
  }

  async connect(): Promise<void> {
    await this.#connected();
  }

  send(records: readonly OutgoingRecord[]): Promise<readonly Appended[]> {
    if (this.#isClosed) return Promise.reject(closed("the producer is closed"));
    if (this.#learning === null && this.#options.sizes.knowsAll(records)) return this.#sendKnown(records);
    const sent = this.#learn(records).then(() => this.#sendKnown(records));
    this.#unqueued.add(sent);
    void sent.catch(() => {}).finally(() => this.#unqueued.delete(sent));
    return sent;
  }

  /** #4 */
  #sendKnown(records: readonly OutgoingRecord[]): Promise<readonly Appended[]> {
    const missing = records.find((record) => !this.#options.sizes.has(record));
    if (missing === undefined) return this.#queue.send(records);
    return Promise.reject(refused(`there is no ${missing.topic}/${missing.partition}`, { isRetryable: false }));
  }

  /** Sends wait for those before them, so that call order stays. */
  async #learn(records: readonly OutgoingRecord[]): Promise<void> {
    const before = this.#learning ?? Promise.resolve();
    const learnt = before.then(() => this.#options.sizes.learn(records.map(({ topic }) => topic)));
    const settled = learnt.catch(() => {});
    this.#learning = settled;
    try {
      await learnt;
    } catch (error) {
      throw refused("the log does not say which topics it has", { isRetryable: true, cause: error });
    } finally {
      if (this.#learning === settled) this.#learning = null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#unqueued);
    await this.#queue.close();
    await this.#throwAway();
  }

  async #connected(): Promise<BatchSender> {
    if (this.#sender !== null) return this.#sender;
    const sender = this.#createSender();
    try {
      await sender.connect();
    } catch (error) {
      await sender.disconnect().catch(() => {});
      throw refused("no producer can be had of the log", { isRetryable: true, cause: error });
    }
    this.#sender = sender;
    return sender;
  }

  async #throwAway(): Promise<void> {
    const sender = this.#sender;
    this.#sender = null;
    // What it may still reject with is known already.
    await sender?.disconnect().catch(() => {});
  }

  async #transmit(records: readonly OutgoingRecord[]): Promise<readonly Appended[]> {
    const sender = await this.#connected();
    const { time } = this.#options;
    const startedMs = time.monotonicMs();
    try {
      const bases = await this.#sendAll(sender, records);
      this.#appendSeconds?.observe((time.monotonicMs() - startedMs) / 1_000, { producer: this.#options.name });
      return appendedOf(records, bases);
    } catch (error) {
      const { name, log } = this.#options;
      log.warn("producer.thrown-away", { producer: name, reason: error instanceof Error ? error.message : String(error) });
      void this.#throwAway();
      throw error instanceof Fault ? error : unknownOutcome("the log did not acknowledge the records", error);
    }
  }

  /** #2 */
  async #sendAll(sender: BatchSender, records: readonly OutgoingRecord[]): Promise<Bases> {
    const bases: Bases = new Map();
    let left = records;
    for (let sends = 0; left.length > 0; sends += 1) {
      if (sends > resendsMax) throw unknownOutcome(`the answer still lacks partitions after ${resendsMax} repeats`);
      if (sends > 0) this.#options.log.warn("producer.sent-again", { producer: this.#options.name, records: left.length });
      for (const answer of await sender.sendBatch(batchOf(left))) keepFirst(bases, answer);
      left = left.filter((record) => !isPlaced(bases, record));
    }
    return bases;
  }
}

/** Of a topic's partitions, by number: where the next of the records sent lies. */
type Bases = Map<string, (Base | undefined)[]>;

interface Base {
  nextOffset: bigint;
  readonly appendedAtMs: number;
}

function isPlaced(bases: Bases, { topic, partition }: OutgoingRecord): boolean {
  return bases.get(topic)?.[partition] !== undefined;
}

/** A leader that moved may make kafkajs append a partition's part twice and name it twice: the first is the record's place. */
function keepFirst(bases: Bases, { topicName: topic, partition, baseOffset = "-1", logAppendTime = "-1" }: RecordMetadata): void {
  const nextOffset = BigInt(baseOffset);
  const appendedAtMs = Number(logAppendTime);
  if (nextOffset < 0n || appendedAtMs < 0) throw unknownOutcome(`${topic}/${partition} does not answer with offset and append time`);
  const known = bases.get(topic) ?? [];
  bases.set(topic, known);
  const before = known[partition];
  if (before === undefined || nextOffset < before.nextOffset) known[partition] = { nextOffset, appendedAtMs };
}

function appendedOf(records: readonly OutgoingRecord[], bases: Bases): readonly Appended[] {
  return records.map(({ topic, partition }) => {
    const base = bases.get(topic)?.[partition];
    if (base === undefined) throw unknownOutcome(`${topic}/${partition} is missing in the answer`);
    const { nextOffset: offset, appendedAtMs } = base;
    base.nextOffset += 1n;
    return { topic, partition, offset, appendedAtMs };
  });
}

function batchOf(records: readonly OutgoingRecord[]): OutgoingBatch {
  const byTopic = new Map<string, GroupedRecords>();
  for (const record of records) {
    const messages = byTopic.get(record.topic) ?? new GroupedRecords();
    messages.push(record);
    byTopic.set(record.topic, messages);
  }
  const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
  return { topicMessages, acks: -1, compression: kafkajs.CompressionTypes.ZSTD };
}

function idempotentSender(kafka: Kafka): BatchSender {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: callRetry,
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition ?? 0,
  });
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- repair 8
    sendBatch: (batch) => producer.sendBatch(batch as unknown as ProducerBatch),
  };
}
