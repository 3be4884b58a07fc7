// The topics that the console may ask for, each with how many records it keeps: offsets between its begin and its end.

import { brokerTopicsOf, topics } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";

export interface TopicSizesPorts {
  readonly messaging: Pick<Messaging, "ends">;
  readonly partitionCount: number;
}

export async function loadTopicSizes(ports: TopicSizesPorts) {
  return await Promise.all(brokerTopicsOf("console").all.map((topic) => loadTopic(ports, topic)));
}

/** The probe has one partition. */
async function loadTopic({ messaging, partitionCount }: TopicSizesPorts, topic: string) {
  const count = topic === topics.probe ? 1 : partitionCount;
  const ends = await messaging.ends(Array.from({ length: count }, (_, partition) => ({ topic, partition })));
  const kept = ends.map(({ logStart, logEnd }) => logEnd - logStart);
  return {
    topic,
    partitions: count,
    records: kept.reduce((sum, one) => sum + one, 0n),
    largest: kept.reduce((most, one) => (one > most ? one : most), 0n),
  };
}
