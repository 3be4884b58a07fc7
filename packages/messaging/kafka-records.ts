// A record as kafkajs hands it over, in our words.

import type { IHeaders, KafkaMessage } from "kafkajs";
import type { ReceivedRecord, TopicPartition } from "./port.ts";

export function receivedOf({ topic, partition }: TopicPartition, message: KafkaMessage): ReceivedRecord {
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    appendedAtMs: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: headersOf(message.headers ?? {}),
  };
}

/** Of a header named twice the last counts. */
function headersOf(headers: IHeaders): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) texts[name] = typeof last === "string" ? last : last.toString("utf8");
  }
  return texts;
}
