// Appends a proposal or a confirmation to the topic of proposals, and reads the topic up to it: the log says what
// counts.

import { outgoingRecord, topics, type AnyDecodedRecord, type OperatorAction, type Serde } from "@sluice/contracts";
import type { Metrics } from "@sluice/kernel";
import { appendInOrder, type DeadLetterAppendPorts } from "../dead-letters/append-dead-letters.ts";
import { createActionCounter } from "../decisions/action-counter.ts";
import { proposalsKey, type ProposalBook, type Proposals } from "./proposal-book.ts";

export interface ProposalAppendPorts extends DeadLetterAppendPorts {
  readonly metrics: Metrics;
  readonly serde: Serde;
  readonly partitionCount: number;
  readonly book: ProposalBook;
}

/** Null: it was not acknowledged in time, or could not be read back. Sent again under the same id it counts once. */
export async function appendAndRead(ports: ProposalAppendPorts, record: AnyDecodedRecord): Promise<Proposals | null> {
  const { serde, partitionCount } = ports;
  const outgoing = outgoingRecord(serde, topics.proposals, proposalsKey, record, { partitionCount });
  const [appended] = (await appendInOrder(ports, [outgoing])) ?? [];
  createActionCounter(ports.metrics).add({ kind: record.name, outcome: appended === undefined ? "unknown" : "appended" });
  if (appended === undefined) return null;
  const proposals = await ports.book.read();
  return proposals.position > appended.offset ? proposals : null;
}

/** Names the id, which may have been generated here: without it the caller could not send it again. */
export function answerNotStored({ id }: Pick<OperatorAction, "id">) {
  const detail = `It is not known whether this was stored. Send it again with the Idempotency-Key ${id}: it counts once.`;
  return { kind: "unavailable", detail } as const;
}
