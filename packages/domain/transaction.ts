// A transaction as its journal left it: what `decide` reads and `apply` returns, and what the store keeps (as plain values).

import type { DayKey, DeliveryEvidence, MessageIdentity } from "./fact.ts";

export type State =
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

/** A report came for a UETR that nothing was received for: kept for the operator, never applied by itself. No event, not unresolved. */
export type OrphanState = "ORPHAN";

export const terminalStates: ReadonlySet<State> = new Set<State>(["REJECTION_REPORTED", "COMPLETED", "UNPAID", "RECONCILIATION"]);

/** What the reconciliation close makes an item of. Neither terminal states nor orphans. */
export const unresolvedStates: ReadonlySet<State> = new Set<State>([
  "RECEIVED",
  "ACCEPTED",
  "REJECTED",
  "REPORTED",
  "HELD",
  "RELEASED",
  "DELIVERED",
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

/** An output that is no transition: a refused duplicate (AM05), a report sent once more, a stop answered again. */
export interface Told {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: "duplicate-refused" | "report-again" | "stop-again";
  /** Identification of what is sent (derived), or of the delivery that is stopped. */
  readonly messageIdentification: string;
  /** Identification of the message that it answers. */
  readonly about: string;
  /** Sender of the message that it answers. */
  readonly receiver: string;
  /** Own deadline, epoch ms. */
  readonly deadlineMs: number;
}

export type ItemCause = "GATE_CLOSED" | "WINDOW_MISSED" | "BANK_PAUSED" | "PACED_OUT" | "BREAKER_OPEN" | "PDNG";

/**
 * A reconciliation item. `row` is the row of interface section 7; null while it depends on the stop's answer. Unsettled and the
 * state RECONCILIATION: the one item of the close. Unsettled in another state: shown early, after a not-recoverable answer
 * (row 3); the close takes over that very item, and an acknowledgement or a report before the close settles it.
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
  | "report-original-differs";

export interface Transaction {
  /** Lower case. */
  readonly uetr: string;
  /** Number of journal records folded in. */
  readonly version: number;
  /** Offset of the last record folded in. */
  readonly applied: bigint;
  readonly lane: number;
  readonly state: State | OrphanState;
  /** The message that made the transaction; null for an orphan (reports only). */
  readonly message: MessageIdentity | null;
  readonly receivedAtMs: number;
  readonly scheme: string;
  readonly amountTenThousandths: bigint;
  readonly currency: string;
  /** Bank that the debit will be or was sent to; null before the verdict. */
  readonly bank: string | null;
  readonly businessDate: string | null;
  /** The day whose reconciliation close is the deadline. */
  readonly closesWith: DayKey;
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
}

export const transitionsMax = 24;
export const toldMax = 10;
export const remarksKept = 10;
export const lateAnswersKept = 10;
