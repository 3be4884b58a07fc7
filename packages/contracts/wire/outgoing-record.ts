// Encodes a record for a producer: bytes, key, partition, and its type in a header, so that readers can skip it without
// decoding. The shape is `OutgoingRecord` of the messaging port.

import type { AnyDecodedRecord, Serde } from "../api.ts";
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
}

export function outgoingRecord(
  serde: Serde,
  topic: string,
  key: string,
  decoded: AnyDecodedRecord,
  options: OutgoingRecordOptions,
): KeyedRecord {
  const keyBytes = Buffer.from(key);
  return {
    topic,
    partition: options.partition ?? partitionFor(keyBytes, options.partitionCount),
    key: keyBytes,
    value: serde.encode(decoded.name, decoded.value),
    headers: { ...options.headers, [headerNames.type]: decoded.name },
  };
}
