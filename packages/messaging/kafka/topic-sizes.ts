// Knows how many partitions each topic has, and which broker leads each of them.
//
// #1 It asks for the number once per topic, because the number is fixed at provisioning.
// #2 Leaders move. While somebody sends, they are asked for again every 5 s; while a partition has none, or a send has
//    failed, every half second. No send waits for the answer.

import type { Admin } from "kafkajs";
import type { Time } from "@sluice/kernel";
import { brokerUnavailable } from "../faults.ts";
import { isUnknownTopic } from "./errors.ts";
import type { TopicPartition } from "../port.ts";

/** A broker's number; null: no broker leads the partition. */
export type Leader = number | null;

const leadersMaxAgeMs = 5_000;
const doubtedMaxAgeMs = 500;

export class TopicSizes {
  readonly #admin: Pick<Admin, "fetchTopicMetadata">;
  readonly #time: Time;
  /** The leader of each partition, by topic. */
  readonly #leadersByTopic = new Map<string, Leader[]>();
  #askedAtMs = 0;
  #isDoubted = false;
  #isAsking = false;

  constructor(admin: Pick<Admin, "fetchTopicMetadata">, time: Time) {
    this.#admin = admin;
    this.#time = time;
  }

  has({ topic, partition }: TopicPartition): boolean {
    return Number.isInteger(partition) && partition >= 0 && partition < (this.#leadersByTopic.get(topic)?.length ?? 0);
  }

  /** Answers the number of partitions of a topic that was asked for before; null: it is not known. */
  count(topic: string): number | null {
    return this.#leadersByTopic.get(topic)?.length ?? null;
  }

  hasAll(places: readonly TopicPartition[]): boolean {
    for (const place of places) if (!this.has(place)) return false;
    return true;
  }

  knowsAll(places: readonly TopicPartition[]): boolean {
    return places.every(({ topic }) => this.#leadersByTopic.has(topic));
  }

  leader({ topic, partition }: TopicPartition): Leader {
    return this.#leadersByTopic.get(topic)?.[partition] ?? null;
  }

  /** A send to it found no leader, or one that refuses it: others are refused until the leaders were asked again. */
  lost({ topic, partition }: TopicPartition): void {
    const leaders = this.#leadersByTopic.get(topic);
    if (leaders !== undefined) leaders[partition] = null;
    this.doubt();
  }

  /** A send has failed: the leaders may be others by now. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** #2: asks for the leaders in the background, if it is time. */
  refreshWhenDue(): void {
    const ageMs = this.#time.monotonicMs() - this.#askedAtMs;
    if (this.#isAsking || ageMs < (this.#isDoubted ? doubtedMaxAgeMs : leadersMaxAgeMs)) return;
    void this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#isAsking = true;
    this.#isDoubted = false;
    const topics = [...this.#leadersByTopic.keys()];
    try {
      await this.#ask(topics);
    } catch (error) {
      this.#isDoubted = true;
      // A topic that is gone hides no other's leaders.
      if (isUnknownTopic(error)) for (const topic of topics) await this.#ask([topic]).catch(() => {});
    }
    this.#askedAtMs = this.#time.monotonicMs();
    this.#isAsking = false;
  }

  /**
   * Asks for the topics that are not known yet. Topics that do not exist stay unknown and are asked for again next
   * time.
   */
  async learn(topics: readonly string[]): Promise<void> {
    for (const topic of new Set(topics)) {
      if (this.#leadersByTopic.has(topic)) continue;
      try {
        await this.#ask([topic]);
      } catch (error) {
        if (!isUnknownTopic(error)) throw brokerUnavailable("the broker does not answer", error);
      }
    }
  }

  async #ask(topics: string[]): Promise<void> {
    const { topics: found } = await this.#admin.fetchTopicMetadata({ topics });
    for (const { name, partitions } of found) {
      const leaders = this.#leadersByTopic.get(name) ?? Array.from<Leader>({ length: partitions.length }).fill(null);
      for (const { partitionId, leader } of partitions) {
        if (partitionId < leaders.length) leaders[partitionId] = leader < 0 ? null : leader;
      }
      if (leaders.length > 0) this.#leadersByTopic.set(name, leaders);
      this.#isDoubted ||= leaders.includes(null);
    }
  }
}
