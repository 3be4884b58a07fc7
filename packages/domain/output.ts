// What follows from a decision: abstract outputs, rendered to finished messages by contracts' `render-*.ts`.
// They are a function of the transaction and one entry of `transitions` or `told`, so a replay gives the first ones again.

import type { DayKey } from "./fact.ts";
import type { State } from "./transaction.ts";

/** The message an event carries as payload, or a delivery as body. */
export type MessageForm =
  | "debit-received"
  | "inbound-debit"
  | "report-accepted"
  | "report-rejected"
  | "final-report"
  | "duplicate-refused"
  | "report-again";

export interface EventOutput {
  readonly kind: "event";
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
}

export interface DispatchOutput {
  readonly kind: "dispatch";
  readonly operation: "outboundDirectDebitResponse" | "inboundDirectDebit";
  readonly form: MessageForm;
  /** 32 hex digits of the UETR and a letter, or a letter and 34 hex digits. */
  readonly messageIdentification: string;
  /** The UETR, or an own key that holds nothing up. */
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly businessDate: string;
  readonly closesWith: DayKey | null;
  readonly deadlineMs: number | null;
  readonly madeAtMs: number;
  readonly causedByOffset: bigint;
  /** For `duplicate-refused` and `report-again`: identification of the message that it answers. */
  readonly about: string | null;
}

export interface StopOutput {
  readonly kind: "stop";
  readonly messageIdentification: string;
  readonly deliveryKey: string;
  readonly receiver: string;
  readonly causedByOffset: bigint;
}

export type Output = EventOutput | DispatchOutput | StopOutput;
