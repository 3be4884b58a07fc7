// A decoded record as it is handed to a producer: bytes, key, partition, and its type in a header, so that readers can skip
// without decoding. The shape is the messaging port's `OutgoingRecord`.

import type { AnyDecoded, Serde } from "./api.ts";
import { partitionOf } from "./partition.ts";
import { headers as headerNames } from "./topics.ts";

export interface KeyedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OutgoingOptions {
  /** Partitions of the topic. */
  readonly lanes: number;
  /** Of a marker's copy; else it follows from the key. */
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function outgoingRecord(serde: Serde, topic: string, key: string, decoded: AnyDecoded, options: OutgoingOptions): KeyedRecord {
  const keyBytes = Buffer.from(key);
  return {
    topic,
    partition: options.partition ?? partitionOf(keyBytes, options.lanes),
    key: keyBytes,
    value: serde.encode(decoded.name, decoded.value),
    headers: { ...options.headers, [headerNames.type]: decoded.name },
  };
}
