// The outputs of a decision, in abstract form; contracts' `render-*.ts` render them to finished messages. An output is
// a function of the transaction and one transition or notice, so a replay gives the first outputs again.

import type { DayKey, ResolutionKind } from "../fact.ts";
import type { DeliveryOperation, Flow, State } from "./transaction.ts";

/** The message that an event has as its payload, or a delivery as its body. */
export type MessageForm =
  | "debit-received"
  | "inbound-debit"
  | "report-accepted"
  | "report-rejected"
  | "final-report"
  | "duplicate-refused"
  | "report-again"
  /** To the initiating bank of an on-us debit: ACSC or RJCT. */
  | "on-us-outcome"
  | "credit-received"
  | "inbound-credit"
  /** To a scheme connector: how its debit or credit ended, by the state that was entered. */
  | "outcome-report"
  /** To a scheme connector: the resolution of an item, ACSC or RJCT. */
  | "resolution-outcome";

export interface EventOutput {
  readonly kind: "event";
  readonly flow: Flow;
  /** Derived from the UETR and the stage version; 32 hex digits. */
  readonly id: string;
  readonly stageVersion: number;
  readonly state: State;
  readonly enteredAtMs: number;
  readonly businessDate: string;
  readonly payload: MessageForm;
  /** Identification of the payload message. */
  readonly messageIdentification: string;
  /** `creationDateTime` of a payload message that Sluice makes, epoch milliseconds. */
  readonly messageMadeAtMs: number;
  readonly httpStatusCode: number | null;
  readonly direction: "INBOUND" | "OUTBOUND";
  readonly causedByOffset: bigint;
  /** True for RECONCILIATION of a held debit, whose event shows ON_HOLD. */
  readonly wasHeld: boolean;
  /** How often the debit was carried over by then; its date is as many working days later than the verdict's. */
  readonly carryOvers: number;
}

export interface DispatchOutput {
  readonly kind: "dispatch";
  readonly operation: DeliveryOperation;
  readonly form: MessageForm;
  /**
   * The state that sends it. A report sent once more names the state whose report it repeats, a refused duplicate the
   * state at that moment.
   */
  readonly state: State;
  /** The 32 hex digits of the UETR and a letter (`O` with a digit), or a letter and 34 hex digits (`ids.ts`). */
  readonly messageIdentification: string;
  /** The UETR, or a key of its own so that the delivery blocks no other. */
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly businessDate: string;
  readonly reconciliationDay: DayKey | null;
  /** When the delivery ends by itself, epoch milliseconds. */
  readonly deadlineMs: number | null;
  /** The transaction's deadline, at which attempts stop; only a stop ends the delivery. */
  readonly stopsAtMs: number | null;
  readonly madeAtMs: number;
  readonly causedByOffset: bigint;
  /** Identification of the message that `duplicate-refused` and `report-again` answer; null otherwise. */
  readonly about: string | null;
  /** The resolution that `resolution-outcome`, and a `report-again` after it, shows; null otherwise. */
  readonly resolution: ResolutionKind | null;
}

export interface StopOutput {
  readonly kind: "stop";
  readonly messageIdentification: string;
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly causedByOffset: bigint;
}

/**
 * What an operator asked of a delivery or posting: to attempt one that was given up again with the same id and bytes,
 * or to give one up that is attempted.
 */
export interface RequestOutput {
  readonly kind: "redrive" | "give-up";
  readonly target: "delivery" | "posting";
  /** Identification of the delivery; for a posting the event's id. */
  readonly messageIdentification: string;
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly causedByOffset: bigint;
}

export type Output = EventOutput | DispatchOutput | StopOutput | RequestOutput;
