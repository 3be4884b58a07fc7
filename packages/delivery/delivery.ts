// What the engine knows of a message to be delivered, and what a service tells it about its messages: the dispatcher's are
// Dispatches, the event-publisher's are postings; all else is the same.

import type { Party } from "@sluice/config";
import type { OutgoingRecord } from "@sluice/messaging";
import type { EarlierAttempts, ParkedAttempt, ParkedRedrive } from "@sluice/store";
import type { Operation } from "./port.ts";

/** Who a delivery is: what can be said of it without its body. */
export interface DeliverySubject {
  /** `messageIdentification`, or the event's id; the webhook-id of every attempt. */
  readonly id: string;
  readonly uetr: string;
  /** Id of the bank or scheme connector that it goes to. */
  readonly bank: string;
  readonly operation: Operation;
  /** Of an event. */
  readonly stageVersion: number | null;
  /** Of the record that it comes from; goes with every attempt and every record of its end. */
  readonly traceparent: string | null;
}

export interface Delivery extends DeliverySubject {
  /** Messages of one bank and key leave in order of `sequence`. */
  readonly deliveryKey: string;
  /** Offset of its record in the lane's topic. */
  readonly sequence: bigint;
  /** The finished body: the same bytes on every attempt. */
  readonly body: Uint8Array;
  /** Of this message alone, beside those that every message has; lower-case names, the same on every attempt. */
  readonly headers: Readonly<Record<string, string>>;
  /** The day whose reconciliation close ends attempts, but not the delivery; null: no day does. */
  readonly closesWith: string | null;
  /** When attempts end, but not the delivery, epoch ms; null: at no time of its own. */
  readonly stopsAtMs: number | null;
  /** Own deadline, which ends it, epoch ms. With none of the three it is tried until it is acknowledged. */
  readonly deadlineMs: number | null;
  /** Wire-format bytes of the record, to park it with. */
  readonly record: Uint8Array;
}

/** What a record brings to its delivery beside its value. */
export type RecordPlace = Pick<Delivery, "sequence" | "record" | "traceparent">;

/** What has been tried so far. */
export interface Progress {
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** An attempt left open whether the message was taken (retry-law.ts #5), or one of an earlier owner may have. */
  readonly mayHaveBeenTaken: boolean;
  /** The newest: `attemptsKept` at most. */
  readonly recentAttempts: readonly ParkedAttempt[];
  /** Those before them, summed up; null: there are none. */
  readonly earlier: EarlierAttempts | null;
  /** The newest redrive that was applied; null: none was. */
  readonly redrive: ParkedRedrive | null;
}

export const attemptsKept = 10;
export const untried: Progress = {
  attempts: 0,
  anyAnswer: false,
  mayHaveBeenTaken: false,
  recentAttempts: [],
  earlier: null,
  redrive: null,
};

export type DeliveryOutcome = "acknowledged" | "refused" | "stopped" | "expired";

export interface DeliveryEnd {
  readonly subject: DeliverySubject;
  readonly outcome: DeliveryOutcome;
  /** The answer that ended it; null without one. */
  readonly httpStatusCode: number | null;
  readonly progress: Progress;
  readonly endedAtMs: number;
  /** Journal offset of the cause of a stop. */
  readonly stopOffset: bigint | null;
  /** False for a stop that met nothing: only the journal is answered. */
  readonly isKnown: boolean;
  /** The receiver was paused then. */
  readonly isBankPaused: boolean;
  /** Nothing but probes was sent to its address then. */
  readonly isBreakerOpen: boolean;
}

/** How a service's deliveries are acknowledged, and what their end means. */
export interface DeliveryRules {
  /** The name under which the lanes' positions are kept. */
  readonly service: string;
  /** `mayBeRepeat`: the receiver may have had this message before. */
  acknowledges(receiver: Party, status: number, mayBeRepeat: boolean): boolean;
  /** Reads the record of a parked message again. Throws as the serde does. */
  delivery(record: Uint8Array, place: Omit<RecordPlace, "record">): Delivery;
  /** Appended, and acknowledged by the log, before the end counts. */
  recordsOf(end: DeliveryEnd): readonly OutgoingRecord[];
  /** Whether a message past its own deadline is kept as undelivered. */
  readonly isExpiredKept: boolean;
}
