// A transaction as the records of its journal left it: `decide` takes and returns it, and the store keeps it as plain
// values.

import type { DayKey, DeliveryEvidence, MessageIdentity, OperatorAction, ResolutionKind } from "../fact.ts";
import type { ReconciliationReason } from "./reconciliation-reasons.ts";

/** on-us: both agents belong to one bank. off-us: a debit from a scheme connector. credit: a credit from one. */
export type Flow = "on-us" | "off-us" | "credit";

export type DebitState =
  | "RECEIVED"
  | "ACCEPTED"
  | "REJECTED"
  | "REJECTION_REPORTED"
  | "REPORTED"
  | "HELD"
  | "RELEASED"
  | "DELIVERED"
  | "COMPLETED"
  | "UNPAID"
  | "RECONCILIATION";

/** The states of a credit have the names of their events. */
export type CreditState =
  | "CREDIT_AUTH_RECEIVED"
  | "CREDIT_AUTH_ACCEPTED"
  | "CREDIT_AUTH_REJECTED"
  | "CREDIT_AUTH_DELIVERY_PENDING"
  | "CREDIT_AUTH_DELIVERED"
  | "CREDIT_AUTH_RESPONSE_ACCEPTED"
  | "CREDIT_AUTH_DELIVERY_FAILURE"
  | "CREDIT_AUTH_RECONCILIATION";

export type State = DebitState | CreditState;

/**
 * A report came for a UETR under which no message was received, or a record that cannot be read. A report is kept for
 * operators and never applied by itself. An orphan has no event and does not count as unresolved; one with an unread
 * message gets an item at the next close.
 */
export type OrphanState = "ORPHAN";

const terminalStates: ReadonlySet<State> = new Set<State>([
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_FAILURE",
  "CREDIT_AUTH_RECONCILIATION",
]);

/** States that the reconciliation close turns into an item: neither terminal states nor orphans. */
const unresolvedStates: ReadonlySet<State> = new Set<State>([
  "RECEIVED",
  "ACCEPTED",
  "REJECTED",
  "REPORTED",
  "HELD",
  "RELEASED",
  "DELIVERED",
  "CREDIT_AUTH_RECEIVED",
  "CREDIT_AUTH_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_PENDING",
  "CREDIT_AUTH_DELIVERED",
]);

export function isUnresolved(state: string): state is State {
  return (unresolvedStates as ReadonlySet<string>).has(state);
}

export function isTerminal(state: string): state is State {
  return (terminalStates as ReadonlySet<string>).has(state);
}

/** One entry into a state. Its offset alone decides which outputs a replay emits. */
export interface Transition {
  /** Counts from 1 for each UETR, without gaps. */
  readonly stageVersion: number;
  readonly state: State;
  /** Offset of the record that was being handled, also where a marker caused the entry. */
  readonly offset: bigint;
  /**
   * Append time of the fact or the marker that caused it; its outputs show it as `creationDateTime`. A marker that
   * applies only because of the fact (a date that closed earlier) counts from the fact's time, so that times never run
   * backwards.
   */
  readonly atMs: number;
  /** Offset of the marker that caused the entry; null where the fact itself did. */
  readonly markerOffset: bigint | null;
  /** Business date at that moment; before the verdict on a debit the date of `reconciliationDay`. */
  readonly businessDate: string;
  /** Null for a credit, which no day closes. */
  readonly reconciliationDay: DayKey | null;
  /** Identification of the message that caused this entry or is sent with it: the event's payload. */
  readonly messageIdentification: string;
  /**
   * HTTP status of the exchange that caused the state. DELIVERED without one was proven by the bank's report; the
   * delivery is then stopped.
   */
  readonly httpStatusCode: number | null;
}

/** The operation by which a message is sent; the address follows from it. */
export type DeliveryOperation =
  | "outboundDirectDebitResponse"
  | "inboundDirectDebit"
  /** Goes to a connector. */
  | "inboundDirectDebitResponse"
  /** Goes to a bank. */
  | "inboundCreditTransferAuthorization"
  /** Goes to a connector. */
  | "inboundCreditTransferAuthorizationResponse";

/**
 * An output that follows from no transition: the refusal of a duplicate (AM05), a report sent once more, the outcome
 * report of an on-us debit, a repeated stop, the resolution of an item reported to the connector, or what an operator
 * asked of a delivery or posting: a redrive, or that it is tried no more.
 */
