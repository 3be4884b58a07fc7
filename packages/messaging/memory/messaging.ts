// The memory adapter of the port: one broker, many clients, and faults on demand. `time` and `random` decide
// everything, so that a seed under a virtual clock always gives the same run. It passes `conformance/` as the Kafka
// adapter does.

import { type Random, sleep, type Time } from "@sluice/kernel";
import { clientClosed, outsideLog, readIncomplete } from "../faults.ts";
import { MemoryConsumer } from "./consumer.ts";
import { createMemoryGroups, type MemoryGroups } from "./groups.ts";
import { UnreadableBatchFault } from "../unreadable-batch.ts";
import { type BrokenRange, createMemoryRecords, endsOf, type MemoryRecords } from "./records.ts";
import { createMemoryNetwork, type MemoryNetwork, type NetworkLink } from "./network.ts";
import { createMemoryProducer, type ProduceFate } from "./producer.ts";
import type { Messaging, OutgoingRecord, PartitionEnds, Producer, ReceivedRecord, TopicPartition } from "../port.ts";

export type { ProduceFate } from "./producer.ts";

export interface MemoryHooks {
  /** Decides the fate of a batch; without this hook every batch is appended. */
  produce?(client: string, batch: readonly OutgoingRecord[]): ProduceFate;
  /** Decides what a broker answers to a reader; without this hook it answers what it has. */
  fetch?(client: string, partition: TopicPartition): FetchFate;
  /** Sees every call of the port and every hand-over in order. Trace hashes are made of these. */
  observe?(client: string, operation: string, key: string, bytes: Uint8Array): void;
}

/**
 * `nothing`: an answer without records, as a broker gives it to a client that it throttles. `behind`: the leader is a
 * new one, and does not know all records yet: a reading of a range ends early.
 */
export type FetchFate = "answer" | "nothing" | "behind";

export interface MemoryBrokerOptions {
  readonly time: Time;
  readonly random: Random;
  /** Number of partitions by topic. */
  readonly topics: Readonly<Record<string, number>>;
  readonly hooks?: MemoryHooks;
  /** Its cluster id; `memory` by default. */
  readonly clusterId?: string;
  /** The wall clock of the broker that leads the partition; `time.nowMs` by default. */
  readonly brokerNowMs?: (partition: TopicPartition) => number;
  /** Latency of one way; 0.2 to 3 ms by default. */
  readonly latencyMinMs?: number;
  readonly latencyMaxMs?: number;
  /** Defaults as in the Kafka adapter: 1,500, 6,000 and 10,000 ms. */
  readonly heartbeatIntervalMs?: number;
  readonly sessionTimeoutMs?: number;
  readonly unavailableAfterMs?: number;
  /** Most records in one hand-over, 100 by default; the seed picks a number from 1 up to it. */
  readonly fetchRecordsMax?: number;
}

/** One process's view of the broker, with epochs of its own. */
export interface MemoryClient extends Messaging {
  /** Ends the process: no call is answered, nothing is revoked, and a batch in flight is appended or lost at random. */
  kill(): void;
  /**
   * Blocks all traffic in both directions for this long. If it outlasts the session, the client loses its partitions.
   */
  cut(durationMs: number): void;
}

/** The broker itself, and a first client of it. */
export interface MemoryBroker extends MemoryClient {
  client(name: string): MemoryClient;
  addTopic(topic: string, partitions: number): void;
  setBroker(isUp: boolean): void;
  /** Takes the partition's leader away, or gives it back: without one nobody can append to it or read it. */
  setLeader(partition: TopicPartition, isThere: boolean): void;
  rebalance(group: string): void;
  /** Returns every record of a partition at once and unobserved, for checkers. */
  records(partition: TopicPartition): readonly ReceivedRecord[];
  committedOffset(group: string, partition: TopicPartition): bigint | null;
  truncate(partition: TopicPartition, before: bigint): void;
  skipOffset(partition: TopicPartition): void;
  /** Makes a range of records unreadable, as a damaged batch is; null makes the whole partition readable again. */
  breakBatch(partition: TopicPartition, broken: BrokenRange | null): void;
}

