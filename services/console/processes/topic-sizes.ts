// The topics, each with how many records it keeps: offsets between its begin and its end.

import { topics } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";

export interface TopicSizesPorts {
  readonly messaging: Pick<Messaging, "ends">;
  readonly partitionCount: number;
}

export async function loadTopicSizes(ports: TopicSizesPorts) {
  return await Promise.all(Object.values(topics).map((topic) => loadTopic(ports, topic)));
}

/** The probe has one partition. A topic that cannot be asked is shown as not known: the others are not hidden by it. */
async function loadTopic({ messaging, partitionCount }: TopicSizesPorts, topic: string) {
  const count = topic === topics.probe ? 1 : partitionCount;
  const places = Array.from({ length: count }, (_, partition) => ({ topic, partition }));
  const ends = await messaging.ends(places).catch(() => null);
  return {
    topic,
    partitions: ends === null ? null : count,
    records: ends === null ? null : ends.reduce((sum, { logStart, logEnd }) => sum + (logEnd - logStart), 0n),
    largest: ends === null ? null : ends.reduce((most, { logStart, logEnd }) => (logEnd - logStart > most ? logEnd - logStart : most), 0n),
  };
}
