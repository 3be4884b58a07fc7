// Reads how deliveries ended from the journal and the receipts. Each reading goes on where the last one stopped and
// stops at the present end of the topics.

import { partitionCountDefault, type Serde, topics } from "@sluice/contracts";
import { type Messaging, requireCovered, type TopicPartition } from "@sluice/messaging";
import type { MessageEnd } from "./verdict.ts";

export interface DeliveryEnds {
  /** Calls `onEnd` for each end that was appended since the last reading. */
  read(): Promise<void>;
  /** Returns the number of records in the dead-letter topic. */
  deadLetters(): Promise<number>;
}

export function createDeliveryEnds(messaging: Messaging, serde: Serde, onEnd: (end: MessageEnd) => void): DeliveryEnds {
  const partitions = [topics.journal, topics.receipts].flatMap((topic) => listPartitions(topic, partitionCountDefault));
  const from = new Map<TopicPartition, bigint>();
  return {
    async read() {
      for (const [index, { logEnd }] of (await messaging.ends(partitions)).entries()) {
        const partition = partitions[index];
        if (partition === undefined) continue;
        const begin = from.get(partition) ?? 0n;
        if (begin >= logEnd) continue;
        for await (const { value } of requireCovered(messaging.read(partition, begin, logEnd), partition, begin, logEnd)) {
          const end = parseEnd(serde, value ?? new Uint8Array());
          if (end !== null) onEnd(end);
        }
        from.set(partition, logEnd);
      }
    },
    async deadLetters() {
      const partitions = listPartitions(topics.deadLetters, partitionCountDefault);
      return (await messaging.ends(partitions)).reduce((sum, { logEnd }) => sum + Number(logEnd), 0);
    },
  };
}

function listPartitions(topic: string, count: number): readonly TopicPartition[] {
  return Array.from({ length: count }, (_, partition) => ({ topic, partition }));
}

function parseEnd(serde: Serde, bytes: Uint8Array): MessageEnd | null {
  const decoded = serde.decode(bytes);
  if (decoded.name === "DeliveryEnded") {
    return { id: decoded.value.messageIdentification, record: "DeliveryEnded", outcome: decoded.value.outcome };
  }
  return decoded.name === "Receipt" ? { id: decoded.value.webhookId, record: "Receipt", outcome: decoded.value.outcome } : null;
}
