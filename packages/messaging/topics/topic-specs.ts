// The specified topics: partitions, replication, and the settings on which order and money depend.

import { topics } from "@sluice/contracts";

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  readonly replication: number;
  /** Settings by the broker's names. */
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicSpecsOptions {
  readonly partitionCount: number;
  readonly replication: number;
  /** Replicas that must have a record before it is acknowledged. */
  readonly minInsync: number;
  /** Milliseconds; the defaults where it is not given. */
  readonly retentionMs?: Readonly<Record<keyof typeof retentionDefaultMs, number>>;
}

/** Bytes of a batch, as the broker counts them: 1 MiB and the batch's head. */
const batchBytesMax = 1_048_588;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const forever = -1;

/**
 * Longer than any deadline: a debit is dispatched on its own day, a posting is tried for 72 hours, and operators may
 * redrive.
 */
const dispatchRetentionMs = 30 * dayMs;
/** As long as dispatch: postings are work to do. What a bank asks for later is rendered again (ADR 95). */
const eventsRetentionMs = 30 * dayMs;
const receiptsRetentionMs = 42 * dayMs;
/** Promised to analysts, for their own topics. */
const analyticsRetentionMs = 5 * 366 * dayMs;
const deadLettersRetentionMs = 90 * dayMs;

/** Topics whose offsets have holes, because the broker drops older records of a key. */
export const compactedTopics: ReadonlySet<string> = new Set([topics.transactions]);

const retentionDefaultMs = {
  dispatch: dispatchRetentionMs,
  events: eventsRetentionMs,
  analytics: analyticsRetentionMs,
  receipts: receiptsRetentionMs,
  deadLetters: deadLettersRetentionMs,
};

export function buildTopicSpecs({
  partitionCount,
  replication,
  minInsync,
  retentionMs = retentionDefaultMs,
}: TopicSpecsOptions): readonly TopicSpec[] {
  const spec = (topic: string, partitions: number, retentionMs: number): TopicSpec => ({
    topic,
    partitions,
    replication,
    config: {
      "cleanup.policy": compactedTopics.has(topic) ? "compact" : "delete",
      // A broker that packs batches again may do it in a way that no reader here knows.
      "compression.type": "producer",
      "max.message.bytes": String(batchBytesMax),
      "message.timestamp.type": "LogAppendTime",
      "min.insync.replicas": String(minInsync),
      "retention.bytes": String(forever),
      "retention.ms": String(retentionMs),
      "unclean.leader.election.enable": "false",
    },
  });
  return [
    spec(topics.journal, partitionCount, forever),
    spec(topics.dispatch, partitionCount, retentionMs.dispatch),
    spec(topics.events, partitionCount, retentionMs.events),
    spec(topics.receipts, partitionCount, retentionMs.receipts),
    // The newest record of each key is kept for ever, so that a table downstream can always be rebuilt.
    spec(topics.transactions, partitionCount, forever),
    spec(topics.stateEvents, partitionCount, retentionMs.analytics),
    spec(topics.items, partitionCount, retentionMs.analytics),
    spec(topics.days, partitionCount, retentionMs.analytics),
    spec(topics.deadLetters, partitionCount, retentionMs.deadLetters),
    // It says which two persons decided: it is kept as long as what they decided.
    spec(topics.proposals, partitionCount, forever),
    // A record that was dropped for its age would look like one that somebody took away.
    spec(topics.audit, partitionCount, forever),
    spec(topics.probe, 1, hourMs),
  ];
}
