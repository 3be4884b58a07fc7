// Histories: what was recorded at points that do not trust the system, one JSON object a line. The checker is a function from
// them to a report. Offsets are decimal text, bytes are SHA-256 hex (and, where the checker must look inside, the text itself).

/** What banks and connectors send. */
export type MessageOperation =
  | "outboundDirectDebit"
  | "inboundDirectDebitResponse"
  | "inboundCreditTransferAuthorizationResponse"
  /** Of a connector. */
  | "inboundDirectDebit"
  | "inboundCreditTransferAuthorization"
  | "creditsFinal";

/**
 * A request that a bank's or a connector's client sent to Sluice, and what it was told. `bank`: id of either. `status` null: no answer.
 * Of creditsFinal the UETR is the day (`scheme:date`), and there is no identification.
 */
export interface SentEntry {
  readonly kind: "sent";
  readonly atMs: number;
  readonly bank: string;
  /** operatorAction: of an operator (`bank`: who); the UETR is the record's key, the identification the action's id. */
  readonly operation: MessageOperation | "operatorAction";
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly bodyHash: string;
  readonly status: number | null;
}

/** A request that a simulated bank or connector received from Sluice, and what it answered. `status` null: it gave no answer. */
export interface ReceivedEntry {
  readonly kind: "received";
  readonly atMs: number;
  readonly bank: string;
  readonly operation:
    | "outboundDirectDebitResponse"
    | "inboundDirectDebit"
    | "inboundCreditTransferAuthorization"
    /** At a connector. */
    | "inboundDirectDebitResponse"
    | "inboundCreditTransferAuthorizationResponse"
    | "events";
  readonly webhookId: string;
  readonly uetr: string;
  readonly bodyHash: string;
  readonly status: number | null;
  /** `Retry-After` of the answer, as it was sent; not given: there was none, or it is not known. */
  readonly retryAfter?: string;
  /** Of an event of class TRANSACTION_STATE; null otherwise. */
  readonly stageVersion: number | null;
  readonly state: string | null;
}

/** A record of a topic, read raw from offset 0 and decoded. `value` is the record with bigints as decimal text and bytes as base64. */
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

/** A transaction's snapshot from the store (bigints as decimal text, no message bytes). */
export interface SnapshotEntry {
  readonly kind: "snapshot";
  readonly uetr: string;
  readonly state: string;
  readonly closesWith: string;
  readonly transitions: readonly {
    readonly stageVersion: number;
    readonly state: string;
    readonly offset: string;
    readonly atMs: number;
  }[];
  readonly items: readonly SnapshotItem[];
  /** What operators asked for, as far as it is kept; not given: nothing is known of it. */
  readonly decisions?: readonly { readonly id: string; readonly kind: string; readonly result: string; readonly offset: string }[];
  /** The last ten. */
  readonly remarks: readonly { readonly kind: string; readonly messageIdentification: string; readonly offset: string }[];
}

export interface SnapshotItem {
  readonly day: string;
  readonly row: number | null;
  readonly cause: string | null;
  /** State that it was made in. */
  readonly state: string;
  /** Of an item shown early (row 3) that became needless before the close; null otherwise. */
  readonly settledAtMs: number | null;
}

/** A fault that the test injected. */
export interface FaultEntry {
  readonly kind: "fault";
  readonly atMs: number;
  readonly what: string;
}

/** What proves who we are to a receiver, or what it is believed by, was replaced while a service ran: by that service's own log. */
export interface RenewedEntry {
  readonly kind: "renewed";
  readonly atMs: number;
  readonly bank: string;
}

export type HistoryEntry = SentEntry | ReceivedEntry | RecordEntry | SnapshotEntry | FaultEntry | RenewedEntry;

export interface Violation {
  readonly promise: "I1" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I10" | "I12" | "I14";
  readonly uetr: string | null;
  /** One sentence: what was expected and what was found, with offsets. */
  readonly text: string;
}

export interface CheckReport {
  readonly violations: readonly Violation[];
  /** How much was checked, so that an empty history does not look like a good one. */
  readonly counts: Readonly<Record<string, number>>;
}