export interface Notice {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind:
    | "duplicate-refused"
    | "report-again"
    | "on-us-outcome"
    | "stop-again"
    | "resolution-outcome"
    | "redrive"
    | "redrive-posting"
    | "give-up"
    | "give-up-posting";
  /** Operation of the delivery that is made, stopped or redriven; null for a posting. */
  readonly operation: DeliveryOperation | null;
  /**
   * Derived identification of the message sent, or of the delivery stopped or redriven; for a posting the event's id.
   */
  readonly messageIdentification: string;
  /** Identification of the message that this notice answers. */
  readonly about: string;
  /** Sender of the message that this notice answers. */
  readonly receiver: string;
  /** Deadline of the message that this notice sends, epoch milliseconds; null where it has none of its own. */
  readonly deadlineMs: number | null;
}

/**
 * A reconciliation item. `row` is the row in docs/spec/interface.md, section 7; null while it depends on the answer
 * to the stop.
 *
 * An item made in an unresolved state is the one item of the close. It can be shown early, after a not-recoverable
 * answer (row 3): the close then takes over that same item, and an acknowledgement or a report before the close settles
 * it. An item made in a terminal state is detached: the connector did not accept the outcome report
 * (OUTCOME_UNDELIVERED), and its acknowledgement settles the item.
 */
export interface Item {
  readonly day: DayKey;
  readonly row: number | null;
  readonly cause: ReconciliationReason | null;
  /** State of the transaction at the close or at the refusal. */
  readonly state: State;
  readonly madeAtMs: number;
  readonly evidence: DeliveryEvidence | null;
  /** When the item was settled before anybody resolved it, epoch milliseconds; null otherwise. */
  readonly settledAtMs: number | null;
  /** The last ten answers that came after the item was made. They are recorded and change nothing. */
  readonly lateAnswers: readonly { readonly offset: bigint; readonly atMs: number; readonly text: string }[];
  /** What operators found out about the item; null before that. */
  readonly resolution: Resolution | null;
  /** What an operator noted last; null: nobody noted anything. */
  readonly note: ItemNote | null;
}

/** A note at an item: the action's reason is its text. */
export interface ItemNote {
  readonly action: OperatorAction;
  /** Configured id of the operator who sees to the item; null: nobody. */
  readonly assignee: string | null;
  /** Offset of the note in the journal. */
  readonly offset: bigint;
  readonly atMs: number;
}

/**
 * A resolution is final at once, or once a second person has confirmed it. Until then it is a proposal, and a further
 * one replaces it.
 */
export interface Resolution {
  readonly kind: ResolutionKind;
  readonly replacedBy: string | null;
  readonly action: OperatorAction;
  /** Offset of the request in the journal: with the hash of its content, a confirmation names it by that. */
  readonly offset: bigint;
  readonly atMs: number;
  readonly isFinal: boolean;
  /** From then on nobody can confirm the proposal; null: it is final, or waits without an end. */
  readonly expiresAtMs: number | null;
  readonly confirmed: { readonly action: OperatorAction; readonly atMs: number } | null;
}

/** A request of an operator and its result. */
export interface TransactionDecision {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind:
    | "WithdrawalRequested"
    | "RedriveRequested"
    | "DeliveryStopRequested"
    | "ItemResolutionRequested"
    | "ItemResolutionConfirmed"
    | "ItemResolutionRejected"
    | "ItemNoteRequested"
    | "DeadLettersReplayed";
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  /** The reason why it was ignored or refused; null where it was applied. */
  readonly why: string | null;
}

/**
 * Marks a transaction with dead letters. It is independent of the state and lasts until the dead letters are replayed.
 */
export interface Quarantine {
  readonly sinceMs: number;
  /** Offset of the first dead-lettered record. */
  readonly offset: bigint;
  /** Number of records dead-lettered so far, the first included. */
  readonly records: number;
}

/**
 * A message that lies in the dead letters of an orphan, as the header of its record says: it was answered 202, and
 * nobody has read it. What may be a credit comes before a debit, because it keeps gates closed. It stays known after
 * the replay, until the message itself is applied.
 */
export interface UnreadMessage {
  readonly kind: "debit" | "credit" | "unknown";
  /** Offset of its dead-lettered record. A credit that is read later counts as received there. */
  readonly offset: bigint;
}

/**
 * Messages that were recorded and changed nothing: repeats, conflicts, late and foreign ones. A count, and the last
 * ten.
 */
export interface Observations {
  readonly count: number;
  readonly last: readonly {
    readonly offset: bigint;
    readonly atMs: number;
    readonly kind: ObservationKind;
    readonly messageIdentification: string;
    readonly sender: string;
  }[];
}
export const observationKinds = [
  "repeat",
  "conflict",
  "repeat-other-identification",
  "duplicate-refused",
  "report-early",
  "report-repeat",
  "report-late",
  "report-contradicting",
  "report-foreign",
  "report-orphan",
  "report-pending",
  "report-other-flow",
  "report-original-differs",
  "dead-lettered",
] as const;
export type ObservationKind = (typeof observationKinds)[number];

