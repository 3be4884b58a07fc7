// Appends the records by which an operator skips a record or replays dead letters. The result is either acknowledged in
// time or unknown.

import { headers, type Records } from "@sluice/contracts";
import type { BrokerClock, AppendResult, OutgoingRecord, Producer } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/kernel";
import type { ControlAnswer } from "../http/control-handler.ts";

export interface DeadLetterAppendPorts {
  readonly time: Time;
  readonly producer: Producer;
  readonly brokerClock: Pick<BrokerClock, "observe">;
}

const appendMaxMs = 5_000;
/** Bytes of one send, below what a broker accepts in one request. */
const sendBytesMax = 700_000;
const sendRecordsMax = 5_000;

export const appendOutcomeUnknown: ControlAnswer = {
  kind: "unavailable",
  detail: "It is not known whether all was stored. Send it again under the same Idempotency-Key.",
};

/** Appends the records in order, in as many sends as their size needs. Null: not acknowledged, or not in time. */
export async function appendInOrder(
  { time, producer, brokerClock }: DeadLetterAppendPorts,
  records: readonly OutgoingRecord[],
): Promise<readonly AppendResult[] | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  using _timer = time.after(appendMaxMs, () => resolve(null));
  const appended: AppendResult[] = [];
  try {
    for (const part of splitIntoSends(records)) {
      const answered = await Promise.race([producer.send(part), tooLate]);
      if (answered === null) return null;
      for (const { appendedAtMs } of answered) brokerClock.observe(appendedAtMs);
      appended.push(...answered);
    }
    return appended;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** The original record with the same bytes, key, partition and headers, and one more header that names its origin. */
export function buildReplayRecord(
  { topic, partition, key, value, headers: bytes }: Pick<Records["DeadLetter"], "topic" | "partition" | "key" | "value" | "headers">,
  name: string,
): OutgoingRecord {
  const texts = Object.entries(bytes).map(([header, text]) => [header, Buffer.from(text).toString("utf8")] as const);
  return { topic, partition, key, value, headers: { ...Object.fromEntries(texts), [headers.deadLetter]: name } };
}

function splitIntoSends(records: readonly OutgoingRecord[]): readonly (readonly OutgoingRecord[])[] {
  const parts: OutgoingRecord[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = record.value?.byteLength ?? 0;
    const last = parts.at(-1);
    if (last === undefined || bytes + size > sendBytesMax || last.length >= sendRecordsMax) {
      parts.push([record]);
      bytes = size;
      continue;
    }
    last.push(record);
    bytes += size;
  }
  return parts;
}