interface Broker {
  readonly options: MemoryBrokerOptions;
  readonly records: MemoryRecords;
  readonly network: MemoryNetwork;
  readonly groups: MemoryGroups;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
}

const readPageRecordsMax = 500;
/** Milliseconds between two answers without records, and how long a reading of a range bears them. */
const emptyWaitMs = 100;
const emptyMaxMs = 60_000;

export function createMemoryBroker(options: MemoryBrokerOptions): MemoryBroker {
  const { time, random } = options;
  const records = createMemoryRecords(options.topics, options.brokerNowMs ?? (() => time.nowMs()));
  const network = createMemoryNetwork({
    time,
    random,
    latencyMinMs: options.latencyMinMs ?? 0.2,
    latencyMaxMs: options.latencyMaxMs ?? 3,
    unavailableAfterMs: options.unavailableAfterMs ?? 10_000,
  });
  const heartbeatIntervalMs = options.heartbeatIntervalMs ?? 1500;
  const groups = createMemoryGroups({ time, random, records, network, heartbeatIntervalMs });
  const broker: Broker = { options, records, network, groups, heartbeatIntervalMs, sessionTimeoutMs: options.sessionTimeoutMs ?? 6000 };
  return {
    ...createClient(broker, "main"),
    client: (name) => createClient(broker, name),
    addTopic: (topic, partitions) => records.addTopic(topic, partitions),
    setBroker: (isUp) => network.setBroker(isUp),
    setLeader: (partition, isThere) => records.setLeader(partition, isThere),
    rebalance: (group) => groups.rebalance(group),
    records: (partition) => records.all(partition),
    committedOffset: (group, partition) => groups.committed(group, partition),
    truncate: (partition, before) => records.truncate(partition, before),
    skipOffset: (partition) => records.skipOffset(partition),
    breakBatch: (partition, broken) => records.breakBatch(partition, broken),
  };
}

function createClient(broker: Broker, name: string): MemoryClient {
  const { options, records, network, groups } = broker;
  const { time, random, hooks } = options;
  const link = network.connect(name);
  const producers: Producer[] = [];
  const consumers: MemoryConsumer[] = [];
  let isClosed = false;
  let epoch = 0;
  const observe: Observe = (operation, key, bytes) => hooks?.observe?.(name, operation, key, bytes);
  const fate = (client: string, batch: readonly OutgoingRecord[]): ProduceFate => hooks?.produce?.(client, batch) ?? { kind: "append" };

  function requireOpen(): void {
    if (isClosed) throw clientClosed("this client is closed");
  }

  return {
    async producer(producer) {
      requireOpen();
      observe("producer", producer, new Uint8Array());
      await link.call(() => null);
      const made = createMemoryProducer({ time, random, records, link, fate, observe });
      producers.push(made);
      return made;
    },
    async consumer(consumed) {
      requireOpen();
      observe("consumer", consumed.group, new Uint8Array());
      await link.call(() => consumed.topics.map((topic) => records.partitionCount(topic)));
      const { heartbeatIntervalMs } = broker;
      const fetchRecordsMax = options.fetchRecordsMax ?? 100;
      const nextEpoch = (): number => (epoch += 1);
      const fetchFate = (partition: TopicPartition): FetchFate =>
        records.hasLeader(partition) ? (hooks?.fetch?.(name, partition) ?? "answer") : "nothing";
      const shared = { time, random, records, groups, link, heartbeatIntervalMs, fetchRecordsMax, nextEpoch, observe, fetchFate };
      const made = new MemoryConsumer(consumed, shared);
      consumers.push(made);
      return made;
    },
    ...createReads(broker, link, requireOpen, observe),
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const consumer of consumers) await consumer.stop();
      for (const producer of producers) await producer.close();
    },
    kill() {
      if (link.isDead) return;
      link.kill();
      // The session ends less than its full length after the kill, because its last heartbeat was earlier.
      const silentMs = broker.sessionTimeoutMs - random.fraction() * 1.9 * broker.heartbeatIntervalMs;
      time.after(Math.max(0, silentMs), () => groups.expire(link));
    },
    cut(durationMs) {
      link.cut(durationMs);
      if (durationMs <= broker.sessionTimeoutMs) return;
      time.after(broker.sessionTimeoutMs, () => groups.expire(link));
      time.after(durationMs, () => {
        for (const consumer of consumers) consumer.rejoin();
      });
    },
  };
}

