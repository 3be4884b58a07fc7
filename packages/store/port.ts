// The store port: snapshots, days, lanes and parked messages. The journal is the truth; everything here can be made again.
// Adapters: MongoDB (`*-mongodb.ts`) and memory (`*-memory.ts`); both pass `conformance.ts`.
//
// Promises of every adapter:
// 1. `write` is a compare-and-set per document on `version`: a document not named in `conflicts` was written as given; one
//    that is named was not, or was and is already overwritten by another. Either way: reread.
// 2. A resolved write is durable (majority); a rejected one has an unknown outcome: reread.
// 3. No multi-document transaction, no upsert, no polling by query; a bulk is sorted by `_id`.

import type { Accounted, BankStanding, Day, DayKey, Flow, Item, LedgerRow, State, Transaction } from "@sluice/domain";
import type { SummaryRow, TotalsRow, TransactionQuery } from "./query.ts";

export type * from "./query.ts";

/** A transaction's snapshot: the domain's view, and the messages as Avro bytes in wire format (with schema id). */
export interface TransactionDocument {
  readonly transaction: Transaction;
  /** Wire-format bytes of the accepted DirectDebitReceived or CreditTransferReceived record. */
  readonly acceptedMessage: Uint8Array;
  /** Wire-format bytes of the final StatusReportReceived record; null before it came. */
  readonly finalReport: Uint8Array | null;
  /** Wire-format bytes of the AccountVerified record that was applied; null before it came. */
  readonly verdict: Uint8Array | null;
  readonly search: SearchTerms;
}

/** What people look for and the domain does not need. Of accounts the last four characters alone. */
export interface SearchTerms {
  readonly endToEndIdentification: string | null;
  readonly transactionIdentification: string | null;
  readonly instructionIdentification: string | null;
  readonly debtorAccountEnd: string | null;
  readonly creditorAccountEnd: string | null;
  /** Codes of the reasons why it was refused or not made: of the verdict, and of the bank's report. */
  readonly reasons: readonly string[];
}

export const noSearchTerms: SearchTerms = {
  endToEndIdentification: null,
  transactionIdentification: null,
  instructionIdentification: null,
  debtorAccountEnd: null,
  creditorAccountEnd: null,
  reasons: [],
};

export interface TransactionWrite {
  readonly document: TransactionDocument;
  /** 0: the document must not exist. */
  readonly expectedVersion: number;
}

/** What a lane's owner keeps of an open transaction (projection only): one that is unresolved, or whose connector still has to be told the outcome. */
export interface OpenRow {
  readonly uetr: string;
  readonly state: State;
  readonly flow: Flow;
  readonly scheme: string;
  /** Own deadline of a credit, epoch ms. */
  readonly deadlineMs: number | null;
  /** The outcome was told and is not acknowledged. */
  readonly isOutcomeAwaited: boolean;
  /** Offset of the record that made it: whether it was received before a declaration. */
  readonly receivedOffset: bigint;
  readonly bank: string | null;
  readonly businessDate: string | null;
  readonly closesWith: string;
  /** Release order: receivedAt as 15 digits, then ':' and the UETR. */
  readonly queueKey: string;
  /** How often it may still go over to the next business date. */
  readonly rollsLeft: number;
}