/** The newest outcome report to a scheme connector. */
export interface OutcomeReport {
  /** 1 to 9: the digit in its identification. */
  readonly number: number;
  /** Append time of its acknowledgement; null while it is awaited. */
  readonly acknowledgedAtMs: number | null;
}

/** What every transaction has, whether a message or only reports were received under its UETR. */
interface TransactionBase {
  /** In lower case. */
  readonly uetr: string;
  /** Number of journal records applied. */
  readonly version: number;
  /** Offset of the last record applied. */
  readonly applied: bigint;
  readonly partition: number;
  readonly receivedAtMs: number;
  /** The initiating bank wants an outcome report (from the verdict; on-us debits only). */
  readonly wantsOutcomeReport: boolean;
  /** Null: no connector has been sent an outcome report. */
  readonly outcomeReport: OutcomeReport | null;
  /** Identity of the bank's final report; null until it arrives. */
  readonly finalReport: MessageIdentity | null;
  readonly finalOutcome: "made" | "not-made" | null;
  /** Append time of the bank's newest PDNG report ("still working"): the evidence of row 9. */
  readonly pendingAtMs: number | null;
  readonly transitions: readonly Transition[];
  readonly notices: readonly Notice[];
  readonly items: readonly Item[];
  readonly observations: Observations;
  /** How often a debit that misses its windows may be carried over to the next business date (from the verdict). */
  readonly carryOversMax: number;
  /** Set while the transaction has dead letters; null otherwise. */
  readonly quarantined: Quarantine | null;
  /** Null: no message under this UETR came into the dead letters before the transaction began. */
  readonly unreadMessage: UnreadMessage | null;
  /** What `used-actions.ts` keeps of every action of operators. */
  readonly usedActions: readonly string[];
  /** The last `decisionsKept` requests of operators. */
  readonly decisions: readonly TransactionDecision[];
}

/** What the message that created a debit or credit says. */
interface ReceivedBase extends TransactionBase {
  readonly state: State;
  /** The message that created the transaction. */
  readonly message: MessageIdentity;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  /** Release order within (partition, bank, day): receivedAt as 15 digits, ':', UETR. */
  readonly queueKey: string;
}

/** A debit ends at the reconciliation close of its day. */
interface DebitBase extends ReceivedBase {
  /** Null before the verdict. */
  readonly businessDate: string | null;
  /** The day whose reconciliation close is the deadline. */
  readonly reconciliationDay: DayKey;
  readonly deadlineMs: null;
}

export interface OnUsDebit extends DebitBase {
  readonly flow: "on-us";
  /** The bank to which the debit is sent; null before the verdict. */
  readonly bank: string | null;
}

export interface OffUsDebit extends DebitBase {
  readonly flow: "off-us";
  /** The bank to which the debit is sent. */
  readonly bank: string;
}

/** A credit has a deadline of its own, and no day closes it. */
interface Credit extends ReceivedBase {
  readonly flow: "credit";
  /** The bank to which the credit is sent. */
  readonly bank: string;
  readonly businessDate: string;
  readonly reconciliationDay: null;
  /** The deadline, epoch milliseconds. */
  readonly deadlineMs: number;
}

/** Reports under a UETR for which neither a debit nor a credit was received. */
export interface OrphanTransaction extends TransactionBase {
  readonly state: OrphanState;
  readonly flow: null;
  readonly message: null;
  readonly scheme: null;
  readonly amountTenThousandths: null;
  readonly currency: null;
  readonly bank: null;
  readonly businessDate: null;
  /** The day whose close makes the item of its unread message; null: it has none. */
  readonly reconciliationDay: DayKey | null;
  readonly deadlineMs: null;
  readonly queueKey: null;
}

/** A debit or credit whose message was received. */
export type ReceivedTransaction = OnUsDebit | OffUsDebit | Credit;

/** One form for each flow, and one for what was never received; `flow` tells which. */
export type Transaction = ReceivedTransaction | OrphanTransaction;

/** True while a connector has not acknowledged the newest outcome report. */
export function isOutcomeReportAwaited({ outcomeReport }: Pick<Transaction, "outcomeReport">): boolean {
  return outcomeReport !== null && outcomeReport.acknowledgedAtMs === null;
}

export const transitionsMax = 24;
/** Notices of the transaction's own: redrives, repeated stops and outcome reports. */
export const ownNoticesMax = 10;
/** The newest answers to further messages. Each message is answered; these tell which repeats were answered before. */
export const answerNoticesMax = 7;
export const observationsKept = 10;
export const lateAnswersKept = 10;
export const decisionsKept = 10;
