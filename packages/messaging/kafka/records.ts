// Converts the messages that kafkajs hands over into records of the port.

import type { KafkaMessage } from "kafkajs";
import type { FetchedMessage } from "kafkajs/src/protocol/requests/fetch/index.js";
import type { ReceivedRecord, UnreadableBatch } from "../port.ts";
import { findUnreadable } from "./protocol/fetch-answer.ts";

export interface FetchedRecords {
  readonly records: readonly ReceivedRecord[];
  /** The batch at which the records end because it cannot be read; null if all could be read. */
  readonly unreadable: UnreadableBatch | null;
}

/**
 * Returns the records from an offset on. The messages are those that `fetch-answer.ts` has read, whatever their
 * declared type.
 */
export function recordsFrom(messages: readonly KafkaMessage[], from: bigint): FetchedRecords {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- repair 9
  const fetched = messages as readonly unknown[] as readonly FetchedMessage[];
  const unreadable = findUnreadable(fetched);
  const records = unreadable === null ? fetched : fetched.slice(0, -1);
  const [first] = records;
  return { records: first === undefined || first.offset >= from ? records : records.filter(({ offset }) => offset >= from), unreadable };
}