/** Of all lanes, each in the build that its lane's document names. */
export interface TransactionStore {
  /** Documents by UETR (lower case); missing ones are absent from the map. At most 1,000 asked. */
  load(uetrs: readonly string[]): Promise<ReadonlyMap<string, TransactionDocument>>;
  /** At most 1,000 writes. Answers the UETRs that were not written because their version differs (or already/no longer exist). */
  write(writes: readonly TransactionWrite[]): Promise<{ readonly conflicts: readonly string[] }>;
  /** Open transactions of a lane by UETR, after `afterUetr`, at most `limit` (≤ 10,000). A scan: for take-over and closes. */
  open(lane: number, afterUetr: string | null, limit: number): Promise<readonly OpenRow[]>;
  /** Held transactions of a lane, bank and business day (`scheme:date`), by queue key after `afterQueueKey`, at most `limit` (≤ 10,000). */
  held(lane: number, bank: string, day: string, afterQueueKey: string | null, limit: number): Promise<readonly OpenRow[]>;
  /** UETRs under which a sender's accepted message has this identification, in order, at most `limit` (≤ 10,000): banks number files. For people. */
  identified(sender: string, messageIdentification: string, limit: number): Promise<readonly string[]>;
  /** Reconciliation items of a day, for people; by UETR. */
  items(
    day: string,
    afterUetr: string | null,
    limit: number,
  ): Promise<readonly { readonly uetr: string; readonly bank: string | null; readonly item: Item }[]>;
  /** What the ledger reads of the transactions of a lane that ever stood on a day, by UETR after `afterUetr`, at most `limit` (≤ 10,000). */
  accounted(lane: number, day: DayKey, afterUetr: string | null, limit: number): Promise<readonly Accounted[]>;
  /** What a query finds, by UETR after `afterUetr`, at most `limit` (≤ 1,000). For people. */
  search(query: TransactionQuery, afterUetr: string | null, limit: number): Promise<readonly SummaryRow[]>;
  /** Counts and sums of what a query finds, exact, in no order; rejects beyond 100,000 groups. For people. */
  totals(query: TransactionQuery): Promise<readonly TotalsRow[]>;
}

export interface DayStore {
  load(keys: readonly string[]): Promise<ReadonlyMap<string, Day>>;
  /** Compare-and-set on `version`; false = lost. 0: must not exist. */
  write(day: Day, expectedVersion: number): Promise<boolean>;
  /** Days with windows that are not yet reconciled, by key. Bounded: at most 100. */
  open(): Promise<readonly Day[]>;
}

export interface BankStore {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, BankStanding>>;
  /** Compare-and-set on `version`; false = lost. 0: must not exist. */
  write(standing: BankStanding, expectedVersion: number): Promise<boolean>;
  /** By id. Bounded: at most 1,000. */
  all(): Promise<readonly BankStanding[]>;
}

/** What a lane's records below `through` moved on a day: by bank and currency. */
export interface LaneLedger {
  readonly lane: number;
  readonly day: DayKey;
  readonly version: number;
  readonly through: bigint;
  readonly rows: readonly LedgerRow[];
}

export interface LedgerStore {
  load(lane: number, days: readonly DayKey[]): Promise<ReadonlyMap<DayKey, LaneLedger>>;
  /** Compare-and-set on `version`; false = lost. 0: must not exist. */
  write(ledger: LaneLedger, expectedVersion: number): Promise<boolean>;
  /** Of all lanes, by lane. */
  ofDay(day: DayKey): Promise<readonly LaneLedger[]>;
  /** Of all days of a lane, by day. At most 10,000. */
  ofLane(lane: number): Promise<readonly LaneLedger[]>;
}

/** One (service, partition). `state` is the service's own (markers passed), plain JSON. */
export interface LaneDocument {
  readonly service: string;
  readonly partition: number;
  readonly epoch: number;
  /** Next offset to read. */
  readonly position: bigint;
  readonly state: unknown;
  /** Which build of its transactions is in use; 0: the first. Others are being built, or were in use before. */
  readonly build: number;
  /** Whoever holds the lane: until then no owner goes on. null: nobody. */
  readonly hold: LaneHold | null;
}

export interface LaneHold {
  readonly id: string;
  /** Its lease: from then on an owner may end it. */
  readonly untilMs: number;
}

/** What a lane goes on with after it was built anew. */
export interface LaneSwitch {
  readonly build: number;
  readonly position: bigint;
  readonly state: unknown;
}

