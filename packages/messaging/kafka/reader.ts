// Reads a range of a partition without a group. kafkajs has no such reader, so its cluster is asked directly.
//
// #1 The reading ends at the end that the partition had at its start, so that a growing topic does not prolong it.
// #2 A batch that cannot be read is fetched once more, and then ends the reading with an UnreadableBatchFault.
// #3 If a leader moved or a connection broke, the fetch is repeated, at most `triesMax` times without progress.
// #4 An answer without records is no end: a broker answers so to a client that it throttles, and a new leader to a
//    reader that it has not caught up with. The reader waits and asks again, at most `emptyMaxMs` without a record.
//    Only in a compacted topic is it the end, and only if the leader has everything up to there.
// #5 Ends are asked of the leaders of the partitions asked for, and of no other broker: one that cannot be reached
//    hides the ends of its own partitions alone.

import type { Kafka } from "kafkajs";
import Cluster, { type ClusterBroker } from "kafkajs/src/cluster/index.js";
import type { FetchedMessage } from "kafkajs/src/protocol/requests/fetch/index.js";
import { sleep, type Time } from "@sluice/kernel";
import { outsideLog, brokerUnavailable, readIncomplete } from "../faults.ts";
import { UnreadableBatchFault } from "../unreadable-batch.ts";
import { findUnreadable } from "./protocol/fetch-answer.ts";
import { compactedTopics } from "../topics/topic-specs.ts";
import { clientSettings, type KafkaConnection } from "./client.ts";
import { metadataApi, readIdentityAnswer, writeIdentityRequest } from "./protocol/topic-identity.ts";
import type { LogIdentity, PartitionEnds, ReceivedRecord, TopicPartition } from "../port.ts";

const triesMax = 10;
const tryAgainMs = 300;
/** Longer than a broker throttles a client at once, which is 11 s with its default quota window. */
const emptyMaxMs = 60_000;
/** Milliseconds between two answers without records. */
const emptyWaitMs = 100;
const fetchBytesMax = 4 * 1024 * 1024;
const metadataMaxAgeMs = 300_000;
const readCommitted = 1;

interface Fetched {
  readonly messages: readonly FetchedMessage[];
  /** The end of the partition that the leader knows; null if its answer does not name the partition. */
  readonly knownEnd: bigint | null;
  /** Milliseconds that the broker asks the client to wait. */
  readonly throttledMs: number;
}

export class KafkaReader {
  readonly #cluster: InstanceType<typeof Cluster>;
  readonly #time: Time;
  #connecting: Promise<void> | null = null;

