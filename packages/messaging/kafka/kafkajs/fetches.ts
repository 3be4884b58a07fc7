// What a member of a group fetches from one broker. kafkajs works out for each fetch what changes only with a join or
// with new metadata: the partitions of the broker, in time that grows with their square, and whether topics have grown.
// With twelve partitions that took longer than everything else that a fetch with one record asks for.
//
// #1 The partitions of a broker are worked out once for each metadata of a generation.
// #2 A partition without records in the answer is no batch. kafkajs passes an empty one through its queue of workers.
// #3 A broker that names a replica to read from gets kafkajs's own fetch from then on, which follows it. Replicas
//    change without new metadata, so nothing is kept then.
// #4 The begin of a partition that had no leader when the member joined is asked for until it is known.

import Batch, { type FetchedBatch } from "kafkajs/src/consumer/batch.js";
import type { ConsumerGroup, OffsetManager, TopicPartitions } from "kafkajs/src/consumer/consumerGroup.js";
import type { Metadata } from "kafkajs/src/protocol/requests/metadata/index.js";
import type { FetchAnswer, FetchedPartition, FetchTopic } from "kafkajs/src/protocol/requests/fetch/index.js";

/** What a generation fetches, as long as the metadata stays the same (#1). */
interface Plan {
  readonly metadata: Metadata | null;
  readonly assigned: readonly TopicPartitions[];
  readonly byNode: Map<string, readonly TopicPartitions[]>;
  isChecked: boolean;
}

interface Wanted {
  /** The partitions of the broker that are not paused. */
  readonly topics: readonly TopicPartitions[];
  /** Whether any partition of the member is paused. */
  readonly isAnyPaused: boolean;
}

const plans = new WeakMap<OffsetManager, Plan>();
const resolved = new WeakSet<OffsetManager>();
const followsReplicas = new WeakSet<OffsetManager>();

/** Returns what the member may fetch from the broker now. */
export function findWanted(group: ConsumerGroup, nodeId: string): Wanted {
  const { subscriptionState, offsetManager } = group;
  const plan = offsetManager === null ? buildPlan(group) : keepPlan(group, offsetManager);
  const isPaused = (topic: string, partition: number): boolean => subscriptionState.isPaused(topic, partition);
  const topics: TopicPartitions[] = [];
  for (const { topic, partitions } of onNode(group, plan, nodeId)) {
    const active = partitions.filter((partition) => !isPaused(topic, partition));
    if (active.length > 0) topics.push({ topic, partitions: active });
  }
  return { topics, isAnyPaused: plan.assigned.some(({ topic, partitions }) => partitions.some((one) => isPaused(topic, one))) };
}

function keepPlan(group: ConsumerGroup, offsetManager: OffsetManager): Plan {
  const known = followsReplicas.has(offsetManager) ? undefined : plans.get(offsetManager);
  if (known !== undefined && known.metadata === group.cluster.brokerPool.metadata) return known;
  const plan = buildPlan(group);
  plans.set(offsetManager, plan);
  return plan;
}

function buildPlan({ cluster, subscriptionState }: ConsumerGroup): Plan {
  return { metadata: cluster.brokerPool.metadata, assigned: subscriptionState.assigned(), byNode: new Map(), isChecked: false };
}

function onNode(group: ConsumerGroup, { assigned, byNode }: Plan, nodeId: string): readonly TopicPartitions[] {
  const known = byNode.get(nodeId);
  if (known !== undefined) return known;
  const found = group.filterPartitionsByNode(nodeId, assigned);
  byNode.set(nodeId, found);
  return found;
}

/** Fetches in the place of kafkajs, whose own fetch is `original`. `wait` waits where there is nothing to ask for. */
export async function fetchFrom(
  group: ConsumerGroup,
  nodeId: string,
  original: ConsumerGroup["fetch"],
  wait: () => Promise<void>,
): Promise<readonly FetchedBatch[]> {
  const { offsetManager } = group;
  if (offsetManager === null || followsReplicas.has(offsetManager)) return await original.call(group, nodeId);
  try {
    return await fetchBatches(group, offsetManager, nodeId, wait);
  } catch (error) {
    await group.recoverFromFetch(error instanceof Error ? error : new Error(String(error)));
    return [];
  }
}

async function fetchBatches(
  group: ConsumerGroup,
  offsetManager: OffsetManager,
  nodeId: string,
  wait: () => Promise<void>,
): Promise<readonly FetchedBatch[]> {
  const { cluster, seekOffset, maxWaitTime, minBytes, maxBytes, isolationLevel, rackId } = group;
  await cluster.refreshMetadataIfNecessary();
  const plan = keepPlan(group, offsetManager);
  if (!plan.isChecked) group.checkForStaleAssignment();
  plan.isChecked = true;
  if (seekOffset.size > 0 || !resolved.has(offsetManager)) await group.seekOffsets(onNode(group, plan, nodeId));
  resolved.add(offsetManager);
  const topics = askFor(group, offsetManager, findWanted(group, nodeId).topics);
  // The coordinator has not said where they begin.
  if (topics.length === 0) return await wait().then(() => []);
  const broker = await cluster.findBroker({ nodeId });
  const answer = await broker.fetch({ maxWaitTime, minBytes, maxBytes, isolationLevel, topics, rackId });
  return readBatches(group, offsetManager, topics, answer);
}

function askFor(group: ConsumerGroup, offsetManager: OffsetManager, wanted: readonly TopicPartitions[]): readonly FetchTopic[] {
  const committed = offsetManager.committedOffsets();
  return wanted.flatMap(({ topic, partitions }) => {
    const asked = partitions
      .filter((partition) => committed[topic]?.[partition] !== undefined)
      .map((partition) => ({
        partition,
        fetchOffset: offsetManager.nextOffset(topic, partition).toString(),
        maxBytes: group.maxBytesPerPartition,
      }));
    // #4
    if (asked.length < partitions.length) resolved.delete(offsetManager);
    return asked.length === 0 ? [] : [{ topic, partitions: asked }];
  });
}

function readBatches(
  group: ConsumerGroup,
  offsetManager: OffsetManager,
  topics: readonly FetchTopic[],
  { responses }: FetchAnswer,
): readonly FetchedBatch[] {
  const batches: FetchedBatch[] = [];
  for (const { topicName, partitions } of responses) {
    const asked = topics.find(({ topic }) => topic === topicName)?.partitions ?? [];
    for (const answered of partitions) {
      // #3
      if (answered.preferredReadReplica !== -1) followsReplicas.add(offsetManager);
      if (answered.messages.length === 0 || !isStillWanted(group, topicName, answered)) continue;
      const fetchOffset = asked.find(({ partition }) => partition === answered.partition)?.fetchOffset;
      if (fetchOffset !== undefined) batches.push(new Batch(topicName, fetchOffset, answered));
    }
  }
  return batches;
}

/** Records in the batches of a fetch. */
export function countRecords(batches: readonly FetchedBatch[]): number {
  return batches.reduce((sum, { rawMessages }) => sum + rawMessages.length, 0);
}

function isStillWanted(group: ConsumerGroup, topic: string, { partition }: FetchedPartition): boolean {
  return !group.seekOffset.has(topic, partition) && !group.subscriptionState.isPaused(topic, partition);
}
