// What the engine knows of a message, and what a service tells the engine about its messages. The dispatcher's messages
// are Dispatches, the event-publisher's are postings; everything else is the same for both.

import type { endOutcomes } from "./metrics.ts";
import type { ConfiguredParty } from "@sluice/config";
import type { EventHeaders } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import type { AttemptSummary, ParkedAttempt, ParkedRedrive, ParkedStop } from "@sluice/store";
import type { Operation } from "./port.ts";

/** Identifies a delivery without its body. */
export interface DeliverySubject {
  /** `messageIdentification`, or the event's id; it is the `webhook-id` of every attempt. */
  readonly id: string;
  readonly uetr: string;
  /** The id of the bank or scheme connector that receives the message. */
  readonly receiverId: string;
  readonly operation: Operation;
  /** The version of the event's stage; null for a message that is no event. */
  readonly stageVersion: number | null;
  /** The trace of the record that it comes from; every attempt and every record of its end carries it. */
  readonly traceparent: string | null;
}

export interface Delivery extends DeliverySubject {
  /** Messages of one receiver and key leave in order of `sequence`. */
  readonly deliveryKey: string;
  /** The offset of its record in the partition. */
  readonly sequence: bigint;
  /** The finished body; every attempt sends the same bytes. */
  readonly body: Uint8Array;
  /** Headers of this message alone, in lower case; every attempt sends the same. */
  readonly headers: EventHeaders;
  /** The business day whose reconciliation close ends the attempts, but not the delivery; null where no day does. */
  readonly reconciliationDay: string | null;
  /** When attempts end, but not the delivery, in epoch ms; null where no such time is set. */
  readonly stopsAtMs: number | null;
  /** When the delivery itself ends, in epoch ms. Without any of the three it is tried until it is acknowledged. */
  readonly deadlineMs: number | null;
  /** The record in wire format, as it is parked. */
  readonly record: Uint8Array;
}

/** What a delivery takes from its record, besides the value. */
export type DeliverySource = Pick<Delivery, "sequence" | "record" | "traceparent">;

/** What has been tried so far. */
export interface AttemptProgress {
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /**
   * An attempt left open whether the receiver took the message (retry-law.ts #5), or an earlier owner may have tried
   * it.
   */
  readonly mayHaveBeenTaken: boolean;
  /** The newest attempts, at most `attemptsKept`. */
  readonly recentAttempts: readonly ParkedAttempt[];
  /** The summary of the attempts before them; null where there are none. */
  readonly earlier: AttemptSummary | null;
  /** The newest redrive that was applied; null where none was. */
  readonly redrive: ParkedRedrive | null;
  /** The newest stop of an operator that was applied; null where none was. */
  readonly stop: ParkedStop | null;
}

export const attemptsKept = 10;
export const untried: AttemptProgress = {
  attempts: 0,
  anyAnswer: false,
  mayHaveBeenTaken: false,
  recentAttempts: [],
  earlier: null,
  redrive: null,
  stop: null,
};

export type EndOutcome = (typeof endOutcomes)[number];

export interface DeliveryEnd {
  readonly subject: DeliverySubject;
  readonly outcome: EndOutcome;
  /** The status of the answer that ended the delivery; null where no answer did. */
  readonly httpStatusCode: number | null;
  readonly progress: AttemptProgress;
  readonly endedAtMs: number;
  /** The journal offset of the fact that caused a stop. */
  readonly stopOffset: bigint | null;
  /** False for a stop that found no message; then only the journal is answered. */
  readonly isKnown: boolean;
  /** Tells whether an operator had paused the receiver at that time. */
  readonly isReceiverPaused: boolean;
  /** Tells whether the breaker of its endpoint was open at that time. */
  readonly isBreakerOpen: boolean;
}

/** How a service's deliveries are acknowledged, and which records their ends append. */
export interface DeliveryRules {
  /** The name under which the store keeps the positions of its partitions. */
  readonly service: string;
  /** Tells whether a status acknowledges. `mayBeRepeat`: the receiver may have had this message before. */
  acknowledges(receiver: ConfiguredParty, status: number, mayBeRepeat: boolean): boolean;
  /** Reads the record of a parked message again. Throws as the serde does. */
  readDelivery(record: Uint8Array, place: Omit<DeliverySource, "record">): Delivery;
  /** Builds the records of an end; they are appended and acknowledged by the broker before the end counts. */
  buildEndRecords(end: DeliveryEnd): readonly OutgoingRecord[];
  /** Tells whether a message past its own deadline stays parked as undelivered. */
  readonly isExpiredKept: boolean;
}
