// What holds the position of a partition back, for people (pure).

import type { BlockedPosition } from "@sluice/kernel";
import type { ReceivedRecord } from "../port.ts";
import { findOldestRecord } from "./scrape/partition-series.ts";
import type { UnreadRecord } from "./unread-records.ts";

/** Milliseconds from which on a position that stands is shown. */
const blockedFromMs = 10_000;

export interface PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** The first record that is not done; null where all are done. */
  readonly first: UnreadRecord<unknown> | null;
  /** When the position moved last, in milliseconds of the monotonic clock. */
  readonly movedAtMs: number;
  /** The codes of the keys that are tried again. */
  readonly troubleByKey: ReadonlyMap<string, string>;
  readonly receiverOf: (record: ReceivedRecord) => string | null;
}

/** Returns null where it has not stood long enough. `nowMs` is epoch time, `monotonicMs` the same moment. */
export function findBlockedPosition(
  { topic, partition, first, movedAtMs, troubleByKey, receiverOf }: PartitionProgress,
  { nowMs, monotonicMs }: { readonly nowMs: number; readonly monotonicMs: number },
): BlockedPosition | null {
  const oldest = findOldestRecord(first, movedAtMs);
  if (first === null || oldest === null) return null;
  const { record, sinceMs } = oldest;
  const standsForMs = monotonicMs - sinceMs;
  if (standsForMs < blockedFromMs) return null;
  const code = first.taken === null ? undefined : troubleByKey.get(first.taken.key);
  const progress = first.taken === null ? "waits for a place" : "in progress";
  return {
    topic,
    partition,
    offset: first.offset,
    key: printable(record),
    receiver: receiverOf(record) ?? first.read?.receiver ?? null,
    sinceMs: nowMs - standsForMs,
    why: code === undefined ? progress : `tried again: ${code}`,
  };
}

const keyCharactersMax = 64;

function printable({ key }: ReceivedRecord): string {
  return new TextDecoder()
    .decode(key ?? new Uint8Array())
    .replaceAll(/[^ -~]/g, "·")
    .slice(0, keyCharactersMax);
}
