// The entries of a history. A history is recorded at points that do not trust the system, one JSON object a line, and
// the checker is a function from a history to a report. Offsets are decimal text. Bytes are SHA-256 hex, or the text
// itself where the checker must look inside.

/** The operations that banks and connectors call. */
export type MessageOperation =
  | "outboundDirectDebit"
  | "inboundDirectDebitResponse"
  | "inboundCreditTransferAuthorizationResponse"
  /** Called by connectors. */
  | "inboundDirectDebit"
  | "inboundCreditTransferAuthorization"
  | "creditsFinal";

/**
 * A request that a bank or a connector sent to Sluice, and its answer. `bank` is the id of either. `status` is null if
 * no answer came. For creditsFinal `uetr` is the day (`scheme:date`), and the identification is empty.
 */
export interface SentEntry {
  readonly kind: "sent";
  readonly atMs: number;
  readonly bank: string;
  /**
   * For an operatorAction `bank` is the operator, `uetr` the record's key, and `messageIdentification` the action's id.
   */
  readonly operation: MessageOperation | "operatorAction";
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly bodyHash: string;
  readonly status: number | null;
}

/**
 * A request that a simulated bank or connector received from Sluice, and its answer. `status` is null if it did not
 * answer.
 */
export interface ReceivedEntry {
  readonly kind: "received";
  readonly atMs: number;
  readonly bank: string;
  readonly operation:
    | "outboundDirectDebitResponse"
    | "inboundDirectDebit"
    | "inboundCreditTransferAuthorization"
    /** Received by connectors. */
    | "inboundDirectDebitResponse"
    | "inboundCreditTransferAuthorizationResponse"
    | "events";
  readonly webhookId: string;
  readonly uetr: string;
  readonly bodyHash: string;
  readonly status: number | null;
  /** `Retry-After` of the answer as it was sent; absent if there was none or it is not known. */
  readonly retryAfter?: string;
  /** Set for an event of class TRANSACTION_STATE; null otherwise. */
  readonly stageVersion: number | null;
  readonly state: string | null;
}

/** A record that was read raw from a topic and decoded. `value` has bigints as decimal text and bytes as base64. */
export interface RecordEntry {
  readonly kind: "record";
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly appendedAtMs: number;
  readonly key: string | null;
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A transaction's snapshot from the store, with bigints as decimal text and without the bytes of messages. */
export interface SnapshotEntry {
  readonly kind: "snapshot";
  readonly uetr: string;
  readonly state: string;
  /** Null for a credit and for an orphan. */
  readonly reconciliationDay: string | null;
  /** Present while its records follow into the dead letters. */
  readonly isQuarantined?: true;
  readonly transitions: readonly {
    readonly stageVersion: number;
    readonly state: string;
    readonly offset: string;
    readonly atMs: number;
  }[];
  readonly items: readonly SnapshotItem[];
  /** The operators' decisions that the store keeps; absent if the history does not record them. */
  readonly decisions?: readonly { readonly id: string; readonly kind: string; readonly result: string; readonly offset: string }[];
  /** The last ten observations. */
  readonly observations: readonly { readonly kind: string; readonly messageIdentification: string; readonly offset: string }[];
}

export interface SnapshotItem {
  readonly day: string;
  readonly row: number | null;
  readonly cause: string | null;
  /** The state in which the item was made. */
  readonly state: string;
  /** When an item that was shown early (row 3) was settled before the close; null otherwise. */
  readonly settledAtMs: number | null;
}

/** A fault that the test injected. */
export interface FaultEntry {
  readonly kind: "fault";
  readonly atMs: number;
  readonly what: string;
}

/**
 * A service replaced the credentials or the trusted authorities of a receiver while it ran, according to its own log.
 */
export interface RenewedEntry {
  readonly kind: "renewed";
  readonly atMs: number;
  readonly bank: string;
}

export type HistoryEntry = SentEntry | ReceivedEntry | RecordEntry | SnapshotEntry | FaultEntry | RenewedEntry;

export interface Violation {
  readonly promise: "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I10" | "I12" | "I13" | "I14";
  readonly uetr: string | null;
  /** One sentence that says what was expected and what was found, with offsets. */
  readonly text: string;
}

export interface CheckReport {
  readonly violations: readonly Violation[];
  /** How much each check examined, so that an empty history does not look like a good one. */
  readonly counts: Readonly<Record<string, number>>;
}
