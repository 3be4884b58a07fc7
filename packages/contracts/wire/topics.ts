// Topics, headers and consumer groups.

import { joinTrace, splitTrace } from "@sluice/kernel";

export { partitionCountDefault } from "@sluice/domain";

export const topics = {
  journal: "sluice.journal.v1",
  dispatch: "sluice.dispatch.v1",
  events: "sluice.events.v1",
  receipts: "sluice.receipts.v1",
  /** Compacted: holds the newest snapshot of each transaction. */
  transactions: "sluice.transactions.v1",
  /** For analysts: every entry into a state, every version of each reconciliation item, and of each business day. */
  stateEvents: "sluice.state-events.v1",
  items: "sluice.items.v1",
  days: "sluice.days.v1",
  probe: "sluice.probe.v1",
  deadLetters: "sluice.dead-letters.v1.dlq",
  /** Decisions that wait for a second person, and their confirmations. */
  proposals: "sluice.proposals.v1",
  /** Who signed in, read, exported and decided, and what changed in the configuration: chained and sealed. */
  audit: "sluice.audit.v1",
} as const;

export const headers = {
  /** The record type, so that a reader can skip a record without decoding it. */
  type: "sluice-type",
  traceparent: "traceparent",
  /** What a caller gave with its traceparent. */
  tracestate: "tracestate",
  /**
   * The bank or connector that a record of `dispatch` or `events` is for, so that a reader can let it pass the records
   * of another one without decoding either.
   */
  receiver: "sluice-receiver",
  /**
   * Set on the dead letter of an operator's skip: `requested` by the console, `done` by the service whose partition the
   * record blocked.
   */
  skip: "sluice-skip",
  /** Set in the dead letters of a batch that could not be read: its first and last offset, as `120-139`. */
  unreadableBatch: "sluice-unreadable-batch",
  /** Set in the dead letter that stands for the whole batch: how many bytes it has, and their SHA-256. */
  unreadableBytes: "sluice-unreadable-bytes",
  /** Set on a dead letter that lacks a part of its record: how many bytes the value has, and their SHA-256. */
  omittedBytes: "sluice-omitted-bytes",
  /** Set on a replayed record: its letter as `partition:offset`, or `journal:offset` where the letter is gone. */
  deadLetter: "sluice-dead-letter",
  /** The console's signature of an operator's record (`packages/signatures/operator-records.ts`). */
  operatorSignature: "sluice-operator-signature",
  /** Set on DeadLettersReplayed: the offset of the transaction's first dead-lettered record. */
  quarantinedFrom: "sluice-quarantined-from",
  /** Set on DeadLettersReplayed: the offset behind the last record that the transaction had applied. */
  quarantinedTo: "sluice-quarantined-to",
} as const;

/** The headers of a record that carry a trace (a traceparent, and behind a blank a tracestate); null: it has none. */
export function traceHeaders(trace: string | null): Readonly<Record<string, string>> {
  if (trace === null) return {};
  const { traceparent, tracestate } = splitTrace(trace);
  return { [headers.traceparent]: traceparent, ...(tracestate === null ? {} : { [headers.tracestate]: tracestate }) };
}

/** The trace that a record carries; null: none. */
export function readTrace(carried: Readonly<Record<string, string | undefined>>): string | null {
  const traceparent = carried[headers.traceparent];
  return traceparent === undefined ? null : joinTrace(traceparent, carried[headers.tracestate] ?? null);
}

export const groups = {
  validator: "sluice.validator",
  scheduler: "sluice.scheduler",
  dispatcher: "sluice.dispatcher",
  "event-publisher": "sluice.event-publisher",
} as const;

/** The topics that all have the configured number of partitions: every topic but the probe's. */
export const partitionedTopics: readonly string[] = Object.values(topics).filter((topic) => topic !== topics.probe);
