// Encodes a record for a producer: bytes, key, partition, and in headers its type and the receiver that it is for, so
// that readers can skip it without decoding. The shape is `OutgoingRecord` of the messaging port.

import type { AnyDecodedRecord, Seal, Serde } from "../api.ts";
import { partitionFor } from "./partition.ts";
import { headers as headerNames } from "./topics.ts";

export interface KeyedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutgoingRecordOptions {
  /** The number of partitions of the topic. */
  readonly partitionCount: number;
  /** The partition of a marker's copy; without it the key decides. */
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Under which key its personal members are sealed; null, or left out: they are not. */
  readonly sealUnder?: Seal["under"] | null;
}

export function outgoingRecord(
  serde: Serde,
  topic: string,
  key: string,
  decoded: AnyDecodedRecord,
  options: OutgoingRecordOptions,
): KeyedRecord {
  const keyBytes = Buffer.from(key);
  const headers: Record<string, string> = { ...options.headers, [headerNames.type]: decoded.name };
  const receiver = findReceiver(decoded);
  if (receiver !== null) headers[headerNames.receiver] = receiver;
  const under = options.sealUnder ?? null;
  return {
    topic,
    partition: options.partition ?? partitionFor(keyBytes, options.partitionCount),
    key: keyBytes,
    value: serde.encode(decoded.name, decoded.value, under === null ? null : { topic, key, under }),
    headers,
  };
}

/** Finds the bank or connector that a record is delivered to, or whose delivery it changes; null for other records. */
export function findReceiver({ name, value }: AnyDecodedRecord): string | null {
  if (name === "Dispatch" || name === "DispatchChange" || name === "TransactionStateEvent" || name === "EsmStateEvent") return value.bank;
  return null;
}
