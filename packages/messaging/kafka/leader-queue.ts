// Sends what one broker leads: one queue, and one producer of kafkajs. A broker that is gone, or hangs, holds up its
// own queue alone.
//
// #1 One `sendBatch` is in flight at a time and never raced with a time-out of our own (A). The send queue ensures it.
// #2 Every record names its partition. The partitions in the answer are compared with those sent, and missing ones are
//    sent again (B: kafkajs resolves although it skipped partitions whose leader moved).
// #3 A partition that stays missing has no leader (T), and a leader may refuse a partition (V). Its records fail alone.
//    A refused record is not sent again here, because those of other partitions wait behind it.
// #4 After an error kafkajs's producer is discarded, because its sequence numbers may be wrong (A). So it is after a
//    record has failed: its batch may be in the log under the numbers that the next one would get.

import kafkajs, { type ProducerBatch, type RecordMetadata } from "kafkajs";
import { Fault, formatReason, type Logger, type Time } from "@sluice/kernel";
import { requestRefused, unknownOutcome } from "../faults.ts";
import type { AppendResult, OutgoingRecord, TopicPartition } from "../port.ts";
import { createSendQueue, recordBytesMax, type SendQueue } from "../send-queue.ts";
import { GroupedRecords } from "./grouped-records.ts";

const resendsMax = 5;

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

export interface LeaderQueueOptions {
  /** The producer's name. */
  readonly name: string;
  readonly busyLingerMaxMs?: number;
  readonly time: Time;
  readonly logger: Logger;
  createSender(): BatchSender;
  /** Counts batches that the broker has not acknowledged. */
  countWaiting(change: 1 | -1): void;
  acknowledged(seconds: number): void;
  /** A send has failed, of one partition or of all. */
  failed(partition: TopicPartition | null): void;
}

export class LeaderQueue {
  readonly #options: LeaderQueueOptions;
  readonly #queue: SendQueue;
  #sender: BatchSender | null = null;

  constructor(options: LeaderQueueOptions) {
    this.#options = options;
    this.#queue = createSendQueue({
      time: options.time,
      lingerMs: 2,
      ...(options.busyLingerMaxMs === undefined ? {} : { busyLingerMaxMs: options.busyLingerMaxMs }),
      batchRecordsMax: 1_500,
      batchPartitionBytesMax: 700_000,
      recordBytesMax,
      waitingRecordsMax: 50_000,
      transmit: (records) => this.#transmit(records),
    });
  }

  /** Calls `settled` before the promise settles. */
  send(records: readonly OutgoingRecord[], settled: () => void): Promise<readonly AppendResult[]> {
    return this.#queue.send(records, settled);
  }

  async close(): Promise<void> {
    await this.#queue.close();
    await this.#discardSender();
  }

  async #connected(): Promise<BatchSender> {
    if (this.#sender !== null) return this.#sender;
    const sender = this.#options.createSender();
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

  async #transmit(records: readonly OutgoingRecord[]): Promise<readonly (AppendResult | Fault)[]> {
    this.#options.countWaiting(1);
    try {
      return await this.#append(records);
    } finally {
      this.#options.countWaiting(-1);
    }
  }

  async #append(records: readonly OutgoingRecord[]): Promise<readonly (AppendResult | Fault)[]> {
    const { time } = this.#options;
    const startedMs = time.monotonicMs();
    const answers: Answers = { bases: new Map(), refusals: new Map() };
    const { bases, refusals } = answers;
    let lost: readonly OutgoingRecord[];
    try {
      lost = await this.#sendAll(await this.#connected(), records, answers);
    } catch (error) {
      this.#discard(formatReason(error));
      this.#options.failed(null);
      const fault = error instanceof Fault ? error : unknownOutcome("the broker did not acknowledge the records", error);
      if (bases.size === 0) throw fault;
      return toResults(records, bases, (record) => refusalOf(answers, record) ?? fault);
    }
    this.#options.acknowledged((time.monotonicMs() - startedMs) / 1_000);
    const failed = refusals.size === 0 ? lost : records.filter((record) => !isPlaced(bases, record));
    if (failed.length > 0) this.#discard("a partition has no leader, or its leader refuses it");
    for (const record of failed) this.#options.failed(record);
    return toResults(records, bases, (record) => refusalOf(answers, record) ?? withoutLeader(record));
  }

  /** #4 */
  #discard(reason: string): void {
    const { name, logger } = this.#options;
    if (this.#sender !== null) logger.warn("producer.discarded", { producer: name, reason });
    void this.#discardSender();
  }

  /** #2. Returns the records that no broker took or refused. */
  async #sendAll(sender: BatchSender, records: readonly OutgoingRecord[], answers: Answers): Promise<readonly OutgoingRecord[]> {
    let left = records;
    for (let sends = 0; left.length > 0 && sends <= resendsMax; sends += 1) {
      if (sends > 0) this.#options.logger.warn("producer.sent-again", { producer: this.#options.name, records: left.length });
      for (const answer of await sender.sendBatch(buildBatch(left))) keepAnswer(answers, answer);
      left = left.filter((record) => !isPlaced(answers.bases, record) && refusalOf(answers, record) === null);
    }
    return left;
  }
}

/** By topic and partition number: the place of the next record sent. */
type Bases = Map<string, (Base | undefined)[]>;

interface Base {
  nextOffset: bigint;
  readonly appendedAtMs: number;
}

interface Answers {
  readonly bases: Bases;
  /** By topic and partition. */
  readonly refusals: Map<string, Fault>;
}

/** Kafka's errors after which the records are certainly not in the log. After any other one they may be. */
const notAppended: ReadonlyMap<number, string> = new Map([
  [10, "MESSAGE_TOO_LARGE"],
  [19, "NOT_ENOUGH_REPLICAS"],
  [29, "TOPIC_AUTHORIZATION_FAILED"],
]);

function keepAnswer({ bases, refusals }: Answers, answer: RecordMetadata): void {
  const { topicName, partition, errorCode } = answer;
  if (errorCode === 0) return keepFirst(bases, answer);
  const place = `${topicName}/${partition}`;
  const name = notAppended.get(errorCode);
  refusals.set(
    place,
    name === undefined
      ? unknownOutcome(`${place} is not acknowledged by its leader: Kafka's error ${errorCode}`)
      : requestRefused(`${place} is refused by its leader: ${name}`, { isRetryable: true }),
  );
}

function refusalOf({ refusals }: Answers, { topic, partition }: OutgoingRecord): Fault | null {
  return refusals.size === 0 ? null : (refusals.get(`${topic}/${partition}`) ?? null);
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

/** #3 */
function withoutLeader({ topic, partition }: OutgoingRecord): Fault {
  return unknownOutcome(`${topic}/${partition} is missing in the answer: it has no leader`);
}

function toResults(
  records: readonly OutgoingRecord[],
  bases: Bases,
  faultOf: (missing: OutgoingRecord) => Fault,
): readonly (AppendResult | Fault)[] {
  return records.map((record) => {
    const { topic, partition } = record;
    const base = bases.get(topic)?.[partition];
    if (base === undefined) return faultOf(record);
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
