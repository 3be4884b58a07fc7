// The store port: snapshots, days, partitions and parked messages. The journal is the truth; everything here can be
// rebuilt from it. Adapters: MongoDB (`mongodb/`) and memory (`memory/`); both pass `conformance/`.
//
// Promises of every adapter:
// #1 `write` is a compare-and-set per document on `version`. A document that `conflicts` does not name was written as
//    given. A named one was not written, or was written and already overwritten by another writer. Either way, reread.
// #2 A resolved write is durable (majority). A rejected write has an unknown outcome: reread.
// #3 No multi-document transaction, no upsert, no polling by query; a bulk is sorted by `_id`.

import type { LedgerTransaction, BankState, Day, DayKey, Item, RulesSpan, Transaction } from "@sluice/domain";
import type { LedgerStore } from "./ledger-port.ts";
import type { OpenRow, UnreadRow } from "./open-rows.ts";
import type { PartitionStore } from "./partition-port.ts";
import type { NewestCursor, NewestStart, SearchTerms, SummaryRow, TotalsRow, TransactionQuery } from "./query.ts";

export * from "./ledger-port.ts";
export type * from "./open-rows.ts";
export * from "./partition-port.ts";
export * from "./query.ts";

/** A transaction's snapshot: the domain's view, and its messages as Avro bytes in wire format (with schema id). */
export interface TransactionDocument {
  readonly transaction: Transaction;
  /** Wire-format bytes of the accepted DirectDebitReceived or CreditTransferReceived record. */
  readonly acceptedMessage: Uint8Array;
  /** Wire-format bytes of the final StatusReportReceived record; null before it came. */
  readonly finalReport: Uint8Array | null;
  /** Wire-format bytes of the AccountVerified record that was applied; null before it came. */
  readonly verdict: Uint8Array | null;
  readonly search: SearchTerms;
  /** The versions of the rules that decided its records. */
  readonly rules: RulesSpan;
  /** The traceparent of its accepted message; null where that had none. */
  readonly traceparent: string | null;
}

export interface TransactionWrite {
  readonly document: TransactionDocument;
  /** 0: the document must not exist. */
  readonly expectedVersion: number;
  /**
   * The document of `expectedVersion` from which this one was made. Where the adapter wrote that very object, it sets
   * only the members that differ.
   */
  readonly before?: TransactionDocument | null;
}

export interface DocumentVersion {
  readonly partition: number;
  readonly version: number;
}

/** Transactions of all partitions, each in the build that its partition's document names. */
export interface TransactionStore {
  /** Loads documents by UETR (lower case); missing ones are absent from the map. At most 1,000. */
  load(uetrs: readonly string[]): Promise<ReadonlyMap<string, TransactionDocument>>;
  /** Reads the versions of at most 1,000 documents by UETR, without the documents; missing ones are absent. */
  versions(uetrs: readonly string[]): Promise<ReadonlyMap<string, DocumentVersion>>;
  /**
   * Writes at most 1,000 documents. Returns the UETRs that were not written because their version differs, or because
   * they exist or do not exist against expectation.
   */
  write(writes: readonly TransactionWrite[]): Promise<{ readonly conflicts: readonly string[] }>;
  /**
   * Lists a partition's open transactions, and its orphans with an unread message, by UETR after `afterUetr`, at most
   * `limit` (≤ 10,000). This is a scan, for take-overs and closes.
   */
  open(partition: number, afterUetr: string | null, limit: number): Promise<readonly (OpenRow | UnreadRow)[]>;
  /**
   * Lists the UETRs of a partition's quarantined transactions, those quarantined longest first, at most `limit`
   * (≤ 10,000).
   */
  quarantined(partition: number, limit: number): Promise<readonly string[]>;
  /**
   * Lists a partition's held transactions of a bank and business day (`scheme:date`) by queue key after
   * `afterQueueKey`, at most `limit` (≤ 10,000).
   */
  held(partition: number, bank: string, day: string, afterQueueKey: string | null, limit: number): Promise<readonly OpenRow[]>;
  /**
   * Lists the UETRs of a sender's accepted messages with this identification, in order, at most `limit` (≤ 10,000),
   * because banks give one identification to a whole file. For operators.
   */
  identified(sender: string, messageIdentification: string, limit: number): Promise<readonly string[]>;
  /** Lists the reconciliation items of a day by UETR. For operators. */
  items(
    day: string,
    afterUetr: string | null,
    limit: number,
  ): Promise<readonly { readonly uetr: string; readonly bank: string | null; readonly item: Item }[]>;
  /**
   * Reads what the ledger needs of a partition's transactions that were ever on a day, by UETR after `afterUetr`, at
   * most `limit` (≤ 10,000).
   */
  accounted(partition: number, day: DayKey, afterUetr: string | null, limit: number): Promise<readonly LedgerTransaction[]>;
  /** Lists the transactions that match a query by UETR after `afterUetr`, at most `limit` (≤ 1,000). For operators. */
  search(query: TransactionQuery, afterUetr: string | null, limit: number): Promise<readonly SummaryRow[]>;
  /**
   * Lists the transactions that match a query, the last received first and then by falling UETR, after `after`, at most
   * `limit` (≤ 1,000). For operators.
   */
  newest(query: TransactionQuery, after: NewestCursor | NewestStart, limit: number): Promise<readonly SummaryRow[]>;
  /**
   * Counts and sums the transactions that match a query, exactly and in no order; rejects beyond 100,000 groups. For
   * operators.
   */
  totals(query: TransactionQuery): Promise<readonly TotalsRow[]>;
}

