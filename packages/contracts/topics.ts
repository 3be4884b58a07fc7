// Topics, record types of each, headers, and the partition of a key.

export const topics = {
  journal: "sluice.journal.v1",
  dispatch: "sluice.dispatch.v1",
  events: "sluice.events.v1",
  receipts: "sluice.receipts.v1",
  /** Compacted: the newest snapshot of each transaction. */
  transactions: "sluice.transactions.v1",
  probe: "sluice.probe.v1",
  deadLetters: "sluice.dead-letters.v1.dlq",
} as const;

export const headers = {
  /** Record type, so that a reader can skip without decoding. */
  type: "sluice-type",
  traceparent: "traceparent",
  /** Of a dead letter that an operator asked for: `asked` by the console, `done` by the service whose lane stood at the record. */
  byHand: "sluice-by-hand",
  /** Of a record that was replayed: its dead letter, `partition:offset`. */
  deadLetter: "sluice-dead-letter",
  /** Of DeadLettersReplayed: the offset of the first record that was put aside. */
  parkedFrom: "sluice-parked-from",
} as const;

export const groups = {
  validator: "sluice.validator",
  scheduler: "sluice.scheduler",
  dispatcher: "sluice.dispatcher",
  "event-publisher": "sluice.event-publisher",
} as const;

/** Partitions of every topic but the probe; frozen at provisioning. */
export const lanesDefault = 12;
