// What a handler of a journal record works on, and what it returns. Handlers are pure: they decide in memory; the batch
// loads before them, and writes, produces and reports after them.

import type { AnyDecodedRecord, RecordName, Serde } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import type { BankState, Day, DayKey, PartitionView, OperatorAction, AppliedBankMarker, AppliedMarker, Transaction } from "@sluice/domain";
import type { OutgoingRecord, ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";

/** A journal record that was read. */
export interface JournalRecord {
  readonly record: ReceivedRecord;
  readonly key: string;
  readonly decoded: AnyDecodedRecord;
  readonly handler: JournalHandler;
}

/** A record, and its decoded content; null if it cannot be read. */
export interface SourceRecord {
  readonly record: ReceivedRecord;
  readonly decoded: AnyDecodedRecord | null;
}

/** The aggregates of a batch in memory, by key; null if an aggregate does not exist yet. */
export interface UnitOfWork {
  readonly markers: PartitionView;
  readonly documents: Map<string, TransactionDocument | null>;
  readonly days: Map<DayKey, Day | null>;
  /** Bank states, by `bank:<id>`. */
  readonly banks: Map<string, BankState | null>;
}

/** What is the same for every record. */
export interface HandlerContext {
  /** Names the service in dead letters. */
  readonly service: string;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly partitionCount: number;
  /** The version of the rules that the handlers decide by. */
  readonly rulesVersion: number;
}

/** The result of handling a record. */
export interface HandledRecord {
  readonly record: ReceivedRecord;
  readonly key: string;
  /** The record name, or `unreadable`. */
  readonly name: RecordName | "unreadable";
  readonly decision: "applied" | "recorded" | "ignored" | "refused" | "replayed" | "passed" | "dead-lettered";
  readonly reason: string | null;
  readonly outgoing: readonly OutgoingRecord[];
  /** The transaction after this record; null if the record is not about one. */
  readonly transaction: Transaction | null;
  readonly day: Day | null;
  readonly bank: BankState | null;
  /** The operator's request; null if the record is none. */
  readonly action: OperatorAction | null;
  readonly marker: AppliedMarker | null;
  readonly bankMarker: AppliedBankMarker | null;
}

/** The default: the record changed no transaction, day or bank, and is no marker. */
export const noEffects = { transaction: null, day: null, bank: null, action: null, marker: null, bankMarker: null } as const;

export interface JournalHandler {
  /** What the record's key names, and so what is loaded before the record is handled. */
  readonly aggregate: "transaction" | "day" | "bank" | "partition";
  /** Set if everything before the record must be written and produced first: a batch begins with it. */
  readonly beginsBatch?: true;
  /** Puts the changed aggregate into `working`. Throws if the record cannot be decided; it is then dead-lettered. */
  handle(record: JournalRecord, working: UnitOfWork, context: HandlerContext): HandledRecord;
}

export type JournalHandlers = Readonly<Partial<Record<RecordName, JournalHandler>>>;
