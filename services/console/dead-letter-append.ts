// What the console appends for an operator who deals with dead letters: acknowledged in time, or not known.

import { headers } from "@sluice/contracts";
import type { AgreedTime, Appended, OutgoingRecord, Producer } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/runtime";
import type { ControlAnswer } from "./control-handler.ts";
import { idOf, type Letter } from "./dead-letter-reading.ts";

export interface LetterAppendPorts {
  readonly time: Time;
  readonly producer: Producer;
  readonly agreedTime: Pick<AgreedTime, "saw">;
}

const appendMaxMs = 5_000;
/** Of one send: below what a broker takes at once. */
const sendBytesMax = 700_000;
const sendRecordsMax = 5_000;

export const uncertain: ControlAnswer = {
  kind: "unavailable",
  detail: "It is not known whether all was stored. Send it again under the same Idempotency-Key.",
};

/** In their order, as many sends as their size needs. Null: not acknowledged, or not in time. */
export async function appendAll(
  { time, producer, agreedTime }: LetterAppendPorts,
  records: readonly OutgoingRecord[],
): Promise<readonly Appended[] | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  using _timer = time.after(appendMaxMs, () => resolve(null));
  const appended: Appended[] = [];
  try {
    for (const part of partsOf(records)) {
      const answered = await Promise.race([producer.send(part), tooLate]);
      if (answered === null) return null;
      for (const { appendedAtMs } of answered) agreedTime.saw(appendedAtMs);
      appended.push(...answered);
    }
    return appended;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** As it was: bytes, key, partition and headers; one more names the letter. */
export function recordOf(letter: Letter): OutgoingRecord {
  const { topic, partition, key, value, headers: bytes } = letter.said;
  const texts = Object.entries(bytes).map(([name, text]) => [name, Buffer.from(text).toString("utf8")] as const);
  return { topic, partition, key, value, headers: { ...Object.fromEntries(texts), [headers.deadLetter]: idOf(letter) } };
}

function partsOf(records: readonly OutgoingRecord[]): readonly (readonly OutgoingRecord[])[] {
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
