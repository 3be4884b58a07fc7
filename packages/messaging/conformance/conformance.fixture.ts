// The environment of the port's conformance suite: a broker under test, and a consumer that records every handler call.

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import type { AssignedOffsets, Consumer, Messaging, OutgoingRecord, ReceivedRecord, TopicPartition, UnreadableBatch } from "../port.ts";

/** A broker under test. */
export interface BrokerUnderTest {
  /** Opens a client of its own, as another process would have. */
  client(): Messaging;
  /** Creates a fresh topic and answers its name. */
  createTopic(partitions: number): Promise<string>;
  truncate(partition: TopicPartition, before: bigint): Promise<void>;
  /** Appends records as one batch that cannot be read. */
  appendUnreadable(partition: TopicPartition, texts: readonly string[]): Promise<void>;
  /** Milliseconds that the heartbeat of an idle consumer is old at most. */
  readonly heartbeatAgeMaxMs: number;
  close(): Promise<void>;
}

const waitMs = 20_000;

/** Waits for a condition, at most `waitMs`. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + waitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`waited ${waitMs} ms in vain: ${what}`);
    await delay(5);
  }
}

export function buildTextRecord(topic: string, partition: number, text: string, key: string | null = null): OutgoingRecord {
  return { topic, partition, key: key === null ? null : Buffer.from(key), value: Buffer.from(text), headers: {} };
}

export const readText = (record: ReceivedRecord): string => Buffer.from(record.value ?? []).toString("utf8");

/**
 * Starts a consumer that records every handler call and every broken promise. Its topic must have no holes in its
 * offsets.
 */
export async function startRecorder(
  messaging: Pick<Messaging, "consumer">,
  group: string,
  topic: string,
  startAt: (partition: number, log: AssignedOffsets) => bigint | Promise<bigint> = (_partition, log) => log.logStart,
  onUnreadable: (batch: UnreadableBatch) => "skip" | "read-again" | Promise<"skip" | "read-again"> = () => "read-again",
  onHandOver: (partition: number, epoch: number) => Promise<void> = () => Promise.resolve(),
) {
  const recorded = {
    assigned: [] as { partition: number; epoch: number; log: AssignedOffsets }[],
    /** `partition@epoch` of each hand-over. */
    handedOver: new Set<string>(),
    revoked: [] as { partition: number; epoch: number }[],
    records: [] as { epoch: number; record: ReceivedRecord }[],
    failed: [] as Error[],
    unreadable: [] as UnreadableBatch[],
    /** Epochs of the partitions assigned now, by partition. */
    epochs: new Map<number, number>(),
    violations: [] as string[],
  };
  const next = new Map<number, bigint>();
  let consumer: Consumer | null = null;
  const note = (what: string, isRight: boolean): void => void (isRight || recorded.violations.push(what));
  consumer = await messaging.consumer({
    group,
    topics: [topic],
    handlers: {
      assigned: async ({ partition }, epoch, log) => {
        note("a handler before consumer() resolved", consumer !== null);
        note("assigned twice", !recorded.epochs.has(partition));
        recorded.epochs.set(partition, epoch);
        recorded.assigned.push({ partition, epoch, log });
        next.delete(partition);
        const answer = await startAt(partition, log);
        if (recorded.epochs.get(partition) === epoch) next.set(partition, answer);
        return answer;
      },
      handOver: async ({ partition }, epoch) => {
        note("handed over without an assignment", recorded.epochs.get(partition) === epoch);
        recorded.handedOver.add(`${partition}@${epoch}`);
        await onHandOver(partition, epoch);
      },
      revoked: ({ partition }, epoch) => {
        note("revoked without an assignment", recorded.epochs.get(partition) === epoch);
        recorded.epochs.delete(partition);
        recorded.revoked.push({ partition, epoch });
      },
      records: ({ partition }, epoch, records) => {
        note("records of an epoch that is over", recorded.epochs.get(partition) === epoch);
        note("records during the hand-over", !recorded.handedOver.has(`${partition}@${epoch}`));
        note("no records at all", records.length > 0);
        for (const record of records) {
          note(`${partition}@${record.offset} is not the next one of epoch ${epoch}`, next.get(partition) === record.offset);
          next.set(partition, record.offset + 1n);
          recorded.records.push({ epoch, record });
        }
      },
      unreadable: async (batch, epoch) => {
        note("an unreadable batch of an epoch that is over", recorded.epochs.get(batch.partition) === epoch);
        recorded.unreadable.push(batch);
        const answer = await onUnreadable(batch);
        if (answer === "skip") next.set(batch.partition, batch.lastOffset + 1n);
        return answer;
      },
      failed: (reason) => void recorded.failed.push(reason),
    },
  });
  const texts = (partition?: number): string[] =>
    recorded.records
      .filter(({ record }) => partition === undefined || record.partition === partition)
      .map(({ record }) => readText(record));
  return { consumer, recorded, texts };
}

/** What each test gets: a broker of its own, clients that are closed after it, and a fresh group. */
export type ConformanceEnvironment = ReturnType<typeof openConformanceEnvironment>;

export function openConformanceEnvironment(open: () => Promise<BrokerUnderTest>) {
  let opened: BrokerUnderTest | null = null;
  let clients: Messaging[] = [];
  let group = "";
  let groups = 0;

  beforeEach(async () => {
    opened = await open();
    clients = [];
    groups += 1;
    group = `conformance-${process.pid}-${Date.now()}-${groups}`;
  });
  afterEach(async () => {
    for (const made of clients) await made.close();
    await opened?.close();
  });

  function subject(): BrokerUnderTest {
    if (opened === null) throw new Error("no broker is open");
    return opened;
  }

  function client(): Messaging {
    const made = subject().client();
    clients.push(made);
    return made;
  }

  return {
    get subject(): BrokerUnderTest {
      return subject();
    },
    get group(): string {
      return group;
    },
    client,
    async append(topic: string, partition: number, texts: readonly string[]): Promise<void> {
      const producer = await client().producer("appender");
      for (let from = 0; from < texts.length; from += 5000) {
        await producer.send(texts.slice(from, from + 5000).map((text) => buildTextRecord(topic, partition, text)));
      }
      await producer.close();
    },
    async readAll(topic: string, partition: number): Promise<ReceivedRecord[]> {
      return await Array.fromAsync(client().read({ topic, partition }, 0n, 1_000_000n));
    },
  };
}

export const numberedTexts = (count: number): string[] => Array.from({ length: count }, (_, index) => `r${index}`);
