// Converts the messages that kafkajs hands over into records of the port.

import type { KafkaMessage } from "kafkajs";
import type { FetchedMessage } from "kafkajs/src/protocol/requests/fetch/index.js";
import type { ReceivedRecord } from "../port.ts";

/**
 * Returns the records from an offset on. The messages are those that `fetch-answer.ts` has read, whatever their
 * declared type.
 */
export function recordsFrom(messages: readonly KafkaMessage[], from: bigint): readonly ReceivedRecord[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- repair 9
  const records = messages as readonly unknown[] as readonly FetchedMessage[];
  const [first] = records;
  return first === undefined || first.offset >= from ? records : records.filter(({ offset }) => offset >= from);
}
