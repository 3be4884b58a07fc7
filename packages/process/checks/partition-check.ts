// Compares the topics with the configuration when the broker is opened. A key belongs to a partition by the number of
// partitions, so with another number a service would read a transaction's records in one partition and write them to
// another.
//
// #1 A service looks at its own topics alone, because it has a right to no other.
// #2 A topic that does not exist yet is no difference: what reads it says so.

import { type BrokerService, brokerTopicsOf, partitionedTopics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";

/** The code of the fault by which a process knows that it must not start, and that a restart would not help. */
export const partitionsDiffer = "process.partitions-differ";

/** Throws Fault `process.partitions-differ` that names each topic with another number of partitions than configured. */
export async function requirePartitions(
  messaging: Pick<Messaging, "partitionCount">,
  service: BrokerService,
  configuredCount: number,
): Promise<void> {
  const own = brokerTopicsOf(service).all.filter((topic) => partitionedTopics.includes(topic));
  const found = await Promise.all(own.map(async (topic) => [topic, await messaging.partitionCount(topic)] as const));
  const differences = found.flatMap(([topic, count]) => (count === null || count === configuredCount ? [] : [`${topic} has ${count}`]));
  if (differences.length === 0) return;
  throw new Fault(partitionsDiffer, `partitionCount is ${configuredCount}, but ${differences.join(", ")}`, { isRetryable: false });
}
