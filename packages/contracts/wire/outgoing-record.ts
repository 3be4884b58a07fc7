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
  const place = placeOf(key, options.partitionCount);
  const headers: Record<string, string> = { ...options.headers, [headerNames.type]: decoded.name };
  const receiver = findReceiver(decoded);
  if (receiver !== null) headers[headerNames.receiver] = receiver;
  const under = options.sealUnder ?? null;
  return {
    topic,
    partition: options.partition ?? place.partition,
    key: place.bytes,
    value: serde.encode(decoded.name, decoded.value, under === null ? null : { topic, key, under }),
    headers,
  };
}

interface KeyPlace {
  readonly key: string;
  readonly partitionCount: number;
  readonly bytes: Uint8Array;
  readonly partition: number;
}

/** The newest key: records that follow from one have the same. Nobody changes a key's bytes. */
let newestPlace: KeyPlace = { key: "", partitionCount: 1, bytes: new Uint8Array(), partition: 0 };

function placeOf(key: string, partitionCount: number): KeyPlace {
  if (newestPlace.key === key && newestPlace.partitionCount === partitionCount) return newestPlace;
  const bytes = Buffer.from(key);
  newestPlace = { key, partitionCount, bytes, partition: partitionFor(bytes, partitionCount) };
  return newestPlace;
}

/** Finds the bank or connector that a record is delivered to, or whose delivery it changes; null for other records. */
export function findReceiver({ name, value }: AnyDecodedRecord): string | null {
  if (name === "Dispatch" || name === "DispatchChange" || name === "TransactionStateEvent" || name === "EsmStateEvent") return value.bank;
  return null;
}
