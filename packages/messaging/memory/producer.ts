// The memory adapter's producer: the same send queue as the Kafka adapter's, and a fate for every batch.
//
// #1 If a client is killed while its batch is in flight, chance decides for each partition's part whether it is
//    appended.

import { type Fault, type Random, sleep, type Time } from "@sluice/kernel";
import { requestRefused, unknownOutcome } from "../faults.ts";
import type { MemoryRecords } from "./records.ts";
import type { NetworkLink } from "./network.ts";
import type { AppendResult, OutgoingRecord, Producer } from "../port.ts";
import { createSendQueue, recordBytesMax } from "../send-queue.ts";

/**
 * The fate of one batch. `unknown`: chance decides whether each partition's part is appended, and the answer is lost.
 */
export type ProduceFate =
  | { readonly kind: "append"; readonly delayMs?: number }
  | { readonly kind: "refuse" }
  | { readonly kind: "lose-answer" }
  | { readonly kind: "lose-request" }
  | { readonly kind: "unknown" }
  /** Nobody answers, and the batch is appended this much later, whatever the client has sent or become meanwhile. */
  | { readonly kind: "land-late"; readonly afterMs: number };

export interface MemoryProducerOptions {
  readonly time: Time;
  readonly random: Random;
  readonly records: MemoryRecords;
  readonly link: NetworkLink;
  fate(client: string, batch: readonly OutgoingRecord[]): ProduceFate;
  observe(operation: string, key: string, bytes: Uint8Array): void;
}

export function createMemoryProducer(options: MemoryProducerOptions): Producer {
  const { link, records, random } = options;

  async function transmit(batch: readonly OutgoingRecord[]): Promise<readonly (AppendResult | Fault)[]> {
    const led = batch.filter((record) => records.hasLeader(record));
    if (led.length === batch.length) return await append(batch);
    const appended = (await append(led)).values();
    const isLed = new Set(led);
    return batch.map((record) => (isLed.has(record) ? appended.next().value! : withoutLeader(record)));
  }

  async function append(batch: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    const fate = options.fate(link.client, batch);
    if (fate.kind === "append") await sleep(options.time, fate.delayMs ?? 0);
    if (fate.kind === "land-late") {
      options.time.after(fate.afterMs, () => {
        for (const record of batch) records.append(record);
      });
      await link.back();
      throw unknownOutcome("the broker did not answer in time");
    }
    await link.arrive().catch(async (error: unknown) => {
      await link.back();
      throw unknownOutcome("the broker did not answer in time", error);
    });
    if (fate.kind === "refuse") {
      await link.back();
      throw requestRefused("the broker refused the batch", { isRetryable: true });
    }
    const isWritten = chooseWrittenParts(batch, fate, link.isDead, random);
    const appended = batch.map((record) => (isWritten.get(keyFor(record)) === true ? records.append(record) : null));
    await link.back();
    if (fate.kind !== "append") throw unknownOutcome("the broker's answer was lost");
    return appended.filter((answer) => answer !== null);
  }

  const queue = createSendQueue({
    time: options.time,
    lingerMs: 2,
    batchRecordsMax: 1_500,
    batchPartitionBytesMax: 700_000,
    recordBytesMax,
    waitingRecordsMax: 50_000,
    transmit,
  });

  return {
    async send(sent) {
      for (const { topic, partition } of sent) requirePartition(records, topic, partition);
      for (const record of sent) options.observe("send", `${keyFor(record)}:${keyText(record.key)}`, record.value ?? new Uint8Array());
      return await queue.send(sent);
    },
    close: () => queue.close(),
  };
}

function chooseWrittenParts(
  batch: readonly OutgoingRecord[],
  fate: ProduceFate,
  isDead: boolean,
  random: Random,
): ReadonlyMap<string, boolean> {
  const isWritten = new Map<string, boolean>();
  for (const record of batch) {
    const part = keyFor(record);
    if (isWritten.has(part)) continue;
    const isRandom = isDead || fate.kind === "unknown";
    isWritten.set(part, isRandom ? random.fraction() < 0.5 : fate.kind !== "lose-request");
  }
  return isWritten;
}

function withoutLeader(record: OutgoingRecord): Fault {
  return requestRefused(`${keyFor(record)} has no leader`, { isRetryable: true });
}

function requirePartition(records: MemoryRecords, topic: string, partition: number): void {
  if (!records.has({ topic, partition })) throw requestRefused(`there is no ${topic}/${partition}`, { isRetryable: false });
}

function keyFor(record: OutgoingRecord): string {
  return `${record.topic}/${record.partition}`;
}

function keyText(key: Uint8Array | null): string {
  return key === null ? "" : Buffer.from(key).toString("utf8");
}