export interface LaneStore {
  /** Raises the owner epoch by compare-and-set (retrying a bounded number of times) and answers the document; a new one starts at position 0, state null. */
  takeOver(service: string, partition: number): Promise<LaneDocument>;
  /** Writes position (and state, unless undefined) on condition of the epoch; false = another owner took over. */
  write(service: string, partition: number, epoch: number, position: bigint, state?: unknown): Promise<boolean>;
  list(service: string): Promise<readonly LaneDocument[]>;
  /** Holds the lane and raises its epoch, or renews one's own hold (the same id); null: another's hold is there, or there is no such lane. */
  hold(service: string, partition: number, hold: LaneHold): Promise<LaneDocument | null>;
  /** Ends a hold; false: it is not there (any more). */
  release(service: string, partition: number, holdId: string): Promise<boolean>;
  /** Build, position, state and a raised epoch in one write, which ends the hold; false: the hold is not there any more. */
  switchTo(service: string, partition: number, holdId: string, to: LaneSwitch): Promise<boolean>;
}

/** Transactions of a lane in a build that it does not use, or beside what it uses. */
export interface BuildStore {
  transactions(build: number): Pick<TransactionStore, "load" | "write">;
  /** Of a lane in a build, by UETR after `afterUetr`, at most `limit` (≤ 1,000). */
  documents(lane: number, build: number, afterUetr: string | null, limit: number): Promise<readonly TransactionDocument[]>;
  /** Forgets a lane's documents in a build. The caller knows that it is not in use. */
  remove(lane: number, build: number): Promise<void>;
  /** Collections and indexes of a build; idempotent. */
  prepare(build: number): Promise<void>;
  /** Builds that there are, in order. */
  list(): Promise<readonly number[]>;
}

/** A message not acknowledged at once. */
export interface ParkedMessage {
  /** `messageIdentification`, or the event's id. */
  readonly id: string;
  readonly lane: number;
  readonly bank: string;
  /** Messages of one key leave in order of `sequence`. */
  readonly deliveryKey: string;
  readonly uetr: string;
  /** What is sent, so that its address is known without the record; null in one that was parked before this was kept. */
  readonly operation: string | null;
  /** Offset of its record in the lane's topic. */
  readonly sequence: bigint;
  /** Wire-format bytes of the record (Dispatch or TransactionStateEvent). */
  readonly record: Uint8Array;
  /** Of the record, where it had one. */
  readonly traceparent: string | null;
  readonly nextAttemptAtMs: number;
  readonly closesWith: string | null;
  readonly deadlineMs: number | null;
  /** Attempts stop then, and only a change ends it; null: not by a time of its own. */
  readonly stopsAtMs: number | null;
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** An attempt left open whether the message was taken. */
  readonly mayHaveBeenTaken: boolean;
  /** The newest, at most ten. */
  readonly recentAttempts: readonly ParkedAttempt[];
  /** Those before them, summed up; null: there are none. */
  readonly earlier: EarlierAttempts | null;
  /**
   * null: still tried; "refused": a not-recoverable answer, kept until a change arrives; "refusing": the same, and the fact of it may not be appended yet;
   * "stopped": kept for a while so that its record is known should it come again; not told to people.
   */
  readonly ended: "refusing" | "refused" | "stopped" | null;
  /** The newest redrive that was applied; null: none was. */
  readonly redrive: ParkedRedrive | null;
}

/** An operator had it tried again. */
export interface ParkedRedrive {
  /** Journal offset of the decision: an older one, or the same again, changes nothing. */
  readonly offset: bigint;
  /** Its own deadline where that is later than `deadlineMs`; null: as it was. */
  readonly untilMs: number | null;
}

export interface ParkedAttempt {
  readonly atMs: number;
  readonly httpStatusCode: number | null;
  /** Masked, at most 1,024 characters. */
  readonly answer: string | null;
  readonly tookMs: number;
  /** Scheme, host, port and path; null: not known. */
  readonly address: string | null;
  readonly class: "acknowledged" | "transient" | "address" | "refused" | "unknown";
}

