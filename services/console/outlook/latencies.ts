// How long receivers took to acknowledge: from the receipts of deliveries and postings that ended since the last look.
//
// #1 A look reads at most the newest `recordsMax` receipts of each partition. Under a greater load it is a sample.
// #2 It keeps the times of one minute, `samplesMax` of each receiver, and gives them away when the minute is over.
// #3 A receipt that cannot be read is left out, as is a look during which the log is not available.

import { topics, type Serde } from "@sluice/contracts";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import { readAround } from "@sluice/timeline";

/** Of what was acknowledged in one minute. */
export interface Latency {
  readonly medianMs: number;
  /** 95 of 100 took at most this. */
  readonly slowMs: number;
}

interface Latencies {
  /** One look at a time; a second one is the first. */
  look(): Promise<void>;
  /** By receiver, and of all under `everybody`; what was kept is given away. */
  take(): ReadonlyMap<string, Latency>;
}

interface LatencyPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Serde;
  readonly partitionCount: number;
  /** Hears of each acknowledgement that is counted. */
  readonly onAcknowledged: (receiver: string, operation: string, tookMs: number) => void;
}

export const everybody = "";
const recordsMax = 200n;
const samplesMax = 2_000;

export function createLatencies({ messaging, serde, partitionCount, onAcknowledged }: LatencyPorts): Latencies {
  const partitions = Array.from({ length: partitionCount }, (_, partition) => ({ topic: topics.receipts, partition }));
  const positions = new Map<number, bigint>();
  let samples = new Map<string, number[]>();
  let looking: Promise<void> | null = null;

  function add(receiver: string, tookMs: number): void {
    const own = samples.get(receiver) ?? [];
    if (own.length < samplesMax) own.push(tookMs);
    samples.set(receiver, own);
  }

  function count({ value }: ReceivedRecord): void {
    if (value === null) return;
    const decoded = serde.decode(value);
    if (decoded.name !== "Receipt") return;
    const attempt = decoded.value.recentAttempts.findLast(({ class: answer }) => answer === "ACKNOWLEDGED");
    if (attempt === undefined) return;
    add(everybody, attempt.tookMs);
    add(decoded.value.bank, attempt.tookMs);
    onAcknowledged(decoded.value.bank, decoded.value.operation, attempt.tookMs);
  }

  async function readNew(): Promise<void> {
    const ends = await messaging.ends(partitions);
    for (const [index, { logStart, logEnd }] of ends.entries()) {
      const partition = partitions[index];
      const known = positions.get(index) ?? logEnd;
      positions.set(index, logEnd);
      const newest = logEnd - recordsMax;
      const from = [known, newest, logStart].reduce((most, offset) => (offset > most ? offset : most));
      if (partition === undefined || from >= logEnd) continue;
      for await (const record of readAround(messaging, partition, { from, to: logEnd })) await countReadable(record, serde, count);
    }
  }

  return {
    async look() {
      looking ??= readNew().finally(() => (looking = null));
      await looking;
    },
    take() {
      const taken = samples;
      samples = new Map();
      return new Map([...taken].map(([receiver, times]) => [receiver, summarise(times)]));
    },
  };
}

/** #3 */
async function countReadable(record: ReceivedRecord, serde: Serde, count: (record: ReceivedRecord) => void): Promise<void> {
  try {
    count(record);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // The next receipt of this schema can be read.
    if (error.isRetryable && record.value !== null) await serde.learn(record.value);
  }
}

function summarise(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { medianMs: at(0.5), slowMs: at(0.95) };
}