export interface DayStore {
  load(keys: readonly string[]): Promise<ReadonlyMap<string, Day>>;
  /** Compare-and-set on `version`: returns false where it lost. 0: the document must not exist. */
  write(day: Day, expectedVersion: number): Promise<boolean>;
  /** Lists days with windows that are not yet reconciled, by key; at most `openDaysMax`. */
  open(): Promise<readonly Day[]>;
}

export interface BankStore {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, BankState>>;
  /** Compare-and-set on `version`: returns false where it lost. 0: the document must not exist. */
  write(state: BankState, expectedVersion: number): Promise<boolean>;
  /** Lists the banks by id; of more than `receiversMax` the paused ones first, so that no pause is left out. */
  all(): Promise<readonly BankState[]>;
}

/** Transactions of a partition in a build other than the one in use. */
export interface BuildStore {
  transactions(build: number): Pick<TransactionStore, "load" | "versions" | "write">;
  /** Lists a partition's documents in a build by UETR after `afterUetr`, at most `limit` (≤ 1,000). */
  documents(partition: number, build: number, afterUetr: string | null, limit: number): Promise<readonly TransactionDocument[]>;
  /** Removes a partition's documents from a build. The caller knows that the build is not in use. */
  remove(partition: number, build: number): Promise<void>;
  /** Creates the collections and indexes of a build; idempotent. */
  prepare(build: number): Promise<void>;
  /**
   * Drops a build with all that is in it; one that does not exist is dropped already. The caller knows that nobody uses
   * it. Build 0 is not dropped, because the store is prepared with it.
   */
  drop(build: number): Promise<void>;
  /** Lists the existing builds in order. */
  list(): Promise<readonly number[]>;
}

/** A message of the backlog that is kept in the store, because it was not acknowledged at once. */
export interface ParkedMessage {
  /** The `messageIdentification`, or the event's id. */
  readonly id: string;
  readonly partition: number;
  readonly receiverId: string;
  /** Messages with one key leave in order of `sequence`. */
  readonly deliveryKey: string;
  readonly uetr: string;
  /**
   * The operation, so that the address is known without the record; null where it was parked before this was stored.
   */
  readonly operation: string | null;
  /** Offset of its record in the partition. */
  readonly sequence: bigint;
  /** Wire-format bytes of the record (Dispatch or TransactionStateEvent). */
  readonly record: Uint8Array;
  /** The traceparent of the record; null where it had none. */
  readonly traceparent: string | null;
  readonly nextAttemptAtMs: number;
  readonly reconciliationDay: string | null;
  readonly deadlineMs: number | null;
  /** From this time on nothing is attempted, and only a change ends it; null: it has no stop time of its own. */
  readonly stopsAtMs: number | null;
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** At least one attempt left open whether the message was taken. */
  readonly mayHaveBeenTaken: boolean;
  /** The newest attempts, at most ten. */
  readonly recentAttempts: readonly ParkedAttempt[];
  /** A summary of the attempts before them; null: there are none. */
  readonly earlier: AttemptSummary | null;
  /**
   * How it ended.
   * null: it is still tried. "refused": a not-recoverable response, or an operator's stop; kept until a change arrives.
   * "refusing": a not-recoverable response, whose fact may not be appended yet. "stopped": kept for a while, so that
   * its record is recognized if it comes again; not shown to operators.
   */
  readonly ended: "refusing" | "refused" | "stopped" | null;
  /** The newest redrive that was applied; null: none. */
  readonly redrive: ParkedRedrive | null;
  /** The newest stop of an operator that was applied; null: none. It was given up by it if no redrive is newer. */
  readonly stop: ParkedStop | null;
  /** The write that it comes from. Each write has its own version; the write that counts has the greatest. */
  readonly version: bigint;
}