type Observe = (operation: string, key: string, bytes: Uint8Array) => void;

function createReads(
  broker: Broker,
  link: NetworkLink,
  requireOpen: () => void,
  observe: Observe,
): Pick<Messaging, "partitionCount" | "identity" | "ends" | "committedOffsets" | "read"> {
  const { records } = broker;
  return {
    async partitionCount(topic) {
      requireOpen();
      return await link.call(() => (records.has({ topic, partition: 0 }) ? records.partitionCount(topic) : null));
    },
    async identity(topic) {
      requireOpen();
      const clusterId = broker.options.clusterId ?? "memory";
      return await link.call(() => {
        records.partitionCount(topic);
        return { clusterId, topicId: topic };
      });
    },
    async ends(partitions) {
      requireOpen();
      observe("ends", partitions.map(({ topic, partition }) => `${topic}/${partition}`).join(), new Uint8Array());
      return await link.call(() => partitions.map((partition) => endsOf(records, partition)));
    },
    async committedOffsets(group, partitions) {
      requireOpen();
      observe("committed-offsets", group, new Uint8Array());
      return await link.call(() => committedIn(broker, group, partitions));
    },
    read(partition, from, to) {
      requireOpen();
      observe("read", `${partition.topic}/${partition.partition}@${from}…${to}`, new Uint8Array());
      return readRecords(broker, link, partition, from, to);
    },
  };
}

function committedIn({ records, groups }: Broker, group: string, partitions: readonly TopicPartition[]): readonly (bigint | null)[] {
  for (const partition of partitions) records.ends(partition);
  return partitions.map((partition) => groups.committed(group, partition));
}

async function* readRecords(
  { options, records }: Broker,
  link: NetworkLink,
  partition: TopicPartition,
  from: bigint,
  to: bigint,
): AsyncGenerator<ReceivedRecord> {
  const { time, hooks } = options;
  const fetchFate = (): FetchFate => hooks?.fetch?.(link.client, partition) ?? "answer";
  const known = await link.call(() => endsOf(records, partition));
  const { logStart } = known;
  const logEnd = fetchFate() === "behind" ? behindEnd(known, options.random) : known.logEnd;
  if (from < logStart) throw outsideLog(`${partition.topic}/${partition.partition} starts at ${logStart}, beyond ${from}`);
  const end = to < logEnd ? to : logEnd;
  let next = from;
  let emptySinceMs: number | null = null;
  while (next < end) {
    const start = next;
    if (fetchFate() === "nothing") {
      emptySinceMs ??= time.monotonicMs();
      if (time.monotonicMs() - emptySinceMs >= emptyMaxMs) throw readIncomplete(partition, next, end);
      await sleep(time, emptyWaitMs);
      continue;
    }
    emptySinceMs = null;
    const { page, unreadable } = await link.call(() => readPage(records, partition, start));
    const inside = page.filter((record) => record.offset < end);
    yield* inside;
    const last = inside.at(-1);
    if (last !== undefined) next = last.offset + 1n;
    if (unreadable !== null && unreadable.firstOffset < end) throw new UnreadableBatchFault(unreadable);
    if (last === undefined) return;
  }
}

/** Draws an end that a leader knows who does not have all records yet. */
function behindEnd({ logStart, logEnd }: PartitionEnds, random: Random): bigint {
  return logStart + BigInt(Math.floor(random.fraction() * Number(logEnd - logStart)));
}

function readPage(records: MemoryRecords, partition: TopicPartition, from: bigint) {
  const page = records.slice(partition, from, readPageRecordsMax);
  const last = page.at(-1);
  return { page, unreadable: records.unreadableAt(partition, last === undefined ? from : last.offset + 1n) };
}
