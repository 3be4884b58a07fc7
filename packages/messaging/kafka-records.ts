// What kafkajs hands over, in our words.

import type { KafkaMessage } from "kafkajs";
import type { FetchedMessage } from "kafkajs/src/protocol/requests/fetch/index.js";
import type { ReceivedRecord } from "./port.ts";

/** The records from an offset on. The messages are those that `fetch-answer.ts` has read, whatever kafkajs says of them. */
export function receivedFrom(messages: readonly KafkaMessage[], from: bigint): readonly ReceivedRecord[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- repair 9
  const records = messages as readonly unknown[] as readonly FetchedMessage[];
  const [first] = records;
  return first === undefined || first.offset >= from ? records : records.filter(({ offset }) => offset >= from);
}