/** A parked message at one version. */
export type ParkedVersion = Pick<ParkedMessage, "id" | "version">;

/** An operator's decision to try it again. */
export interface ParkedRedrive {
  /** Journal offset of the decision. The same one, or an older one, changes nothing. */
  readonly offset: bigint;
  /** The new deadline where it is later than `deadlineMs`; null: unchanged. */
  readonly untilMs: number | null;
}

/** An operator's decision to try it no more. */
export interface ParkedStop {
  /** Journal offset of the decision. The same one, or an older one, changes nothing. */
  readonly offset: bigint;
  /** Id of the operator. */
  readonly operator: string;
  /** The second person; null: none was needed. */
  readonly confirmedBy: string | null;
}

export interface ParkedAttempt {
  readonly atMs: number;
  readonly httpStatusCode: number | null;
  /** The response, masked, at most 1,024 characters. */
  readonly answer: string | null;
  readonly tookMs: number;
  /** Scheme, host, port and path; null: not known. */
  readonly address: string | null;
  readonly class: "acknowledged" | "transient" | "address" | "refused" | "unknown";
}

/** A summary of attempts that are no longer kept one by one. */
export interface AttemptSummary {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** How often each status code came; null stands for no response, or for a code that is not listed. At most ten. */
  readonly answers: readonly { readonly httpStatusCode: number | null; readonly count: number }[];
}

/**
 * What a service knows of one endpoint's health: kept over restarts, and shown to operators. It is advisory, so the
 * last writer wins.
 */
export interface EndpointHealth {
  /** Either `dispatcher` or `event-publisher`. */
  readonly service: string;
  readonly receiverId: string;
  /** The origin of the address: scheme, host, port. */
  readonly origin: string;
  /** Since when and why only probes are sent; null: the breaker is closed. */
  readonly breaker: { readonly sinceMs: number; readonly reason: string } | null;
  /** The learnt number of concurrent requests that it can handle. */
  readonly concurrency: number;
  /** Nothing is sent before this time, epoch ms of the broker clock (`Retry-After`); null: no limit. */
  readonly retryAfterUntilMs: number | null;
  /** When this was written, epoch ms. */
  readonly updatedAtMs: number;
  /** What the newest check that an operator asked for brought; null: there was none. */
  readonly check: EndpointCheck | null;
  /** When its breaker opened, with the reason, and closed (null), the oldest first: the newest 20 of who wrote last. */
  readonly changes: readonly { readonly atMs: number; readonly reason: string | null }[];
  /** What checks brought, the oldest first: the newest ten. `addCheck` alone changes them. */
  readonly checks: readonly KeptCheck[];
}

export interface KeptCheck extends EndpointCheck {
  /** Id of the operator who asked for it. */
  readonly operator: string;
}

export interface EndpointCheck {
  /** The id of the operator's request. */
  readonly action: string;
  /** Epoch ms of the broker clock. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Null where no HTTP answer came; then `reason` says why. */
  readonly httpStatusCode: number | null;
  readonly reason: string | null;
}

export interface EndpointHealthStore {
  /** Replaces each document by (service, receiver, origin), but for its checks. At most 1,000. */
  write(health: readonly EndpointHealth[]): Promise<void>;
  /** Adds a check to those that are kept. Where nothing is stored of the endpoint, `health` is too. */
  addCheck(health: EndpointHealth, check: KeptCheck): Promise<void>;
  /** Lists one service's endpoints, or all (null), by (service, receiver, origin); at most 10,000. */
  all(service: string | null): Promise<readonly EndpointHealth[]>;
}

