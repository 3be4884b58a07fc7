// What a handler of a journal record works on, and what it answers. Handlers are pure: they judge in memory; the batch loads before and
// writes, produces and tells afterwards.

import type { AnyDecoded, RecordName, Serde } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import type { BankStanding, Day, DayKey, LaneView, OperatorAction, PassedBankMarker, PassedMarker, Transaction } from "@sluice/domain";
import type { OutgoingRecord, ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";

/** A record of the journal that could be read. */
export interface JournalRecord {
  readonly record: ReceivedRecord;
  readonly key: string;
  readonly decoded: AnyDecoded;
  readonly handler: Handler;
}

/** A record, and what could be read of it; null: nothing. */
export interface Cause {
  readonly record: ReceivedRecord;
  readonly decoded: AnyDecoded | null;
}

/** The aggregates of a batch in memory, by key; null: there is none yet. */
export interface Working {
  readonly lane: LaneView;
  readonly documents: Map<string, TransactionDocument | null>;
  readonly days: Map<DayKey, Day | null>;
  /** By `bank:<id>`. */
  readonly banks: Map<string, BankStanding | null>;
}

/** What is the same for every record. */
export interface Surroundings {
  /** Named in dead letters. */
  readonly service: string;
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
  readonly bank: BankStanding | null;
  /** What an operator asked for; null: nobody did. */
  readonly action: OperatorAction | null;
  readonly marker: PassedMarker | null;
  readonly bankMarker: PassedBankMarker | null;
}

/** What most records are about nothing of. */
export const aboutNothing = { transaction: null, day: null, bank: null, action: null, marker: null, bankMarker: null } as const;

export interface Handler {
  /** What the record's key names, and so what is loaded before it is judged. */
  readonly aggregate: "transaction" | "day" | "bank" | "lane";
  /** All before it is written and produced first: a batch begins with it. */
  readonly beginsBatch?: true;
  /** Puts the aggregate as it is from now on into `working`. Throws when the record cannot be judged; it is then put aside. */
  judge(record: JournalRecord, working: Working, surroundings: Surroundings): Turn;
}

export type Handlers = Readonly<Partial<Record<RecordName, Handler>>>;