  constructor(connection: KafkaConnection, kafka: Kafka, time: Time) {
    this.#time = time;
    this.#cluster = new Cluster({
      ...clientSettings(connection),
      logger: kafka.logger(),
      metadataMaxAge: metadataMaxAgeMs,
      allowAutoTopicCreation: false,
      maxInFlightRequests: null,
      isolationLevel: readCommitted,
    });
  }

  async *read(partition: TopicPartition, ends: PartitionEnds, from: bigint, to: bigint): AsyncGenerator<ReceivedRecord> {
    if (from < ends.logStart) throw outsideLog(`${partition.topic}/${partition.partition} starts at ${ends.logStart}, beyond ${from}`);
    const end = to < ends.logEnd ? to : ends.logEnd;
    let next = from;
    let unreadableAt: bigint | null = null;
    let emptySinceMs: number | null = null;
    while (next < end) {
      const { messages, knownEnd, throttledMs } = await this.#fetchAgain(partition, next);
      if (messages.length === 0) {
        // #4
        if (compactedTopics.has(partition.topic) && knownEnd !== null && knownEnd >= end) return;
        emptySinceMs ??= this.#time.monotonicMs();
        if (this.#time.monotonicMs() - emptySinceMs >= emptyMaxMs) throw readIncomplete(partition, next, end);
        await sleep(this.#time, Math.min(emptyMaxMs, Math.max(emptyWaitMs, throttledMs)));
        continue;
      }
      emptySinceMs = null;
      const unreadable = findUnreadable(messages);
      for (const message of unreadable === null ? messages : messages.slice(0, -1)) {
        const { offset } = message;
        if (offset < next) continue;
        next = offset + 1n;
        if (offset >= end) return;
        if (!message.isControlRecord) yield message;
      }
      if (unreadable !== null) {
        if (unreadable.firstOffset >= end) return;
        // #2
        if (unreadableAt === unreadable.firstOffset) throw new UnreadableBatchFault(unreadable);
        unreadableAt = unreadable.firstOffset;
      }
    }
  }

  /** #5: returns the ends of those partitions whose leaders answer; rejects if none does. */
  async ends(topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, PartitionEnds>> {
    try {
      return await this.#ends(topic, partitions);
    } catch {
      const answers = await Promise.allSettled(partitions.map(async (partition) => await this.#ends(topic, [partition])));
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? [...answer.value] : []));
      const failed = answers.find((answer) => answer.status === "rejected");
      if (found.length === 0 && failed !== undefined) throw brokerUnavailable(`the ends of ${topic} cannot be read`, failed.reason);
      return new Map(found);
    }
  }

  async #ends(topic: string, partitions: readonly number[]): Promise<ReadonlyMap<number, PartitionEnds>> {
    await this.#connected();
    await this.#cluster.addTargetTopic(topic);
    const asked = partitions.map((partition) => ({ partition }));
    const [ends, starts] = await Promise.all(
      [false, true].map(async (fromBeginning) => await this.#cluster.fetchTopicsOffset([{ topic, fromBeginning, partitions: asked }])),
    );
    const logStarts = new Map(starts?.flatMap((found) => found.partitions).map(({ partition, offset }) => [partition, BigInt(offset)]));
    return new Map(
      ends
        ?.flatMap((found) => found.partitions)
        .flatMap(({ partition, offset }) => {
          const logStart = logStarts.get(partition);
          return logStart === undefined ? [] : [[partition, { logStart, logEnd: BigInt(offset) }] as const];
        }),
    );
  }

  async identity(topic: string): Promise<LogIdentity> {
    let reason: unknown;
    for (let tries = 0; tries < triesMax; tries += 1) {
      if (tries > 0) await sleep(this.#time, tryAgainMs);
      try {
        const broker = await this.#leader({ topic, partition: 0 }, tries > 0);
        const found = await broker.connectionPool.send({
          request: {
            apiKey: metadataApi.key,
            apiVersion: metadataApi.version,
            apiName: "Metadata",
            encode: () => {
              const buffer = writeIdentityRequest(topic);
              return Promise.resolve({ buf: buffer, buffer, size: () => buffer.length });
            },
          },
          response: {
            decode: (payload) => Promise.resolve(readIdentityAnswer(payload)),
            parse: (identity) => Promise.resolve(identity),
          },
        });
        if (found !== null) return found;
      } catch (error) {
        reason = error;
      }
    }
    throw brokerUnavailable(`the identity of ${topic} is not known`, reason);
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {});
    await this.#cluster.disconnect();
  }

  async #fetchAgain(partition: TopicPartition, from: bigint): Promise<Fetched> {
    let reason: unknown;
    for (let tries = 0; tries < triesMax; tries += 1) {
      if (tries > 0) await sleep(this.#time, tryAgainMs);
      try {
        return await this.#fetch(partition, from, tries > 0);
      } catch (error) {
        if (error instanceof Error && error.name === "KafkaJSOffsetOutOfRange") throw outsideLog(error.message);
        reason = error;
      }
    }
    throw brokerUnavailable(`${partition.topic}/${partition.partition} cannot be read`, reason);
  }

  async #connected(): Promise<void> {
    this.#connecting ??= this.#cluster.connect();
    try {
      await this.#connecting;
    } catch (error) {
      this.#connecting = null;
      throw error;
    }
  }

  async #leader({ topic, partition }: TopicPartition, isAgain: boolean): Promise<ClusterBroker> {
    await this.#connected();
    await this.#cluster.addTargetTopic(topic);
    if (isAgain) await this.#cluster.refreshMetadata();
    const [nodeId] = Object.keys(this.#cluster.findLeaderForPartitions(topic, [partition]));
    if (nodeId === undefined) throw brokerUnavailable(`${topic}/${partition} has no leader`);
    return await this.#cluster.findBroker({ nodeId });
  }

  async #fetch({ topic, partition }: TopicPartition, from: bigint, isAgain: boolean): Promise<Fetched> {
    const broker = await this.#leader({ topic, partition }, isAgain);
    const wanted = { partition, fetchOffset: from.toString(), maxBytes: fetchBytesMax };
    const { responses, clientSideThrottleTime } = await broker.fetch({
      isolationLevel: readCommitted,
      maxWaitTime: 100,
      minBytes: 1,
      maxBytes: fetchBytesMax,
      topics: [{ topic, partitions: [wanted] }],
    });
    const answer = responses[0]?.partitions[0];
    return {
      messages: answer?.messages ?? [],
      knownEnd: answer === undefined ? null : BigInt(answer.highWatermark),
      throttledMs: clientSideThrottleTime,
    };
  }
}
