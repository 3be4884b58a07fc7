// Topics, headers and consumer groups.

export const topics = {
  journal: "sluice.journal.v1",
  dispatch: "sluice.dispatch.v1",
  events: "sluice.events.v1",
  receipts: "sluice.receipts.v1",
  /** Compacted: holds the newest snapshot of each transaction. */
  transactions: "sluice.transactions.v1",
  probe: "sluice.probe.v1",
  deadLetters: "sluice.dead-letters.v1.dlq",
} as const;

export const headers = {
  /** The record type, so that a reader can skip a record without decoding it. */
  type: "sluice-type",
  traceparent: "traceparent",
  /**
   * Set on a dead letter that an operator asked for: `asked` by the console, `done` by the service whose partition was
   * blocked by the record.
   */
  byHand: "sluice-by-hand",
  /** Set in the dead letters of a batch that could not be read: its first and last offset, as `120-139`. */
  unreadableBatch: "sluice-unreadable-batch",
  /** Set in the dead letter that stands for the whole batch: how many bytes it has, and their SHA-256. */
  unreadableBytes: "sluice-unreadable-bytes",
  /** Set on a replayed record: its dead letter, as `partition:offset`. */
  deadLetter: "sluice-dead-letter",
  /** Set on DeadLettersReplayed: the offset of the transaction's first dead-lettered record. */
  parkedFrom: "sluice-parked-from",
} as const;

export const groups = {
  validator: "sluice.validator",
  scheduler: "sluice.scheduler",
  dispatcher: "sluice.dispatcher",
  "event-publisher": "sluice.event-publisher",
} as const;

/** The number of partitions of every topic but the probe; fixed when topics are created. */
export const partitionCountDefault = 12;
