// The producer over kafkajs.
//
// #1 One `sendBatch` is in flight at a time and never raced with a time-out of our own (A). The send queue ensures it.
// #2 Every record names its partition. The partitions in the answer are compared with those sent, and missing ones are
//    sent again (B: kafkajs resolves although it skipped partitions whose leader moved).
// #3 After an error kafkajs's producer is discarded, because its sequence numbers may be wrong (A).
// #4 A topic or partition that does not exist is refused before kafkajs sees it, because kafkajs would fail all later
//    sends too.

import kafkajs, { type Kafka, type ProducerBatch, type RecordMetadata } from "kafkajs";
import { Fault, formatReason, type Gauge, type Histogram, type Logger, type Metrics, type Time } from "@sluice/kernel";
import { clientClosed, requestRefused, unknownOutcome } from "../faults.ts";
import { GroupedRecords } from "./grouped-records.ts";
import { callRetry } from "./client.ts";
import type { TopicSizes } from "./topic-sizes.ts";
import type { AppendResult, OutgoingRecord, Producer } from "../port.ts";
import { createSendQueue, type SendQueue } from "../send-queue.ts";

const resendsMax = 5;

export interface KafkaProducerOptions {
  readonly kafka: Kafka;
  readonly sizes: TopicSizes;
  readonly name: string;
  /** Passed to the send queue. */
  readonly busyLingerMaxMs?: number;
  readonly metrics?: Pick<Metrics, "gauge" | "histogram">;
  readonly time: Time;
  readonly logger: Logger;
}

/** A batch for kafkajs. Its messages are our records, which `produce-request.ts` writes. */
export interface OutgoingBatch extends Pick<ProducerBatch, "acks" | "compression"> {
  readonly topicMessages: readonly { readonly topic: string; readonly messages: readonly OutgoingRecord[] }[];
}