/** Attempts that are not kept one by one any more. */
export interface EarlierAttempts {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** How often each answer came (null: none, or another than those named); at most ten. */
  readonly answers: readonly { readonly httpStatusCode: number | null; readonly count: number }[];
}

/** What a service has learnt of an address of a receiver: kept over restarts, and shown. Advice, not truth: the last writer wins. */
export interface AddressStanding {
  /** dispatcher or event-publisher. */
  readonly service: string;
  readonly bank: string;
  /** Origin of the address (scheme, host, port). */
  readonly address: string;
  /** Why and since when nothing but probes is sent; null: the breaker is closed. */
  readonly breaker: { readonly sinceMs: number; readonly reason: string } | null;
  /** Learnt: how many requests at once it bears. */
  readonly concurrency: number;
  /** Nothing is sent before, epoch ms by agreed time (`Retry-After`); null: no gate. */
  readonly gateUntilMs: number | null;
  /** When this was written, epoch ms. */
  readonly updatedAtMs: number;
}

export interface AddressStore {
  /** Replaces each by (service, bank, address). At most 1,000. */
  write(standings: readonly AddressStanding[]): Promise<void>;
  /** Of one service, or of all (null), by (service, bank, address). Bounded: at most 10,000. */
  all(service: string | null): Promise<readonly AddressStanding[]>;
}

export interface ParkedStore {
  /** A duplicate id is success and leaves the stored one. At most 1,000. */
  insert(messages: readonly ParkedMessage[]): Promise<void>;
  /** Replaces attempt state; an absent id is success. */
  update(message: ParkedRow): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** All of a lane, but those of `banks.butOf` (≤ 1,000), by (sequence, id) after `after`, at most `limit` (≤ 10,000). A scan: for take-over and page refills. */
  ofLane(
    lane: number,
    after: LanePlace | null,
    limit: number,
    banks?: { readonly butOf: readonly string[] },
  ): Promise<readonly ParkedRow[]>;
  load(ids: readonly string[]): Promise<ReadonlyMap<string, ParkedMessage>>;
  /** All lanes by (bank, sequence, id) after `after`, at most `limit` (≤ 1,000); of one bank, or of all (null). For people. */
  ofBank(bank: string | null, after: ParkedPlace | null, limit: number): Promise<readonly ParkedRow[]>;
  /** By bank and day. For people. */
  totals(): Promise<readonly ParkedTotals[]>;
}

export type LanePlace = Pick<ParkedPlace, "sequence" | "id">;

export interface ParkedPlace {
  readonly bank: string;
  readonly sequence: bigint;
  readonly id: string;
}

/** A parked message without its bytes. */
export type ParkedRow = Omit<ParkedMessage, "record">;

export interface ParkedTotals {
  readonly bank: string;
  /** The day whose close ends them; null: no day's does. */
  readonly closesWith: string | null;
  readonly count: number;
  /** Of them, refused for good: they wait for a redrive or the end. */
  readonly refused: number;
  /** Lowest offset of any lane. */
  readonly oldestSequence: bigint;
  /** Of those still tried: when the first of them was first tried, or else parked (it may be due a moment later); null: none is, or it is not known. */
  readonly waitingSinceMs: number | null;
  /** Earliest next attempt of those still tried; null: none is. */
  readonly nextAttemptAtMs: number | null;
  /** Earliest deadline; null: none has one. */
  readonly deadlineMs: number | null;
}

export interface Store {
  readonly transactions: TransactionStore;
  readonly days: DayStore;
  readonly banks: BankStore;
  readonly ledgers: LedgerStore;
  readonly lanes: LaneStore;
  readonly builds: BuildStore;
  /** Of the dispatcher. */
  readonly deliveries: ParkedStore;
  /** Of the event-publisher. */
  readonly postings: ParkedStore;
  /** Of both: what they have learnt of receivers. */
  readonly addresses: AddressStore;
  /** Creates collections and indexes; idempotent. */
  prepare(): Promise<void>;
  /** Resolves if the store answers; for readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
