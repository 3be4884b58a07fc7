// Knows how many partitions each topic has. It asks once per topic, because the number is fixed at provisioning.

import type { Admin } from "kafkajs";
import { brokerUnavailable } from "../faults.ts";
import { isUnknownTopic } from "./errors.ts";
import type { TopicPartition } from "../port.ts";

export class TopicSizes {
  readonly #admin: Admin;
  readonly #partitionsByTopic = new Map<string, number>();

  constructor(admin: Admin) {
    this.#admin = admin;
  }

  has({ topic, partition }: TopicPartition): boolean {
    return Number.isInteger(partition) && partition >= 0 && partition < (this.#partitionsByTopic.get(topic) ?? 0);
  }

  /** Answers the number of partitions of a topic that was asked for before; null: it is not known. */
  count(topic: string): number | null {
    return this.#partitionsByTopic.get(topic) ?? null;
  }

  knowsAll(places: readonly TopicPartition[]): boolean {
    return places.every(({ topic }) => this.#partitionsByTopic.has(topic));
  }

  /**
   * Asks for the topics that are not known yet. Topics that do not exist stay unknown and are asked for again next
   * time.
   */
  async learn(topics: readonly string[]): Promise<void> {
    for (const topic of new Set(topics)) {
      if (this.#partitionsByTopic.has(topic)) continue;
      try {
        const { topics: found } = await this.#admin.fetchTopicMetadata({ topics: [topic] });
        const partitions = found[0]?.partitions.length ?? 0;
        if (partitions > 0) this.#partitionsByTopic.set(topic, partitions);
      } catch (error) {
        if (!isUnknownTopic(error)) throw brokerUnavailable("the broker does not answer", error);
      }
    }
  }
}
