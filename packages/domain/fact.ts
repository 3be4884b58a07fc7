// Facts: what happens to a transaction, a business day or a bank, in the domain's words. Contracts' `from-wire.ts`
// makes them from records of the journal. A day is named by its key `scheme:date`, for example `ZA_EFT:2026-11-20`.

import type { DayKey } from "./markers.ts";
import type {
  BankFact,
  CloseExtensionRequested,
  DeadLettersReplayed,
  DeliveryStopRequested,
  GateOpeningRequested,
  ItemNoteRequested,
  ItemResolutionConfirmed,
  ItemResolutionRejected,
  ItemResolutionRequested,
  OperatorAction,
  RedriveRequested,
  WithdrawalRequested,
} from "./operator-fact.ts";

export type * from "./markers.ts";
export type * from "./operator-fact.ts";

/** Where a record is in its partition. `appendedAtMs` is the broker's time, never the clock of a process. */
export interface RecordPosition {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

/**
 * Identity of a message: (sender, operation, UETR, messageIdentification). Hashes are of canonical JSON, in hex digits.
 */
export interface MessageIdentity {
  readonly sender: string;
  readonly messageIdentification: string;
  readonly contentHash: string;
  /** Hash of the content without `messageIdentifiers`. */
  readonly substanceHash: string;
}

interface DebitReceivedBase {
  readonly kind: "DirectDebitReceived";
  readonly uetr: string;
  readonly message: MessageIdentity;
  readonly receivedAtMs: number;
  /** Provisional until the verdict: the day of the first reconciliation close at least an hour after receipt. */
  readonly reconciliationDay: DayKey;
  readonly closesAtMs: number;
  readonly scheme: string;
  /** bankSettlementAmount × 10,000. */
  readonly amountTenThousandths: bigint;
  readonly currency: string;
}

/** A bank submitted the debit. The verdict names the bank to which it is sent. */
interface OnUsDebitReceived extends DebitReceivedBase {
  readonly flow: "on-us";
  readonly bank: null;
}

/** A scheme connector sent the debit. */
interface OffUsDebitReceived extends DebitReceivedBase {
  readonly flow: "off-us";
  /** The debtor's bank. */
  readonly bank: string;
}

export type DirectDebitReceived = OnUsDebitReceived | OffUsDebitReceived;

export interface CreditTransferReceived {
  readonly kind: "CreditTransferReceived";
  readonly uetr: string;
  readonly message: MessageIdentity;
  readonly receivedAtMs: number;
  /** The creditor's bank. */
  readonly bank: string;
  /** Provisional until the verdict replaces it. */
  readonly businessDate: string;
  /** Provisional deadline for delivery and report, until the verdict replaces it. */
  readonly deadlineMs: number;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
}

export interface AccountVerified {
  readonly kind: "AccountVerified";
  /** The message that the validator checked. */
  readonly validatedMessage: Pick<MessageIdentity, "sender" | "messageIdentification" | "contentHash">;
  readonly verdict: "accepted" | "refused";
  /** The bank to which the debit or credit is sent. */
  readonly bank: string;
  readonly businessDate: string;
  /** The day whose close is the deadline of a debit; null for a credit. */
  readonly reconciliationDay: DayKey | null;
  /** The deadline of a credit; null for a debit. */
  readonly deadlineMs: number | null;
  /** The initiating bank of an on-us debit wants an outcome report. */
  readonly wantsOutcomeReport: boolean;
  /** How often a debit that is still held at its date's last window close is carried over; 0: it becomes an item. */
  readonly carryOversMax: number;
}

export interface Release {
  readonly kind: "Release";
  readonly scheme: string;
  readonly businessDate: string;
  readonly windowNumber: number;
  readonly bank: string;
}

export interface DeliveryEvidence {
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** An attempt had no answer, or one that leaves open whether the receiver accepted the message. */
  readonly mayHaveBeenTaken: boolean;
  readonly httpStatusCode: number | null;
  readonly isBreakerOpen: boolean;
  readonly isReceiverPaused: boolean;
}

export interface DeliveryEnded {
  readonly kind: "DeliveryEnded";
  readonly messageIdentification: string;
  readonly outcome: "acknowledged" | "refused" | "stopped";
  readonly evidence: DeliveryEvidence;
}

export interface StatusReportReceived {
  readonly kind: "StatusReportReceived";
  /** The address to which it was posted: that of reports on debits, or on credits. */
  readonly about: "debit" | "credit";
  readonly message: MessageIdentity;
  readonly receivedAtMs: number;
  readonly outcome: "made" | "not-made" | "pending";
  readonly originalMessageIdentification: string;
}

export interface DayClosed {
  readonly kind: "DayClosed";
  readonly day: DayKey;
}

/** The deadline of a credit was reached. It counts only if the record's append time confirms that. */
export interface DeadlinePassed {
  readonly kind: "DeadlinePassed";
  readonly deadlineMs: number;
}

/**
 * A record under the transaction's key was dead-lettered, by the scheduler or by an operator. It has no record of its
 * own.
 */
export interface RecordDeadLettered {
  readonly kind: "RecordDeadLettered";
  /** Why it was dead-lettered: a short, stable text. */
  readonly reason: string;
  /**
   * The message that the record's header says it holds; "unknown" if an operator skipped it, for a batch that cannot be
   * read shows no headers. Null: none that makes a transaction.
   */
  readonly holds: "debit" | "credit" | "unknown" | null;
}

export type TransactionFact =
  | DirectDebitReceived
  | CreditTransferReceived
  | AccountVerified
  | Release
  | DeliveryEnded
  | StatusReportReceived
  | DayClosed
  | DeadlinePassed
  | WithdrawalRequested
  | RedriveRequested
  | DeliveryStopRequested
  | ItemResolutionRequested
  | ItemResolutionConfirmed
  | ItemResolutionRejected
  | ItemNoteRequested
  | DeadLettersReplayed
  | RecordDeadLettered;

// ---- business days

export interface PlannedWindow {
  readonly number: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
}

export interface DayPlanned {
  readonly kind: "DayPlanned";
  readonly scheme: string;
  readonly businessDate: string;
  readonly zone: string;
  readonly calendarVersion: string;
  readonly isWorkingDay: boolean;
  readonly windows: readonly PlannedWindow[];
  readonly cutOffAtMs: number;
  readonly reconciliationAtMs: number;
  /** Null: the calendar has no business date after this one within reach. */
  readonly nextBusinessDate: string | null;
  readonly creditsFinal: "clock" | "bank" | "connector";
  /** Number of partitions of the journal; each gets a copy of every marker. */
  readonly partitionCount: number;
}

export interface DayTimeReached {
  readonly kind: "DayTimeReached";
  readonly scheme: string;
  readonly businessDate: string;
  readonly time: "window-opens" | "window-closes" | "reconciliation";
  /** Number of the window; 0 for the reconciliation close. */
  readonly number: number;
}

/**
 * The answer of one partition to a declaration: the banks that still have an unresolved credit from before it there.
 */
export interface PartitionCredits {
  readonly kind: "PartitionCredits";
  readonly scheme: string;
  readonly businessDate: string;
  readonly partition: number;
  /** Id of the CreditsDeclared marker, without the partition of the copy. */
  readonly declaration: string;
  readonly banksUnresolved: readonly string[];
}

/**
 * A bank that a partition named in its PartitionCredits has no unresolved credit from before the declaration there any
 * more.
 */
export interface PartitionBankClear {
  readonly kind: "PartitionBankClear";
  readonly scheme: string;
  readonly businessDate: string;
  readonly partition: number;
  readonly declaration: string;
  readonly bank: string;
}

/** A bank, a connector or an operator asks to declare the credits of a day final; the day decides. */
export interface CreditsFinalRequested {
  readonly kind: "CreditsFinalRequested";
  readonly scheme: string;
  readonly businessDate: string;
  readonly requestedBy: string;
  /** The one bank for which they are declared final; null: all banks. */
  readonly bank: string | null;
  /** Set where an operator asks, who may declare whatever the plan says; null otherwise. */
  readonly action: OperatorAction | null;
}

export type DayFact =
  | DayPlanned
  | DayTimeReached
  | PartitionCredits
  | PartitionBankClear
  | CreditsFinalRequested
  | CloseExtensionRequested
  | GateOpeningRequested;

export type Fact = TransactionFact | DayFact | BankFact;

/** The aggregate that decides about each kind of fact. */
export const aggregateByFactKind = {
  DirectDebitReceived: "transaction",
  CreditTransferReceived: "transaction",
  AccountVerified: "transaction",
  Release: "transaction",
  DeliveryEnded: "transaction",
  StatusReportReceived: "transaction",
  DayClosed: "transaction",
  DeadlinePassed: "transaction",
  WithdrawalRequested: "transaction",
  RedriveRequested: "transaction",
  DeliveryStopRequested: "transaction",
  ItemResolutionRequested: "transaction",
  ItemResolutionConfirmed: "transaction",
  ItemResolutionRejected: "transaction",
  ItemNoteRequested: "transaction",
  DeadLettersReplayed: "transaction",
  RecordDeadLettered: "transaction",
  DayPlanned: "day",
  DayTimeReached: "day",
  PartitionCredits: "day",
  PartitionBankClear: "day",
  CreditsFinalRequested: "day",
  CloseExtensionRequested: "day",
  GateOpeningRequested: "day",
  BankPauseRequested: "bank",
  BankResumeRequested: "bank",
} as const satisfies Readonly<Record<Fact["kind"], "transaction" | "day" | "bank">>;

export function isTransactionFact(fact: Fact): fact is TransactionFact {
  return aggregateByFactKind[fact.kind] === "transaction";
}

export function isDayFact(fact: Fact): fact is DayFact {
  return aggregateByFactKind[fact.kind] === "day";
}

export function isBankFact(fact: Fact): fact is BankFact {
  return aggregateByFactKind[fact.kind] === "bank";
}

/** The journal key of a bank's (or connector's) records. */
export function bankKey(bank: string): string {
  return `bank:${bank}`;
}

export function dayKey(scheme: string, businessDate: string): DayKey {
  return `${scheme}:${businessDate}`;
}
