// Builds dead letters: a record that cannot be read or was skipped, with its bytes, its place and the reason.

import { headers, type Serde, topics } from "@sluice/contracts";
import type { OutgoingRecord, ReceivedRecord } from "../port.ts";
import type { UnreadableReason } from "./operator-skips.ts";

export interface DeadLetterSource {
  readonly record: ReceivedRecord;
  /** Short, stable text; never a value of the record. */
  readonly reason: string;
  readonly service: string;
  /**
   * The operator who decided to skip the record, and the id of that action. While it is `requested` the partition has
   * not skipped it yet.
   */
  readonly skip?: { readonly operator: string; readonly actionId: string; readonly stage: "requested" | "done" };
}

/** An operator's own words go into the dead letter and into no log line. */
export function deadLetterReason({ unreadable, skip }: UnreadableReason): Pick<DeadLetterSource, "reason" | "skip"> {
  if (skip === undefined) return { reason: unreadable };
  const { operator, actionId, reason } = skip;
  return { reason, skip: { operator, actionId, stage: "done" } };
}

/** The letter gets the record's partition and key, so that the dead letters of one key stay in order. */
export function buildDeadLetter({ record, reason, service, skip }: DeadLetterSource, serde: Pick<Serde, "encode">): OutgoingRecord {
  const { topic, partition, offset, appendedAtMs, key, value } = record;
  const bytes = Object.entries(record.headers).map(([name, text]) => [name, Buffer.from(text, "utf8")] as const);
  const place = { topic, partition, offset, appendedAtMs };
  const skipped = { operator: skip?.operator ?? null, actionId: skip?.actionId ?? null };
  const letter = { ...place, key, value, headers: Object.fromEntries(bytes), reason, service, ...skipped };
  return {
    topic: topics.deadLetters,
    partition,
    key,
    value: serde.encode("DeadLetter", letter),
    headers: { [headers.type]: "DeadLetter", ...(skip === undefined ? {} : { [headers.skip]: skip.stage }) },
  };
}
