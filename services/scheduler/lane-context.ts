// What every lane of a scheduler process shares.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { AgreedTime, Asides, Producer, ReceivedRecord } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { Handlers } from "./handler.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import type { SnapshotCaches } from "./snapshot-cache.ts";

export interface LaneContext {
  /** Names the owner in the lanes' documents and in dead letters. */
  readonly service: string;
  readonly handlers: Handlers;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: SchedulerMetrics;
  /** Reads pages of open transactions one at a time (`open-in-turn.ts`). */
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "ledgers" | "lanes">;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the journal. */
  readonly lanes: number;
  /** Records of a lane from an offset up to another, as they lie in the journal. */
  readonly read: (lane: number, from: bigint, to: bigint) => AsyncIterable<ReceivedRecord>;
  /** What operators put aside by hand. */
  readonly asides: Asides;
  /** For outputs. */
  readonly producer: Producer;
  /** For the facts of the tasks. */
  readonly append: AppendFacts;
  readonly agreedTime: AgreedTime;
  /** Counting documents is one lane's at a time: it reads a day whole. */
  readonly conservationTurn: <T>(count: () => Promise<T>) => Promise<T>;
  /** One for each tenure; bounded over all of them. */
  readonly snapshots: SnapshotCaches;
  readonly acknowledgedAtMs: Map<string, number>;
  /** Milliseconds since the group's coordinator last answered this process. */
  heartbeatAgeMs(): number;
}
