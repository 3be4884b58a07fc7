// The memory adapter's producer: the same send queue as Kafka's, and a fate for every batch.
//
// #1 A batch of a client killed while it was on its way is appended or not, each partition's part by a coin.

import type { Random, Time } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import { refused, unknownOutcome } from "./faults.ts";
import type { MemoryRecords } from "./memory-log.ts";
import type { Link } from "./memory-network.ts";
import type { Appended, OutgoingRecord, Producer } from "./port.ts";
import { createSendQueue } from "./send-queue.ts";

/** What becomes of one batch. `unknown`: each partition's part is written or not by a coin, and the answer is lost. */
export type ProduceFate =
  | { readonly kind: "append"; readonly delayMs?: number }
  | { readonly kind: "refuse" }
  | { readonly kind: "lose-answer" }
  | { readonly kind: "lose-request" }
  | { readonly kind: "unknown" };

export interface MemoryProducerOptions {
  readonly time: Time;
  readonly random: Random;
  readonly records: MemoryRecords;
  readonly link: Link;
  fate(client: string, batch: readonly OutgoingRecord[]): ProduceFate;
  observe(operation: string, key: string, bytes: Uint8Array): void;
}

export function createMemoryProducer(options: MemoryProducerOptions): Producer {
  const { link, records, random } = options;

  async function transmit(batch: readonly OutgoingRecord[]): Promise<readonly Appended[]> {
    const fate = options.fate(link.client, batch);
    if (fate.kind === "append") await sleep(options.time, fate.delayMs ?? 0);
    await link.arrive().catch(async (error: unknown) => {
      await link.back();
      throw unknownOutcome("the broker did not answer in time", error);
    });
    if (fate.kind === "refuse") {
      await link.back();
      throw refused("the broker refused the batch", { isRetryable: true });
    }
    const isWritten = writtenParts(batch, fate, link.isDead, random);
    const appended = batch.map((record) => (isWritten.get(partOf(record)) === true ? records.append(record) : null));
    await link.back();
    if (fate.kind !== "append") throw unknownOutcome("the broker's answer was lost");
    return appended.filter((answer) => answer !== null);
  }

  const queue = createSendQueue({
    time: options.time,
    lingerMs: 2,
    batchRecordsMax: 1_500,
    batchPartitionBytesMax: 700_000,
    recordBytesMax: 1_000_000,
    waitingRecordsMax: 50_000,
    transmit,
  });

  return {
    async send(sent) {
      for (const { topic, partition } of sent) requirePartition(records, topic, partition);
      for (const record of sent) options.observe("send", `${partOf(record)}:${textOf(record.key)}`, record.value ?? new Uint8Array());
      return await queue.send(sent);
    },
    close: () => queue.close(),
  };
}

function writtenParts(batch: readonly OutgoingRecord[], fate: ProduceFate, isDead: boolean, random: Random): ReadonlyMap<string, boolean> {
  const isWritten = new Map<string, boolean>();
  for (const record of batch) {
    const part = partOf(record);
    if (isWritten.has(part)) continue;
    const isByCoin = isDead || fate.kind === "unknown";
    isWritten.set(part, isByCoin ? random.fraction() < 0.5 : fate.kind !== "lose-request");
  }
  return isWritten;
}

function requirePartition(records: MemoryRecords, topic: string, partition: number): void {
  if (!records.has({ topic, partition })) throw refused(`there is no ${topic}/${partition}`, { isRetryable: false });
}

function partOf(record: OutgoingRecord): string {
  return `${record.topic}/${record.partition}`;
}

function textOf(key: Uint8Array | null): string {
  return key === null ? "" : Buffer.from(key).toString("utf8");
}
