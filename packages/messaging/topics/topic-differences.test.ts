import { partitionedTopics, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { compareTopic, type TopicFound } from "./topic-differences.ts";
import { buildTopicSpecs } from "./topic-specs.ts";

const specs = buildTopicSpecs({ partitionCount: 12, replication: 3, minInsync: 2 });
const journal = specs.find(({ topic }) => topic === topics.journal)!;
const dispatch = specs.find(({ topic }) => topic === topics.dispatch)!;

function found(spec: typeof journal, changed: Partial<TopicFound> & { config?: Record<string, string> } = {}): TopicFound {
  return { partitions: spec.partitions, replication: spec.replication, ...changed, config: { ...spec.config, ...changed.config } };
}

test("every topic uses append times, only the snapshots are compacted, and journal and proposals are kept for ever", () => {
  expect(specs.map(({ topic }) => topic).toSorted()).toEqual(Object.values(topics).toSorted());
  for (const { topic, config } of specs) {
    const cleanup = topic === topics.transactions ? "compact" : "delete";
    expect(config).toMatchObject({ "message.timestamp.type": "LogAppendTime", "cleanup.policy": cleanup, "min.insync.replicas": "2" });
    expect(config).toMatchObject({ "compression.type": "producer", "max.message.bytes": "1048588" });
  }
  expect(journal.config).toMatchObject({ "retention.ms": "-1", "retention.bytes": "-1" });
  expect(specs.find(({ topic }) => topic === topics.proposals)?.config).toMatchObject({ "retention.ms": "-1", "retention.bytes": "-1" });
  expect(specs.find(({ topic }) => topic === topics.probe)).toMatchObject({ partitions: 1, config: { "retention.ms": "3600000" } });
});

test("every topic is named after Sluice [D1.3]", () => {
  for (const { topic } of specs) expect(topic).toMatch(/^sluice\.[a-z-]+\.v\d+(?:\.dlq)?$/);
});

test("what analysts read is kept for 5 years, postings of events for 30 days, dead letters for 90, the rest shorter or for ever, and each as configured [D10.18] [D10.19] [D10.41]", () => {
  const daysOf = (of: typeof specs) =>
    Object.fromEntries(of.map(({ topic, config }) => [topic, Number(config["retention.ms"]) / 86_400_000]));
  const asked = { dispatch: 1, events: 2, receipts: 3, deadLetters: 4, analytics: 5 };
  const retentionMs = Object.fromEntries(Object.entries(asked).map(([name, days]) => [name, days * 86_400_000])) as typeof asked;
  const chosen = daysOf(buildTopicSpecs({ partitionCount: 12, replication: 3, minInsync: 2, retentionMs }));
  const { dispatch: dispatched, events, receipts, deadLetters } = topics;
  expect([dispatched, events, receipts, deadLetters].map((topic) => chosen[topic])).toEqual([1, 2, 3, 4]);
  const byDefault = daysOf(specs);
  expect([dispatched, events, receipts, deadLetters].map((topic) => byDefault[topic])).toEqual([30, 30, 42, 90]);
  for (const topic of [topics.stateEvents, topics.items, topics.days]) expect([chosen[topic], byDefault[topic]]).toEqual([5, 1_830]);
  for (const topic of [topics.journal, topics.transactions, topics.proposals, topics.audit]) expect(byDefault[topic]).toBeLessThan(0);
});

test("every topic but the probe's has the number of partitions that is asked for [D10.33]", () => {
  for (const partitionCount of [1, 12, 120]) {
    const sized = buildTopicSpecs({ partitionCount, replication: 3, minInsync: 2 });
    const counts = new Map(sized.map(({ topic, partitions }) => [topic, partitions]));
    expect(counts).toEqual(new Map([...partitionedTopics.map((topic) => [topic, partitionCount] as const), [topics.probe, 1]]));
  }
});

test("a topic as specified has no difference", () => {
  for (const spec of specs) expect(compareTopic(spec, found(spec))).toEqual([]);
});

test.for<[string, Partial<TopicFound> & { config?: Record<string, string> }]>([
  ["partitions", { partitions: 13 }],
  ["replication", { replication: 2 }],
  ["message.timestamp.type", { config: { "message.timestamp.type": "CreateTime" } }],
  ["cleanup.policy", { config: { "cleanup.policy": "compact,delete" } }],
  ["retention.ms", { config: { "retention.ms": "157680000000" } }],
  ["retention.bytes", { config: { "retention.bytes": "1000000000000" } }],
  ["min.insync.replicas", { config: { "min.insync.replicas": "1" } }],
  ["compression.type", { config: { "compression.type": "lz4" } }],
  ["compression.type", { config: { "compression.type": "snappy" } }],
  ["max.message.bytes", { config: { "max.message.bytes": "100000" } }],
  ["unclean.leader.election.enable", { config: { "unclean.leader.election.enable": "true" } }],
])("a different %s on the journal is dangerous", ([what, changed]) => {
  expect(compareTopic(journal, found(journal, changed))).toMatchObject([{ topic: topics.journal, what, isDangerous: true }]);
});

test("a compression that can be read, and room for larger batches, are reported and tolerated", () => {
  for (const type of ["zstd", "gzip", "uncompressed"]) {
    expect(compareTopic(journal, found(journal, { config: { "compression.type": type } }))).toMatchObject([{ isDangerous: false }]);
  }
  const larger = found(journal, { config: { "max.message.bytes": "8388608" } });
  expect(compareTopic(journal, larger)).toMatchObject([{ what: "max.message.bytes", isDangerous: false }]);
});

test("a longer retention and more (in-sync) replicas are reported and tolerated; a shorter retention is dangerous", () => {
  const longer = found(dispatch, { replication: 5, config: { "retention.ms": "-1", "min.insync.replicas": "3" } });
  expect(compareTopic(dispatch, longer).map(({ isDangerous }) => isDangerous)).toEqual([false, false, false]);
  const shorter = found(dispatch, { config: { "retention.ms": "1000" } });
  expect(compareTopic(dispatch, shorter)).toMatchObject([{ what: "retention.ms", isDangerous: true }]);
});
