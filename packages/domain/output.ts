// What follows from a decision: abstract outputs, rendered to finished messages by contracts' `render-*.ts`.
// They are a function of the transaction and one entry of `transitions` or `told`, so a replay gives the first ones again.

import type { DayKey, ResolutionKind } from "./fact.ts";
import type { Flow, State } from "./transaction.ts";

/** The message an event carries as payload, or a delivery as body. */
export type MessageForm =
  | "debit-received"
  | "inbound-debit"
  | "report-accepted"
  | "report-rejected"
  | "final-report"
  | "duplicate-refused"
  | "report-again"
  /** To the initiating side of an on-us debit: ACSC or RJCT (`S`). */
  | "on-us-outcome"
  | "credit-received"
  | "inbound-credit"
  /** To a scheme connector (`O`): what became of its debit or credit, by the state that was entered. */
  | "outcome-report"
  /** To a scheme connector (`O`): what people found out about an item, ACSC or RJCT. */
  | "resolution-outcome";

/** What is sent, and where: the address follows from it. */
export type DeliveryOperation =
  | "outboundDirectDebitResponse"
  | "inboundDirectDebit"
  /** To a connector. */
  | "inboundDirectDebitResponse"
  /** To a bank. */
  | "inboundCreditTransferAuthorization"
  /** To a connector. */
  | "inboundCreditTransferAuthorizationResponse";

export interface EventOutput {
  readonly kind: "event";
  readonly flow: Flow;
  /** Derived from UETR and stageVersion; 32 hex digits. */
  readonly id: string;
  readonly stageVersion: number;
  readonly state: State;
  readonly enteredAtMs: number;
  readonly businessDate: string;
  readonly payload: MessageForm;
  /** Identification of the payload message. */
  readonly messageIdentification: string;
  /** `creationDateTime` of a payload message that Sluice makes, epoch ms. */
  readonly messageMadeAtMs: number;
  readonly httpStatusCode: number | null;
  readonly direction: "INBOUND" | "OUTBOUND";
  readonly causedByOffset: bigint;
  /** RECONCILIATION of a debit that was held shows ON_HOLD. */
  readonly wasHeld: boolean;
  /** How often it had gone over to a next business date by then: as many working days later than the verdict says. */
  readonly rolls: number;
}

export interface DispatchOutput {
  readonly kind: "dispatch";
  readonly operation: DeliveryOperation;
  readonly form: MessageForm;
  /** State that it follows from; of a report sent once more, the state whose report it repeats; of a refused duplicate, the state at that moment. */
  readonly state: State;
  /** 32 hex digits of the UETR and a letter (`O` with a digit), or a letter and 34 hex digits. */
  readonly messageIdentification: string;
  /** The UETR, or an own key that holds nothing up. */
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly businessDate: string;
  readonly closesWith: DayKey | null;
  /** Own deadline by which the delivery ends alone. */
  readonly deadlineMs: number | null;
  /** Own deadline of the transaction: attempts stop, and only a stop ends the delivery. */
  readonly stopsAtMs: number | null;
  readonly madeAtMs: number;
  readonly causedByOffset: bigint;
  /** For `duplicate-refused` and `report-again`: identification of the message that it answers. */
  readonly about: string | null;
  /** For `resolution-outcome`, and a `report-again` after it: what people found. */
  readonly resolution: ResolutionKind | null;
}

export interface StopOutput {
  readonly kind: "stop";
  readonly messageIdentification: string;
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly causedByOffset: bigint;
}

/** A refused delivery, or a posting that was given up, is tried again: the same id and bytes. */
export interface RedriveOutput {
  readonly kind: "redrive";
  readonly target: "delivery" | "posting";
  /** Of the delivery; of a posting the event's id. */
  readonly messageIdentification: string;
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly causedByOffset: bigint;
}

export type Output = EventOutput | DispatchOutput | StopOutput | RedriveOutput;
