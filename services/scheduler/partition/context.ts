// What all partition workers of a scheduler process share.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type {
  BrokerClock,
  DoneSkips,
  LogIdentity,
  Messaging,
  OperatorSkips,
  PartitionEnds,
  PartitionWatch,
  Producer,
  ReceivedRecord,
} from "@sluice/messaging";
import type { Logger, SharedTimer, Time, Tracer } from "@sluice/kernel";
import type { OperatorJudge } from "@sluice/signatures";
import type { Store } from "@sluice/store";
import type { AppendFacts } from "../tasks/append-facts.ts";
import type { JournalHandlers } from "../handlers/handler.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import { openPageRowsMax } from "./serialize-open-reads.ts";
import type { SnapshotCaches } from "./snapshot-cache.ts";

/** What one page of a partition's tasks holds. */
export interface PageBounds {
  /** Keys of held debits of a bank, and of deadlines, that are kept in memory. */
  readonly keysMax: number;
  /** Open transactions that one call of the store answers. */
  readonly rowsMax: number;
}

export const usualPages: PageBounds = { keysMax: 10_000, rowsMax: openPageRowsMax };

export interface PartitionContext {
  /** Names the service in the partitions' documents and in dead letters. */
  readonly service: string;
  readonly handlers: JournalHandlers;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: SchedulerMetrics;
  readonly tracer?: Tracer;
  /** `shared-store.ts` */
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "partitions">;
  /** Calls all partitions whose position is to be written. */
  readonly positionTimer: SharedTimer;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Number of partitions of the journal. */
  readonly partitionCount: number;
  readonly pages: PageBounds;
  /** Records for analysts that wait for a partition's position. */
  readonly analystRecordsMax: number;
  /** The version of the rules that this process decides by. */
  readonly rulesVersion: number;
  /** Reads the journal records of a partition from one offset up to another, around the batches that were skipped. */
  readonly read: (partition: number, from: bigint, to: bigint, skips: DoneSkips) => AsyncIterable<ReceivedRecord>;
  /** Reads both ends of a partition of the journal. */
  readonly journalEnds: (partition: number) => Promise<PartitionEnds | null>;
  /** Reads the topic of snapshots. */
  readonly messaging: Pick<Messaging, "ends" | "read">;
  /** Which topic the journal is. */
  readonly journalIdentity: () => Promise<LogIdentity>;
  readonly operatorJudge: OperatorJudge;
  /** Records that operators asked to skip. */
  readonly operatorSkips: OperatorSkips;
  /** Sends the outputs. */
  readonly producer: Producer;
  /** Appends the facts of the background tasks. */
  readonly append: AppendFacts;
  readonly brokerClock: Pick<BrokerClock, "nowMs" | "observe">;
  /** Lets one partition at a time count documents: a count reads a whole day. */
  readonly serializeAudit: <T>(count: () => Promise<T>) => Promise<T>;
  /** Creates one snapshot cache for each lease; the bound holds over all of them. */
  readonly snapshots: SnapshotCaches;
  /** Monotonic milliseconds at which each bank last acknowledged a debit. */
  readonly acknowledgedAtMs: Map<string, number>;
  /** Looks at the store while partitions are owned. */
  readonly watch: PartitionWatch;
  /** Milliseconds since the group's coordinator last answered this process. */
  heartbeatAgeMs(): number;
}
