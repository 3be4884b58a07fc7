// What the conformance of the port stands on: a log under test, and a consumer that writes down what it is told.

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import type { AssignedLog, Consumer, Messaging, OutgoingRecord, ReceivedRecord, TopicPartition } from "./port.ts";

/** A log under test. */
export interface Subject {
  /** A client of its own, as another process would have. */
  client(): Messaging;
  /** Answers the name of a fresh topic. */
  createTopic(partitions: number): Promise<string>;
  truncate(partition: TopicPartition, before: bigint): Promise<void>;
  /** An idle consumer's heartbeat is never older. */
  readonly heartbeatAgeMaxMs: number;
  close(): Promise<void>;
}

const waitMs = 20_000;

/** Waits for a condition; never longer than `waitMs`. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + waitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`waited ${waitMs} ms in vain: ${what}`);
    await delay(5);
  }
}

export function outgoing(topic: string, partition: number, text: string, key: string | null = null): OutgoingRecord {
  return { topic, partition, key: key === null ? null : Buffer.from(key), value: Buffer.from(text), headers: {} };
}

export const textOf = (record: ReceivedRecord): string => Buffer.from(record.value ?? []).toString("utf8");

/** A consumer that writes down what it is told, and what of it broke a promise. Its log has no holes. */
export async function recorder(
  messaging: Messaging,
  group: string,
  topic: string,
  startAt: (partition: number, log: AssignedLog) => bigint | Promise<bigint> = (_partition, log) => log.logStart,
) {
  const seen = {
    assigned: [] as { partition: number; epoch: number; log: AssignedLog }[],
    revoked: [] as { partition: number; epoch: number }[],
    records: [] as { epoch: number; record: ReceivedRecord }[],
    failed: [] as Error[],
    held: new Map<number, number>(),
    broken: [] as string[],
  };
  const next = new Map<number, bigint>();
  let consumer: Consumer | null = null;
  const note = (what: string, isRight: boolean): void => void (isRight || seen.broken.push(what));
  consumer = await messaging.consumer({
    group,
    topics: [topic],
    handlers: {
      assigned: async ({ partition }, epoch, log) => {
        note("a handler before consumer() resolved", consumer !== null);
        note("assigned while held", !seen.held.has(partition));
        seen.held.set(partition, epoch);
        seen.assigned.push({ partition, epoch, log });
        next.delete(partition);
        const answer = await startAt(partition, log);
        if (seen.held.get(partition) === epoch) next.set(partition, answer);
        return answer;
      },
      revoked: ({ partition }, epoch) => {
        note("revoked what was not held", seen.held.get(partition) === epoch);
        seen.held.delete(partition);
        seen.revoked.push({ partition, epoch });
      },
      records: ({ partition }, epoch, records) => {
        note("records of an epoch that is over", seen.held.get(partition) === epoch);
        note("no records at all", records.length > 0);
        for (const record of records) {
          note(`${partition}@${record.offset} is not the next one of epoch ${epoch}`, next.get(partition) === record.offset);
          next.set(partition, record.offset + 1n);
          seen.records.push({ epoch, record });
        }
      },
      failed: (reason) => void seen.failed.push(reason),
    },
  });
  const texts = (partition?: number): string[] =>
    seen.records.filter(({ record }) => partition === undefined || record.partition === partition).map(({ record }) => textOf(record));
  return { consumer, seen, texts };
}

/** What each test has: a log of its own, clients that are closed after it, and a group that nobody else has. */
export type Ground = ReturnType<typeof openGround>;

export function openGround(open: () => Promise<Subject>) {
  let opened: Subject | null = null;
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

  function subject(): Subject {
    if (opened === null) throw new Error("no log is open");
    return opened;
  }

  function client(): Messaging {
    const made = subject().client();
    clients.push(made);
    return made;
  }

  return {
    get subject(): Subject {
      return subject();
    },
    get group(): string {
      return group;
    },
    client,
    async append(topic: string, partition: number, texts: readonly string[]): Promise<void> {
      const producer = await client().producer("appender");
      for (let from = 0; from < texts.length; from += 5000) {
        await producer.send(texts.slice(from, from + 5000).map((text) => outgoing(topic, partition, text)));
      }
      await producer.close();
    },
    async readAll(topic: string, partition: number): Promise<ReceivedRecord[]> {
      return await Array.fromAsync(client().read({ topic, partition }, 0n, 1_000_000n));
    },
  };
}

export const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `r${index}`);
