import { type BrokerService, partitionedTopics, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { requirePartitions } from "./partition-check.ts";

function check(configuredCount: number, sizes: Readonly<Record<string, number>>, service: BrokerService = "scheduler"): Promise<void> {
  return requirePartitions({ partitionCount: async (topic) => await Promise.resolve(sizes[topic] ?? null) }, service, configuredCount);
}

const sized = (count: number): Record<string, number> => Object.fromEntries(partitionedTopics.map((topic) => [topic, count]));

test.each([1, 12, 120])("topics with the %i partitions that are configured are accepted; the probe has one", async (count) => {
  await expect(check(count, { ...sized(count), [topics.probe]: 1 })).resolves.toBeUndefined();
});

test("each topic with another number of partitions is named", async () => {
  await expect(check(6, { ...sized(6), [topics.journal]: 12, [topics.events]: 1 })).rejects.toMatchObject({
    code: "process.partitions-differ",
    message: "partitionCount is 6, but sluice.journal.v1 has 12, sluice.events.v1 has 1",
    isRetryable: false,
  });
});

test("topics that do not exist yet are accepted", async () => {
  await expect(check(12, {})).resolves.toBeUndefined();
});

test("a service looks at no topic that is not its own", async () => {
  const others = { ...sized(6), [topics.dispatch]: 12, [topics.transactions]: 1 };
  await expect(check(6, others, "ingress")).resolves.toBeUndefined();
  await expect(check(6, others, "dispatcher")).rejects.toThrow("sluice.dispatch.v1 has 12");
});