/** The part of kafkajs's producer that is used; tests pass their own. */
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
  /** Batches that the broker has not acknowledged; a log that hangs acknowledges none. */
  readonly #waiting: Gauge | null;
  #waitingCount = 0;
  #sender: BatchSender | null = null;
  #learning: Promise<void> | null = null;
  /** Sends that wait for the sizes of their topics, or behind such a send. */
  readonly #unqueued = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: KafkaProducerOptions, createSender: () => BatchSender = () => idempotentSender(options.kafka)) {
    this.#options = options;
    this.#createSender = createSender;
    const { metrics = null } = options;
    this.#appendSeconds =
      metrics?.histogram("sluice_log_append_seconds", "Seconds that the broker took to acknowledge a batch, including repeats.", [
        "producer",
      ]) ?? null;
    this.#waiting = metrics?.gauge("sluice_log_appends_waiting", "Batches that the broker has not acknowledged.", ["producer"]) ?? null;
    this.#countWaiting(0);
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

  send(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    if (this.#isClosed) return Promise.reject(clientClosed("the producer is closed"));
    if (this.#learning === null && this.#options.sizes.knowsAll(records)) return this.#sendKnown(records);
    const sent = this.#learn(records).then(() => this.#sendKnown(records));
    this.#unqueued.add(sent);
    void sent.catch(() => {}).finally(() => this.#unqueued.delete(sent));
    return sent;
  }

  /** #4 */
  #sendKnown(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    const missing = records.find((record) => !this.#options.sizes.has(record));
    if (missing === undefined) return this.#queue.send(records);
    return Promise.reject(requestRefused(`there is no ${missing.topic}/${missing.partition}`, { isRetryable: false }));
  }

  /** Sends wait for earlier ones, so that call order is kept. */
  async #learn(records: readonly OutgoingRecord[]): Promise<void> {
    const before = this.#learning ?? Promise.resolve();
    const learnt = before.then(() => this.#options.sizes.learn(records.map(({ topic }) => topic)));
    const settled = learnt.catch(() => {});
    this.#learning = settled;
    try {
      await learnt;
    } catch (error) {
      throw requestRefused("the broker does not answer which topics it has", { isRetryable: true, cause: error });
    } finally {
      if (this.#learning === settled) this.#learning = null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#unqueued);
    await this.#queue.close();
    await this.#discardSender();
  }

  async #connected(): Promise<BatchSender> {
    if (this.#sender !== null) return this.#sender;
    const sender = this.#createSender();
    try {
      await sender.connect();
    } catch (error) {
      await sender.disconnect().catch(() => {});
      throw requestRefused("no producer could connect to the broker", { isRetryable: true, cause: error });
    }
    this.#sender = sender;
    return sender;
  }

  async #discardSender(): Promise<void> {
    const sender = this.#sender;
    this.#sender = null;
    // Its error has been handled already.
    await sender?.disconnect().catch(() => {});
  }

  #countWaiting(change: 1 | 0 | -1): void {
    this.#waitingCount += change;
    this.#waiting?.set(this.#waitingCount, { producer: this.#options.name });
  }

  async #transmit(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    this.#countWaiting(1);
    try {
      return await this.#append(records);
    } finally {
      this.#countWaiting(-1);
    }
  }

  async #append(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    const sender = await this.#connected();
    const { time } = this.#options;
    const startedMs = time.monotonicMs();
    try {
      const bases = await this.#sendAll(sender, records);
      this.#appendSeconds?.observe((time.monotonicMs() - startedMs) / 1_000, { producer: this.#options.name });
      return toAppendResults(records, bases);
    } catch (error) {
      const { name, logger } = this.#options;
      logger.warn("producer.discarded", { producer: name, reason: formatReason(error) });
      void this.#discardSender();
      throw error instanceof Fault ? error : unknownOutcome("the broker did not acknowledge the records", error);
    }
  }

  /** #2 */
  async #sendAll(sender: BatchSender, records: readonly OutgoingRecord[]): Promise<Bases> {
    const bases: Bases = new Map();
    let left = records;
    for (let sends = 0; left.length > 0; sends += 1) {
      if (sends > resendsMax) throw unknownOutcome(`the answer still lacks partitions after ${resendsMax} repeats`);
      if (sends > 0) this.#options.logger.warn("producer.sent-again", { producer: this.#options.name, records: left.length });
      for (const answer of await sender.sendBatch(buildBatch(left))) keepFirst(bases, answer);
      left = left.filter((record) => !isPlaced(bases, record));
    }
    return bases;
  }
}

/** By topic and partition number: the place of the next record sent. */
type Bases = Map<string, (Base | undefined)[]>;

interface Base {
  nextOffset: bigint;
  readonly appendedAtMs: number;
}

function isPlaced(bases: Bases, { topic, partition }: OutgoingRecord): boolean {
  return bases.get(topic)?.[partition] !== undefined;
}

/**
 * After a leader moved, kafkajs may append a partition's part twice and name it twice. The first one is the records'
 * place.
 */
function keepFirst(bases: Bases, { topicName: topic, partition, baseOffset = "-1", logAppendTime = "-1" }: RecordMetadata): void {
  const nextOffset = BigInt(baseOffset);
  const appendedAtMs = Number(logAppendTime);
  if (nextOffset < 0n || appendedAtMs < 0) throw unknownOutcome(`${topic}/${partition} does not answer with offset and append time`);
  const known = bases.get(topic) ?? [];
  bases.set(topic, known);
  const before = known[partition];
  if (before === undefined || nextOffset < before.nextOffset) known[partition] = { nextOffset, appendedAtMs };
}

function toAppendResults(records: readonly OutgoingRecord[], bases: Bases): readonly AppendResult[] {
  return records.map(({ topic, partition }) => {
    const base = bases.get(topic)?.[partition];
    if (base === undefined) throw unknownOutcome(`${topic}/${partition} is missing in the answer`);
    const { nextOffset: offset, appendedAtMs } = base;
    base.nextOffset += 1n;
    return { topic, partition, offset, appendedAtMs };
  });
}

function buildBatch(records: readonly OutgoingRecord[]): OutgoingBatch {
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
