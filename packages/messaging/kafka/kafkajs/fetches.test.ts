import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";
import { expect, test } from "vitest";
import { fetchFrom, findWanted } from "./fetches.ts";

const topic = "t";

/** A member with three partitions, two of them on broker 1. Its brokers answer with a record of each one in `full`. */
function member(full: ReadonlySet<number>) {
  const made = {
    plans: 0,
    staleChecks: 0,
    seeks: 0,
    waits: 0,
    asked: [] as unknown[],
    preferredReadReplica: -1,
    paused: new Set<number>(),
  };
  const message = { offset: "5", key: null, value: null, headers: {}, isControlRecord: false };
  const answerFor = (partition: number) => ({
    partition,
    highWatermark: "6",
    abortedTransactions: [],
    preferredReadReplica: made.preferredReadReplica,
    messages: full.has(partition) ? [message] : [],
  });
  const group = {
    maxWaitTime: 5,
    maxBytesPerPartition: 100,
    offsetManager: {
      committedOffsets: (): Record<string, Partial<Record<number, string>>> => ({ [topic]: { 0: "5", 1: "5", 2: "5" } }),
      nextOffset: () => "5",
    },
    seekOffset: { size: 0, has: () => false },
    subscriptionState: {
      assigned: () => [{ topic, partitions: [0, 1, 2] }],
      isPaused: (_: string, partition: number) => made.paused.has(partition),
    },
    filterPartitionsByNode(nodeId: string) {
      made.plans += 1;
      return [{ topic, partitions: nodeId === "1" ? [0, 1] : [2] }];
    },
    checkForStaleAssignment: () => void (made.staleChecks += 1),
    seekOffsets: async () => void (made.seeks += 1),
    cluster: {
      brokerPool: { metadata: {} },
      refreshMetadataIfNecessary: async () => {},
      findBroker: async () => ({
        async fetch({ topics }: { readonly topics: readonly { readonly partitions: readonly { readonly partition: number }[] }[] }) {
          const asked = topics[0]?.partitions.map(({ partition }) => partition) ?? [];
          made.asked.push(asked);
          return { responses: [{ topicName: topic, partitions: asked.map((partition) => answerFor(partition)) }] };
        },
      }),
    },
    async recoverFromFetch(error: Error) {
      throw error;
    },
  };
  const original = async () => [{ isOriginal: true, rawMessages: [] }];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of kafkajs's class that a fetch uses
  const seen = group as unknown as ConsumerGroup;
  return { made, group, seen, fetch: () => fetchFrom(seen, "1", original, async () => void (made.waits += 1)) };
}

test("what a member fetches from a broker is worked out once, until its metadata changes", async () => {
  const { made, group, fetch } = member(new Set());
  for (let count = 0; count < 5; count += 1) await fetch();
  expect(made).toMatchObject({ plans: 1, staleChecks: 1, seeks: 1, asked: Array.from({ length: 5 }, () => [0, 1]) });
  group.cluster.brokerPool.metadata = {};
  await fetch();
  await fetch();
  expect(made).toMatchObject({ plans: 2, staleChecks: 2, seeks: 1 });
});

test("an offset that a partition shall go on from is taken before the next fetch", async () => {
  const { made, group, fetch } = member(new Set());
  await fetch();
  group.seekOffset.size = 1;
  await fetch();
  expect(made.seeks).toBe(2);
});

test("a partition whose begin the coordinator could not say at first is asked for again, until it is known", async () => {
  const { made, group, fetch } = member(new Set());
  const known: Partial<Record<number, string>> = { 0: "5", 2: "5" };
  group.offsetManager.committedOffsets = () => ({ [topic]: known });
  await fetch();
  group.seekOffsets = () => Promise.reject(new Error("its leader does not answer yet"));
  await expect(fetch()).rejects.toThrow("its leader does not answer yet");
  group.seekOffsets = async () => void (known[1] = "5");
  await fetch();
  expect(made.asked).toEqual([[0], [0, 1]]);
});

test("while no begin is known nothing is asked for, and the member waits", async () => {
  const { made, group, fetch } = member(new Set());
  group.offsetManager.committedOffsets = () => ({});
  expect(await fetch()).toEqual([]);
  expect([made.waits, made.asked]).toEqual([1, []]);
});

test("a partition that is paused is not asked for, and one without records is no batch", async () => {
  const { made, seen, fetch } = member(new Set([1]));
  expect(await fetch()).toMatchObject([{ topic, partition: 1 }]);
  made.paused.add(1);
  expect(findWanted(seen, "1")).toEqual({ topics: [{ topic, partitions: [0] }], isAnyPaused: true });
  expect(await fetch()).toEqual([]);
  expect(made.asked).toEqual([[0, 1], [0]]);
  made.paused.add(0);
  expect(findWanted(seen, "1").topics).toEqual([]);
});

test("a batch of a partition that was paused during the fetch is dropped", async () => {
  const { made, group, fetch } = member(new Set([0, 1]));
  const { findBroker } = group.cluster;
  group.cluster.findBroker = async () => {
    made.paused.add(0);
    return await findBroker();
  };
  expect(await fetch()).toMatchObject([{ partition: 1 }]);
});

test("a broker that names a replica to read from is followed by kafkajs's own fetch", async () => {
  const { made, fetch } = member(new Set());
  made.preferredReadReplica = 2;
  expect(await fetch()).toEqual([]);
  expect(await fetch()).toMatchObject([{ isOriginal: true }]);
});

test("a replica that a broker has named is fetched from, as soon as kafkajs knows it", async () => {
  const { made, group, seen, fetch } = member(new Set());
  expect(findWanted(seen, "2").topics).toEqual([{ topic, partitions: [2] }]);
  made.preferredReadReplica = 2;
  await fetch();
  group.filterPartitionsByNode = (nodeId) => [{ topic, partitions: nodeId === "2" ? [0, 1, 2] : [] }];
  expect([findWanted(seen, "1").topics, findWanted(seen, "2").topics]).toEqual([[], [{ topic, partitions: [0, 1, 2] }]]);
});
