// The topics, as they are to be: partitions, replication, and the settings that order and money hang on.

import { topics } from "@sluice/contracts";

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  readonly replication: number;
  /** As the broker names them. */
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicSpecsOptions {
  readonly lanes: number;
  readonly replication: number;
  /** Replicas that must have a record before it is acknowledged. */
  readonly minInsync: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const forever = -1;

/** Longer than any deadline: a debit is dispatched on its own day, a posting is tried for 72 hours, an operator may redrive. */
const dispatchRetentionMs = 30 * dayMs;
const receiptsRetentionMs = 42 * dayMs;
/** The analytics contract, and the default of every retention that people read. */
const eventsRetentionMs = 5 * 366 * dayMs;
const deadLettersRetentionMs = 90 * dayMs;

export function topicSpecs({ lanes, replication, minInsync }: TopicSpecsOptions): readonly TopicSpec[] {
  const spec = (topic: string, partitions: number, retentionMs: number, cleanup: "delete" | "compact" = "delete"): TopicSpec => ({
    topic,
    partitions,
    replication,
    config: {
      "cleanup.policy": cleanup,
      "message.timestamp.type": "LogAppendTime",
      "min.insync.replicas": String(minInsync),
      "retention.bytes": String(forever),
      "retention.ms": String(retentionMs),
      "unclean.leader.election.enable": "false",
    },
  });
  return [
    spec(topics.journal, lanes, forever),
    spec(topics.dispatch, lanes, dispatchRetentionMs),
    spec(topics.events, lanes, eventsRetentionMs),
    spec(topics.receipts, lanes, receiptsRetentionMs),
    // The newest of each key stays for ever: a table downstream can always be built anew.
    spec(topics.transactions, lanes, forever, "compact"),
    spec(topics.deadLetters, lanes, deadLettersRetentionMs),
    spec(topics.probe, 1, hourMs),
  ];
}
