// What happens to a transaction and to a business day: the facts of the journal, in the domain's words.
// Contracts' `from-wire.ts` makes them of records. A day is named by its key `scheme:date`, for example `ZA_EFT:2026-11-20`.

import type {
  BankFact,
  CloseExtensionRequested,
  DeadLettersReplayed,
  GateOpeningRequested,
  ItemResolutionConfirmed,
  ItemResolutionRequested,
  OperatorAction,
  RedriveRequested,
  WithdrawalRequested,
} from "./operator-fact.ts";

export type * from "./markers.ts";
export type * from "./operator-fact.ts";

export type DayKey = string;

/** Where a record lies in its lane. `appendedAtMs` is the log's time, never a process's clock. */
export interface Place {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

/** Identity of a message: (sender, operation, UETR, messageIdentification). The hashes are of canonical JSON, hex. */
export interface MessageIdentity {
  readonly sender: string;
  readonly messageIdentification: string;
  readonly contentHash: string;
  /** Without `messageIdentifiers`. */
  readonly substanceHash: string;
}

export interface DirectDebitReceived {
  readonly kind: "DirectDebitReceived";
  /** on-us: a bank's own; off-us: from a scheme connector. */
  readonly flow: "on-us" | "off-us";
  readonly uetr: string;
  readonly message: MessageIdentity;
  /** Of an off-us debit: the debtor's bank; null: the verdict names it. */
  readonly bank: string | null;
  readonly receivedAtMs: number;
  /** Provisional: the first reconciliation close at least an hour after receipt. */
  readonly closesWith: DayKey;
  readonly closesAtMs: number;
  readonly scheme: string;
  /** bankSettlementAmount × 10,000. */
  readonly amountTenThousandths: bigint;
  readonly currency: string;
}

export interface CreditTransferReceived {
  readonly kind: "CreditTransferReceived";
  readonly uetr: string;
  readonly message: MessageIdentity;
  readonly receivedAtMs: number;
  /** Bank of the creditor. */
  readonly bank: string;
  /** Provisional; the verdict replaces it. */
  readonly businessDate: string;
  /** Provisional deadline for delivery and report; the verdict replaces it. */
  readonly deadlineMs: number;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
}

export interface AccountVerified {
  readonly kind: "AccountVerified";
  /** What was judged: sender, identification and content hash of one message. */
  readonly judged: Pick<MessageIdentity, "sender" | "messageIdentification" | "contentHash">;
  readonly verdict: "accepted" | "refused";
  /** Bank that the debit or credit will be sent to. */
  readonly bank: string;
  readonly businessDate: string;
  /** Empty for a credit. */
  readonly closesWith: DayKey;
  /** Of a credit; null for a debit. */
  readonly deadlineMs: number | null;
  /** The initiating side of an on-us debit wants to be told the outcome. */
  readonly wantsOutcomeReport: boolean;
  /** How often a debit that is still held at the last processing close goes over to the next business date; 0: it becomes an item. */
  readonly rollsMax: number;
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
  /** An attempt had no answer, or one that leaves open whether the message was taken. */
  readonly mayHaveBeenTaken: boolean;
  readonly httpStatusCode: number | null;
  readonly isBreakerOpen: boolean;
  readonly isBankPaused: boolean;
}

export interface DeliveryEnded {
  readonly kind: "DeliveryEnded";
  readonly messageIdentification: string;
  readonly outcome: "acknowledged" | "refused" | "stopped";
  readonly evidence: DeliveryEvidence;
}

export interface StatusReportReceived {
  readonly kind: "StatusReportReceived";
  /** Where it was posted: a report on a debit, or on a credit. */
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

/** The own deadline of a credit; judged by the record's append time. */
export interface DeadlinePassed {
  readonly kind: "DeadlinePassed";
  readonly deadlineMs: number;
}

/** No record of its own: a record under the transaction's key was put aside, by the scheduler itself or by hand. */
export interface RecordPutAside {
  readonly kind: "RecordPutAside";
  /** Short and stable. */
  readonly reason: string;
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
  | ItemResolutionRequested
  | ItemResolutionConfirmed
  | DeadLettersReplayed
  | RecordPutAside;

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
  readonly nextBusinessDate: string;
  readonly creditsFinal: "clock" | "bank" | "connector";
  /** Lanes (partitions of the journal) that markers go to. */
  readonly lanes: number;
}

export interface DayTimeReached {
  readonly kind: "DayTimeReached";
  readonly scheme: string;
  readonly businessDate: string;
  readonly time: "window-opens" | "window-closes" | "reconciliation";
  /** Window number; 0 for reconciliation. */
  readonly number: number;
}

export interface LaneCredits {
  readonly kind: "LaneCredits";
  readonly scheme: string;
  readonly businessDate: string;
  readonly lane: number;
  /** Id of the CreditsDeclared marker without its partition. */
  readonly declaration: string;
  readonly banksUnresolved: readonly string[];
}

/** A bank that a lane named in its LaneCredits has no earlier credit unresolved there any more. */
export interface LaneBankClear {
  readonly kind: "LaneBankClear";
  readonly scheme: string;
  readonly businessDate: string;
  readonly lane: number;
  readonly declaration: string;
  readonly bank: string;
}

/** A bank or a connector declares the credits of a day final; the day decides. */
export interface CreditsFinalRequested {
  readonly kind: "CreditsFinalRequested";
  readonly scheme: string;
  readonly businessDate: string;
  readonly requestedBy: string;
  /** The one bank that it is declared for; null: all. */
  readonly bank: string | null;
  /** Where an operator declares it, whoever the plan says; null otherwise. */
  readonly action: OperatorAction | null;
}

export type DayFact =
  | DayPlanned
  | DayTimeReached
  | LaneCredits
  | LaneBankClear
  | CreditsFinalRequested
  | CloseExtensionRequested
  | GateOpeningRequested;

export type Fact = TransactionFact | DayFact | BankFact;

/** What a fact is about. */
export const aggregateOfFact: Readonly<Record<Fact["kind"], "transaction" | "day" | "bank">> = {
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
  ItemResolutionRequested: "transaction",
  ItemResolutionConfirmed: "transaction",
  DeadLettersReplayed: "transaction",
  RecordPutAside: "transaction",
  DayPlanned: "day",
  DayTimeReached: "day",
  LaneCredits: "day",
  LaneBankClear: "day",
  CreditsFinalRequested: "day",
  CloseExtensionRequested: "day",
  GateOpeningRequested: "day",
  BankPauseRequested: "bank",
  BankResumeRequested: "bank",
};

export function isTransactionFact(fact: Fact): fact is TransactionFact {
  return aggregateOfFact[fact.kind] === "transaction";
}

export function isDayFact(fact: Fact): fact is DayFact {
  return aggregateOfFact[fact.kind] === "day";
}

export function isBankFact(fact: Fact): fact is BankFact {
  return aggregateOfFact[fact.kind] === "bank";
}

/** The journal's key of a bank. */
export function bankKey(bank: string): string {
  return `bank:${bank}`;
}

export function dayKey(scheme: string, businessDate: string): DayKey {
  return `${scheme}:${businessDate}`;
}
