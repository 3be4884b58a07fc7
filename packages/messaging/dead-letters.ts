// What is put aside: a record that cannot be read, with its bytes, where it lay, and why.

import { headers, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import type { OutgoingRecord, ReceivedRecord } from "./port.ts";

export interface PutAside {
  readonly record: ReceivedRecord;
  /** Short and stable; never a value of the record. */
  readonly reason: string;
  readonly service: string;
  /** Where somebody put it aside by hand: who, and the id of that action. `asked`: its lane has not passed it yet. */
  readonly by?: { readonly operator: string; readonly actionId: string; readonly stage: "asked" | "done" };
}

/** The same partition and key as the record had, so that the dead letters of one key stay in order. */
export function deadLetterOf({ record, reason, service, by }: PutAside, serde: Pick<Serde, "encode">): OutgoingRecord {
  const { topic, partition, offset, appendedAtMs, key, value } = record;
  const bytes = Object.entries(record.headers).map(([name, text]) => [name, Buffer.from(text, "utf8")] as const);
  const place = { topic, partition, offset, appendedAtMs };
  const hand = { operator: by?.operator ?? null, actionId: by?.actionId ?? null };
  const letter = { ...place, key, value, headers: Object.fromEntries(bytes), reason, service, ...hand };
  return {
    topic: topics.deadLetters,
    partition,
    key,
    value: serde.encode("DeadLetter", letter),
    headers: { [headers.type]: "DeadLetter", ...(by === undefined ? {} : { [headers.byHand]: by.stage }) },
  };
}
