// What a handler of a journal record works on, and what it answers. Handlers are pure: they judge in memory; the batch loads before and
// writes, produces and tells afterwards.

import type { AnyDecoded, RecordName, Serde } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import type { Day, DayKey, LaneView, PassedMarker, Transaction } from "@sluice/domain";
import type { OutgoingRecord, ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";

/** A record of the journal that could be read. */
export interface JournalRecord {
  readonly record: ReceivedRecord;
  readonly key: string;
  readonly decoded: AnyDecoded;
  readonly handler: Handler;
}

/** The aggregates of a batch in memory, by key; null: there is none yet. */
export interface Working {
  readonly lane: LaneView;
  readonly documents: Map<string, TransactionDocument | null>;
  readonly days: Map<DayKey, Day | null>;
}

/** What is the same for every record. */
export interface Surroundings {
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly lanes: number;
}

/** What a record was to its aggregate. */
export interface Turn {
  readonly record: ReceivedRecord;
  readonly key: string;
  /** Record name, or `unreadable`. */
  readonly name: RecordName | "unreadable";
  readonly decision: "applied" | "remarked" | "ignored" | "refused" | "replayed" | "passed" | "put-aside";
  readonly reason: string | null;
  readonly outgoing: readonly OutgoingRecord[];
  /** As this record left it; null where it is about none. */
  readonly transaction: Transaction | null;
  readonly day: Day | null;
  readonly marker: PassedMarker | null;
}

export interface Handler {
  /** What the record's key names, and so what is loaded before it is judged. */
  readonly aggregate: "transaction" | "day" | "lane";
  /** Puts the aggregate as it is from now on into `working`. Throws when the record cannot be judged; it is then put aside. */
  judge(record: JournalRecord, working: Working, surroundings: Surroundings): Turn;
}

export type Handlers = Readonly<Partial<Record<RecordName, Handler>>>;