export interface ParkedStore {
  /** Inserts at most 1,000 messages. Returns the ids that existed already; their stored messages stay. */
  insert(messages: readonly ParkedMessage[]): Promise<{ readonly existing: readonly string[] }>;
  /**
   * Replaces attempt state and version by compare-and-set; returns false where the stored version is not
   * `expectedVersion`, or the message is absent.
   */
  update(message: ParkedRow, expectedVersion: bigint): Promise<boolean>;
  /**
   * Removes at most 1,000 messages, each by compare-and-set on its version. Returns the ids of those that are still
   * stored, at another version.
   */
  remove(messages: readonly ParkedVersion[]): Promise<{ readonly conflicts: readonly string[] }>;
  /**
   * Raises the version of a partition's messages from a sequence on to `version`, where it is less. Nothing else
   * changes.
   */
  raiseVersions(partition: number, fromSequence: bigint, version: bigint): Promise<void>;
  /**
   * Lists a partition's messages by (sequence, id) after `after`, at most `limit` (≤ 10,000), all or some. For
   * take-overs and refills of the backlog page.
   */
  listByPartition(
    partition: number,
    after: PartitionCursor | null,
    limit: number,
    selection?: ParkedSelection,
  ): Promise<readonly ParkedRow[]>;
  /** Lists the messages of at most 1,000 delivery keys by (sequence, id), at most `limit` (≤ 10,000). */
  listByKeys(deliveryKeys: readonly string[], limit: number): Promise<readonly ParkedRow[]>;
  load(ids: readonly string[]): Promise<ReadonlyMap<string, ParkedMessage>>;
  /** Reads the versions of at most 1,000 messages by id; those of missing messages are absent from the map. */
  versions(ids: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Lists the messages of one receiver, or of all (null), in all partitions by (receiver, sequence, id) after `after`,
   * at most `limit` (≤ 1,000), those that were attempted `attemptsMin` times or more (0: all). For operators.
   */
  listByReceiver(bank: string | null, after: ParkedCursor | null, limit: number, attemptsMin?: number): Promise<readonly ParkedRow[]>;
  /** Counts the messages by receiver and day. For operators. */
  totals(): Promise<readonly ParkedTotals[]>;
}

/** All but those of some receivers (≤ 1,000), or those of one receiver and some of its operations (null: all). */
export type ParkedSelection =
  | { readonly exceptReceivers: readonly string[] }
  | { readonly only: { readonly receiverId: string; readonly operations: readonly (string | null)[] | null } };

export type PartitionCursor = Pick<ParkedCursor, "sequence" | "id">;

export interface ParkedCursor {
  readonly receiverId: string;
  readonly sequence: bigint;
  readonly id: string;
}

/** A parked message without its bytes. */
export type ParkedRow = Omit<ParkedMessage, "record">;

export interface ParkedTotals {
  readonly receiverId: string;
  /** The day whose close ends them; null: no day's close does. */
  readonly reconciliationDay: string | null;
  readonly count: number;
  /** How many of them were refused for good and wait for a redrive or the end. */
  readonly refused: number;
  /** The lowest offset in any partition. */
  readonly oldestSequence: bigint;
  /**
   * The earliest first attempt, or parking, of those still tried; it may be due a moment later. Null: none is tried, or
   * it is not known.
   */
  readonly waitingSinceMs: number | null;
  /** The earliest next attempt of those still tried; null: none is. */
  readonly nextAttemptAtMs: number | null;
  /** The earliest deadline; null: none has one. */
  readonly deadlineMs: number | null;
}

export interface Store {
  readonly transactions: TransactionStore;
  readonly days: DayStore;
  readonly banks: BankStore;
  readonly ledgers: LedgerStore;
  readonly partitions: PartitionStore;
  readonly builds: BuildStore;
  /** The dispatcher's parked messages. */
  readonly deliveries: ParkedStore;
  /** The event-publisher's parked messages. */
  readonly postings: ParkedStore;
  /** Endpoint health of both services. */
  readonly endpointHealth: EndpointHealthStore;
  /** Creates collections and indexes; idempotent. */
  prepare(): Promise<void>;
  /**
   * Names the indexes that `prepare` would create, as collection and name; of these collections alone where they are
   * given.
   */
  missingIndexes(collections?: readonly string[]): Promise<readonly string[]>;
  /** Resolves if the store answers; for readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
