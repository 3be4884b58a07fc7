// A transaction as its journal left it: what `decide` reads and `apply` returns, and what the store keeps (as plain values).

import type { DayKey, DeliveryEvidence, MessageIdentity, OperatorAction, ResolutionKind } from "./fact.ts";
import type { DeliveryOperation } from "./output.ts";

/** on-us: both agents are of one bank; off-us: a debit from a scheme connector; credit: a credit from one. */
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

/** States of a credit are named as their events. */
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

/** A report came for a UETR that nothing was received for: kept for the operator, never applied by itself. No event, not unresolved. */
export type OrphanState = "ORPHAN";

export const terminalStates: ReadonlySet<State> = new Set<State>([
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_FAILURE",
  "CREDIT_AUTH_RECONCILIATION",
]);

/** What the reconciliation close makes an item of. Neither terminal states nor orphans. */
export const unresolvedStates: ReadonlySet<State> = new Set<State>([
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

/** One entry into a state. Its offset alone decides what a replay emits. */
export interface Transition {
  /** Gap-free from 1 per UETR. */
  readonly stageVersion: number;
  readonly state: State;
  /** Offset of the record in whose turn it was made, also where a marker made it. */
  readonly offset: bigint;
  /**
   * Append time of the fact, or of the marker, that caused it: `creationDateTime` of what it emits. A marker that only applies
   * because of the fact (a date that closed earlier) counts from the fact's time, so that times never run backwards.
   */
  readonly atMs: number;
  /** Offset of the marker that caused it; null where the fact itself did. */
  readonly markerOffset: bigint | null;
  /** Business date at that moment; before the verdict the date of `closesWith`. */
  readonly businessDate: string;
  readonly closesWith: DayKey;
  /** Identification of the message that entered or leaves with it (the payload's). */
  readonly messageIdentification: string;
  /** Answer of the exchange that caused the state. DELIVERED without one was proven by the bank's report, and stops the delivery. */
  readonly httpStatusCode: number | null;
}

/** An output that is no transition: a refused duplicate (AM05), a report sent once more, the outcome of an on-us debit, a stop answered again, what people found out about an item told to the connector, a refused delivery or posting tried again. */
export interface Told {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind:
    | "duplicate-refused"
    | "report-again"
    | "on-us-outcome"
    | "stop-again"
    | "resolution-outcome"
    | "redrive"
    | "redrive-posting";
  /** Of the delivery that is made, stopped or tried again; of a posting null. */
  readonly operation: DeliveryOperation | null;
  /** Identification of what is sent (derived), or of the delivery that is stopped or tried again; of a posting the event's id. */
  readonly messageIdentification: string;
  /** Identification of the message that it answers. */
  readonly about: string;
  /** Sender of the message that it answers. */
  readonly receiver: string;
  /** Own deadline, epoch ms. */
  readonly deadlineMs: number;
}

export type ItemCause =
  | "GATE_CLOSED"
  | "WINDOW_MISSED"
  | "BANK_PAUSED"
  | "PACED_OUT"
  | "BREAKER_OPEN"
  | "PDNG"
  | "OUTCOME_UNDELIVERED"
  | "WITHDRAWN";

/**
 * A reconciliation item. `row` is the row of interface section 7; null while it depends on the stop's answer. Made in an unresolved
 * state: the one item of the close, or shown early, after a not-recoverable answer (row 3); the close takes over that very item, and
 * an acknowledgement or a report before the close settles it. Made in a terminal state: it stands beside that state, for an outcome that
 * the connector did not take (OUTCOME_UNDELIVERED); its acknowledgement settles it.
 */
export interface Item {
  readonly day: DayKey;
  readonly row: number | null;
  readonly cause: ItemCause | null;
  /** State in which the close (or the refusal) met the transaction. */
  readonly state: State;
  readonly madeAtMs: number;
  readonly evidence: DeliveryEvidence | null;
  /** When an early item became needless; null otherwise. */
  readonly settledAtMs: number | null;
  /** Answers that came later, recorded only; the last ten. */
  readonly lateAnswers: readonly { readonly offset: bigint; readonly atMs: number; readonly text: string }[];
  /** What people found; null before. */
  readonly resolution: Resolution | null;
}

/** It counts (`isFinal`) at once, or when a second person has confirmed it; a further one before that takes its place. */
export interface Resolution {
  readonly kind: ResolutionKind;
  readonly replacedBy: string | null;
  readonly action: OperatorAction;
  readonly atMs: number;
  readonly isFinal: boolean;
  readonly confirmed: { readonly action: OperatorAction; readonly atMs: number } | null;
}

/** What an operator asked for, and what came of it. */
export interface DecisionNote {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: "WithdrawalRequested" | "RedriveRequested" | "ItemResolutionRequested" | "ItemResolutionConfirmed" | "DeadLettersReplayed";
  readonly action: OperatorAction;
  readonly result: "applied" | "ignored" | "refused";
  /** Why it was ignored or refused; null where it was applied. */
  readonly why: string | null;
}

/** A record under the transaction's key was put aside: beside the state, until its records are replayed. */
export interface Parked {
  readonly sinceMs: number;
  /** Offset of the first one. */
  readonly offset: bigint;
  /** Records put aside since, the first included. */
  readonly records: number;
}

/** Repeats, conflicts, late and foreign messages: recorded, without effect. A counter, and the last ten. */
export interface Remarks {
  readonly count: number;
  readonly last: readonly {
    readonly offset: bigint;
    readonly atMs: number;
    readonly kind: RemarkKind;
    readonly messageIdentification: string;
    readonly sender: string;
  }[];
}
export type RemarkKind =
  | "repeat"
  | "conflict"
  | "repeat-other-identification"
  | "duplicate-refused"
  | "report-early"
  | "report-repeat"
  | "report-late"
  | "report-contradicting"
  | "report-foreign"
  | "report-orphan"
  | "report-pending"
  | "report-other-flow"
  | "report-original-differs"
  | "put-aside";

/** The newest outcome told to a scheme connector. */
export interface OutcomeTold {
  /** 1 to 9: the digit of its identification. */
  readonly number: number;
  /** Append time of its acknowledgement; null: still told. */
  readonly acknowledgedAtMs: number | null;
}

export interface Transaction {
  /** Lower case. */
  readonly uetr: string;
  /** Number of journal records folded in. */
  readonly version: number;
  /** Offset of the last record folded in. */
  readonly applied: bigint;
  readonly lane: number;
  readonly state: State | OrphanState;
  /** Null for an orphan. */
  readonly flow: Flow | null;
  /** The message that made the transaction; null for an orphan (reports only). */
  readonly message: MessageIdentity | null;
  readonly receivedAtMs: number;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  /** Bank that the debit or credit will be or was sent to; null before the verdict on an on-us debit. */
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** The day whose reconciliation close is the deadline; empty for a credit. */
  readonly closesWith: DayKey;
  /** Own deadline of a credit; null for a debit. */
  readonly deadlineMs: number | null;
  /** From the verdict: the initiating side wants to be told the outcome. */
  readonly wantsOutcomeReport: boolean;
  /** Null: no connector is told anything. */
  readonly outcome: OutcomeTold | null;
  /** Release order within (lane, bank, day): receivedAt as 15 digits, ':', UETR. */
  readonly queueKey: string;
  /** Identity of the bank's final report; null before it. */
  readonly finalReport: MessageIdentity | null;
  readonly finalOutcome: "made" | "not-made" | null;
  /** Append time of the bank's newest "still working" (PDNG); evidence of row 9. */
  readonly pendingAtMs: number | null;
  readonly transitions: readonly Transition[];
  readonly told: readonly Told[];
  readonly items: readonly Item[];
  readonly remarks: Remarks;
  /** From the verdict: how often it may go over to the next business date when it misses its windows. */
  readonly rollsMax: number;
  /** Null: nothing of it lies in the dead letters, as far as it counts. */
  readonly parked: Parked | null;
  /** What operators asked for; the last `decisionsKept`. */
  readonly decisions: readonly DecisionNote[];
}

/** A connector was told an outcome and has not acknowledged it. */
export function isOutcomeAwaited({ outcome }: Pick<Transaction, "outcome">): boolean {
  return outcome !== null && outcome.acknowledgedAtMs === null;
}

export const transitionsMax = 24;
export const toldMax = 10;
/** Of them, answers to further messages: the rest is kept for the transaction's own outcome and stops. */
export const answersToldMax = 7;
export const remarksKept = 10;
export const lateAnswersKept = 10;
export const decisionsKept = 10;
