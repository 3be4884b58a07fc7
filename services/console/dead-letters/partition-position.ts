// Finds the position of a service in a partition: the first record that it has not handled, from its document or its
// consumer group.

import { groups, topics } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";
import type { Store } from "@sluice/store";

export interface PartitionPositionPorts {
  readonly messaging: Pick<Messaging, "ends" | "committedOffsets">;
  readonly store: Pick<Store, "partitions">;
}

/** Services that read partitions, and the topic of each. */
export const topicByService: Readonly<Record<string, string>> = {
  scheduler: topics.journal,
  validator: topics.journal,
  dispatcher: topics.dispatch,
  "event-publisher": topics.events,
};

/** Null: the service never owned the partition. */
export async function findPartitionPosition(
  { messaging, store }: PartitionPositionPorts,
  service: string,
  partition: number,
): Promise<bigint | null> {
  if (service !== "validator") {
    const document = (await store.partitions.list(service)).find((one) => one.partition === partition);
    return document?.position ?? null;
  }
  const place = { topic: topics.journal, partition };
  const [committed] = await messaging.committedOffsets(groups.validator, [place]);
  const [ends] = await messaging.ends([place]);
  return committed ?? ends?.logStart ?? null;
}
