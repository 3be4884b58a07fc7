// The memory adapter of the port: one log, many clients, and faults on demand. Everything is decided by `time` and `random`,
// so that a run under a virtual clock and a seed is the same run twice. Passes `conformance.ts` as the Kafka adapter does.

import type { Random, Time } from "@sluice/runtime";
import { closed, outsideLog } from "./faults.ts";
import { MemoryConsumer } from "./memory-consumer.ts";
import type { MemoryGroups } from "./memory-groups.ts";
import { createMemoryGroups } from "./memory-groups.ts";
import type { MemoryRecords } from "./memory-log.ts";
import { createMemoryRecords } from "./memory-log.ts";
import type { Link, MemoryNetwork } from "./memory-network.ts";
import { createMemoryNetwork } from "./memory-network.ts";
import type { ProduceFate } from "./memory-producer.ts";
import { createMemoryProducer } from "./memory-producer.ts";
import type { Messaging, OutgoingRecord, Producer, ReceivedRecord, TopicPartition } from "./port.ts";

export type { ProduceFate } from "./memory-producer.ts";

export interface MemoryHooks {
  /** Decides what becomes of a batch; `{ kind: "append" }` without this hook. */
  produce?(client: string, batch: readonly OutgoingRecord[]): ProduceFate;
  /** Sees every call of the port and every hand-over, in order: what a trace hash is made of. */
  observe?(client: string, operation: string, key: string, bytes: Uint8Array): void;
}

export interface MemoryLogOptions {
  readonly time: Time;
  readonly random: Random;
  /** Partitions by topic. */
  readonly topics: Readonly<Record<string, number>>;
  readonly hooks?: MemoryHooks;
  /** The broker's wall clock; `time.nowMs` where none is given. */
  readonly brokerNowMs?: () => number;
  /** One way; 0.2 to 3 ms where none are given. */
  readonly latencyMinMs?: number;
  readonly latencyMaxMs?: number;
  /** As in the Kafka adapter: 1,500, 6,000 and 10,000 ms. */
  readonly heartbeatIntervalMs?: number;
  readonly sessionTimeoutMs?: number;
  readonly unavailableAfterMs?: number;
  /** A hand-over holds 1 to this many records, by the seed; 100. */
  readonly fetchRecordsMax?: number;
}

/** One process's view of the log. Epochs are its own. */
export interface MemoryClient extends Messaging {
  /** The process is gone: no call is answered any more, nothing is revoked, what was on its way is appended by a coin. */
  kill(): void;
  /** Nothing passes for this long, in either direction. Longer than the session: its partitions move on without it. */
  cut(durationMs: number): void;
}

/** The log itself, and a first client of it. */
export interface MemoryLog extends MemoryClient {
  client(name: string): MemoryClient;
  addTopic(topic: string, partitions: number): void;
  setBroker(isUp: boolean): void;
  rebalance(group: string): void;
  /** Every record of a partition as it lies in the log, at once and unobserved: for checkers. */
  records(partition: TopicPartition): readonly ReceivedRecord[];
  committed(group: string, partition: TopicPartition): bigint | null;
  truncate(partition: TopicPartition, before: bigint): void;
  skipOffset(partition: TopicPartition): void;
}

interface Broker {
  readonly options: MemoryLogOptions;
  readonly records: MemoryRecords;
  readonly network: MemoryNetwork;
  readonly groups: MemoryGroups;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
}

const readPageRecordsMax = 500;

export function createMemoryLog(options: MemoryLogOptions): MemoryLog {
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
    rebalance: (group) => groups.rebalance(group),
    records: (partition) => records.all(partition),
    committed: (group, partition) => groups.committed(group, partition),
    truncate: (partition, before) => records.truncate(partition, before),
    skipOffset: (partition) => records.skipOffset(partition),
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
  const observe = (operation: string, key: string, bytes: Uint8Array): void => hooks?.observe?.(name, operation, key, bytes);
  const fate = (client: string, batch: readonly OutgoingRecord[]): ProduceFate => hooks?.produce?.(client, batch) ?? { kind: "append" };

  function requireOpen(): void {
    if (isClosed) throw closed("this client is closed");
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
      await link.call(() => consumed.topics.map((topic) => records.partitionsOf(topic)));
      const { heartbeatIntervalMs } = broker;
      const fetchRecordsMax = options.fetchRecordsMax ?? 100;
      const nextEpoch = (): number => (epoch += 1);
      const shared = { time, random, records, groups, link, heartbeatIntervalMs, fetchRecordsMax, nextEpoch, observe };
      const made = new MemoryConsumer(consumed, shared);
      consumers.push(made);
      return made;
    },
    async ends(partitions) {
      requireOpen();
      observe("ends", partitions.map(({ topic, partition }) => `${topic}/${partition}`).join(), new Uint8Array());
      return await link.call(() => partitions.map((partition) => records.ends(partition)));
    },
    async committedOf(group, partitions) {
      requireOpen();
      return await link.call(() => committedIn(broker, group, partitions));
    },
    read(partition, from, to) {
      requireOpen();
      observe("read", `${partition.topic}/${partition.partition}@${from}…${to}`, new Uint8Array());
      return readRecords(link, records, partition, from, to);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const consumer of consumers) await consumer.stop();
      for (const producer of producers) await producer.close();
    },
    kill() {
      if (link.isDead) return;
      link.kill();
      // The session ends somewhat less than its length after the kill: its last heartbeat was before.
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

function committedIn({ records, groups }: Broker, group: string, partitions: readonly TopicPartition[]): readonly (bigint | null)[] {
  for (const partition of partitions) records.ends(partition);
  return partitions.map((partition) => groups.committed(group, partition));
}

async function* readRecords(
  link: Link,
  records: MemoryRecords,
  partition: TopicPartition,
  from: bigint,
  to: bigint,
): AsyncGenerator<ReceivedRecord> {
  const { logStart, logEnd } = await link.call(() => records.ends(partition));
  if (from < logStart) throw outsideLog(`${partition.topic}/${partition.partition} starts at ${logStart}, beyond ${from}`);
  const end = to < logEnd ? to : logEnd;
  let next = from;
  while (next < end) {
    const start = next;
    const page = await link.call(() => records.slice(partition, start, readPageRecordsMax));
    const inside = page.filter((record) => record.offset < end);
    yield* inside;
    const last = inside.at(-1);
    if (last === undefined) return;
    next = last.offset + 1n;
  }
}
