// How deliveries ended, as journal and receipts say it: read from where the last reading stopped, up to where the topics end now.

import { lanesDefault, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import type { Messaging, TopicPartition } from "@sluice/messaging";
import type { MessageEnd } from "./delivery-judge.ts";

export interface DeliveryEnds {
  /** Tells of what was appended since the last reading. */
  read(): Promise<void>;
  /** Records in the dead letters. */
  deadLetters(): Promise<number>;
}

export function createDeliveryEnds(messaging: Messaging, serde: Serde, tell: (end: MessageEnd) => void): DeliveryEnds {
  const lanes = [topics.journal, topics.receipts].flatMap((topic) => partitionsOf(topic, lanesDefault));
  const from = new Map<TopicPartition, bigint>();
  return {
    async read() {
      for (const [index, { logEnd }] of (await messaging.ends(lanes)).entries()) {
        const lane = lanes[index];
        if (lane === undefined) continue;
        const begin = from.get(lane) ?? 0n;
        if (begin >= logEnd) continue;
        for await (const { value } of messaging.read(lane, begin, logEnd)) {
          const end = endOf(serde, value ?? new Uint8Array());
          if (end !== null) tell(end);
        }
        from.set(lane, logEnd);
      }
    },
    async deadLetters() {
      const partitions = partitionsOf(topics.deadLetters, lanesDefault);
      return (await messaging.ends(partitions)).reduce((sum, { logEnd }) => sum + Number(logEnd), 0);
    },
  };
}

function partitionsOf(topic: string, count: number): readonly TopicPartition[] {
  return Array.from({ length: count }, (_, partition) => ({ topic, partition }));
}

function endOf(serde: Serde, bytes: Uint8Array): MessageEnd | null {
  const decoded = serde.decode(bytes);
  if (decoded.name === "DeliveryEnded") {
    return { id: decoded.value.messageIdentification, record: "DeliveryEnded", outcome: decoded.value.outcome };
  }
  return decoded.name === "Receipt" ? { id: decoded.value.webhookId, record: "Receipt", outcome: decoded.value.outcome } : null;
}
