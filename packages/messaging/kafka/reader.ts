// Reads a range of a partition without a group. kafkajs has no such reader, so its cluster is asked directly.
//
// #1 The reading ends at the end that the partition had at its start, so that a growing topic does not prolong it.
// #2 A batch that cannot be read is fetched once more, and then ends the reading with an UnreadableBatchFault.
// #3 If a leader moved or a connection broke, the fetch is repeated, at most `triesMax` times without progress.

import type { Kafka } from "kafkajs";
import Cluster from "kafkajs/src/cluster/index.js";
import type { FetchedMessage } from "kafkajs/src/protocol/requests/fetch/index.js";
import { sleep, type Time } from "@sluice/kernel";
import { outsideLog, brokerUnavailable } from "../faults.ts";
import { UnreadableBatchFault } from "../unreadable-batch.ts";
import { findUnreadable } from "./protocol/fetch-answer.ts";
import { clientSettings, type KafkaConnection } from "./client.ts";
import type { PartitionEnds, ReceivedRecord, TopicPartition } from "../port.ts";

const triesMax = 10;
const tryAgainMs = 300;
const fetchBytesMax = 4 * 1024 * 1024;
const metadataMaxAgeMs = 300_000;
const readCommitted = 1;

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
    while (next < end) {
      const messages = await this.#fetchAgain(partition, next);
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
      // Everything from here to the end of the partition has been compacted away.
      if (messages.length === 0) return;
    }
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {});
    await this.#cluster.disconnect();
  }

  async #fetchAgain(partition: TopicPartition, from: bigint): Promise<readonly FetchedMessage[]> {
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

  async #fetch({ topic, partition }: TopicPartition, from: bigint, isAgain: boolean): Promise<readonly FetchedMessage[]> {
    this.#connecting ??= this.#cluster.connect();
    try {
      await this.#connecting;
    } catch (error) {
      this.#connecting = null;
      throw error;
    }
    await this.#cluster.addTargetTopic(topic);
    if (isAgain) await this.#cluster.refreshMetadata();
    const [nodeId] = Object.keys(this.#cluster.findLeaderForPartitions(topic, [partition]));
    if (nodeId === undefined) throw brokerUnavailable(`${topic}/${partition} has no leader`);
    const broker = await this.#cluster.findBroker({ nodeId });
    const wanted = { partition, fetchOffset: from.toString(), maxBytes: fetchBytesMax };
    const { responses } = await broker.fetch({
      isolationLevel: readCommitted,
      maxWaitTime: 100,
      minBytes: 1,
      maxBytes: fetchBytesMax,
      topics: [{ topic, partitions: [wanted] }],
    });
    return responses[0]?.partitions[0]?.messages ?? [];
  }
}
