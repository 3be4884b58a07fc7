// The document of the collections `deliveries` and `postings`: a parked message.

import type { AttemptSummary, ParkedAttempt, ParkedMessage, ParkedRow, ParkedRedrive } from "../port.ts";

export interface StoredParkedMessage {
  readonly _id: string;
  readonly partition: number;
  readonly bank: string;
  readonly deliveryKey: string;
  readonly uetr: string;
  /** Absent in documents written before it was stored. */
  readonly operation?: string | null;
  readonly sequence: bigint;
  readonly closesWith: string | null;
  readonly deadline: Date | null;
  /** Absent in documents written before messages had a stop time. */
  readonly stopsAt?: Date | null;
  /**
   * The time of the first attempt, or of parking without one. It is set once; absent in documents written before it was
   * stored.
   */
  readonly since?: Date | null;
  readonly nextAttemptAt: Date;
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** Absent in documents written before it was known, which means that it may have been. */
  readonly mayHaveBeenTaken?: boolean;
  readonly recentAttempts: readonly StoredAttempt[];
  /** Absent in documents written before attempts were summed up. */
  readonly earlier?: StoredEarlier | null;
  readonly ended: "refusing" | "refused" | "stopped" | null;
  /** Absent in documents written before redrives existed. */
  readonly redrive?: StoredRedrive | null;
  readonly recordBytes: Uint8Array;
  readonly traceparent: string | null;
}

/** `address` and `class` are absent in attempts written before they were stored. */
interface StoredAttempt {
  readonly at: Date;
  readonly httpStatusCode: number | null;
  readonly answer: string | null;
  readonly tookMs: number;
  readonly address?: string | null;
  readonly class?: ParkedAttempt["class"];
}

interface StoredEarlier {
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly answers: readonly { readonly httpStatusCode: number | null; readonly count: number }[];
}

interface StoredRedrive {
  readonly offset: bigint;
  readonly until: Date | null;
}

/** Fields that later versions added and older documents may lack. */
type Added = "since" | "stopsAt" | "mayHaveBeenTaken" | "redrive" | "operation" | "earlier";
type StoredParkedEver = Omit<StoredParkedMessage, Added> & Partial<Pick<StoredParkedMessage, Added>>;

/** The fields that an update replaces; all others of a parked message never change. */
export type StoredAttemptState = Pick<
  StoredParkedMessage,
  "nextAttemptAt" | "attempts" | "anyAnswer" | "mayHaveBeenTaken" | "recentAttempts" | "earlier" | "ended" | "redrive"
>;

export function toStoredAttemptState(message: ParkedRow): StoredAttemptState {
  return {
    nextAttemptAt: new Date(message.nextAttemptAtMs),
    attempts: message.attempts,
    anyAnswer: message.anyAnswer,
    mayHaveBeenTaken: message.mayHaveBeenTaken,
    recentAttempts: message.recentAttempts.map(({ atMs, httpStatusCode, answer, tookMs, address, class: answerClass }) => ({
      at: new Date(atMs),
      httpStatusCode,
      answer,
      tookMs,
      address,
      class: answerClass,
    })),
    earlier: toStoredEarlier(message.earlier),
    ended: message.ended,
    redrive: toStoredRedrive(message.redrive),
  };
}

export function toStoredParkedMessage(message: ParkedMessage): StoredParkedMessage {
  return {
    _id: message.id,
    partition: message.partition,
    bank: message.receiverId,
    deliveryKey: message.deliveryKey,
    uetr: message.uetr,
    operation: message.operation,
    sequence: message.sequence,
    closesWith: message.reconciliationDay,
    deadline: message.deadlineMs === null ? null : new Date(message.deadlineMs),
    stopsAt: message.stopsAtMs === null ? null : new Date(message.stopsAtMs),
    since: new Date(message.earlier?.firstAtMs ?? message.recentAttempts[0]?.atMs ?? message.nextAttemptAtMs),
    ...toStoredAttemptState(message),
    recordBytes: message.record.slice(),
    traceparent: message.traceparent,
  };
}

export function fromStoredParkedMessage(stored: StoredParkedEver): ParkedMessage {
  return { ...toParkedRow(stored), record: new Uint8Array(stored.recordBytes) };
}

/** The sort key of totals: by receiver, and first the messages that no day ends. */
export function totalsSortKey({ bank, closesWith }: { readonly bank: string; readonly closesWith: string | null }): string {
  return `${bank} ${closesWith ?? ""}`;
}

export function toParkedRow(stored: Omit<StoredParkedEver, "recordBytes">): ParkedRow {
  return {
    id: stored._id,
    partition: stored.partition,
    receiverId: stored.bank,
    deliveryKey: stored.deliveryKey,
    uetr: stored.uetr,
    operation: stored.operation ?? null,
    sequence: stored.sequence,
    traceparent: stored.traceparent,
    nextAttemptAtMs: stored.nextAttemptAt.getTime(),
    reconciliationDay: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    stopsAtMs: stored.stopsAt?.getTime() ?? null,
    attempts: stored.attempts,
    anyAnswer: stored.anyAnswer,
    mayHaveBeenTaken: stored.mayHaveBeenTaken ?? true,
    recentAttempts: stored.recentAttempts.map(({ at, httpStatusCode, answer, tookMs, address = null, class: answerClass = "unknown" }) => ({
      atMs: at.getTime(),
      httpStatusCode,
      answer,
      tookMs,
      address,
      class: answerClass,
    })),
    earlier: fromStoredEarlier(stored.earlier ?? null),
    ended: stored.ended,
    redrive: fromStoredRedrive(stored.redrive ?? null),
  };
}

function toStoredEarlier(earlier: AttemptSummary | null): StoredEarlier | null {
  if (earlier === null) return null;
  const { count, firstAtMs, lastAtMs, answers } = earlier;
  return { count, firstAt: new Date(firstAtMs), lastAt: new Date(lastAtMs), answers };
}

function fromStoredEarlier(earlier: StoredEarlier | null): AttemptSummary | null {
  if (earlier === null) return null;
  const { count, firstAt, lastAt, answers } = earlier;
  const counts = answers.map(({ httpStatusCode, count: times }) => ({ httpStatusCode, count: times }));
  return { count, firstAtMs: firstAt.getTime(), lastAtMs: lastAt.getTime(), answers: counts };
}

function toStoredRedrive(redrive: ParkedRedrive | null): StoredRedrive | null {
  if (redrive === null) return null;
  return { offset: redrive.offset, until: redrive.untilMs === null ? null : new Date(redrive.untilMs) };
}

function fromStoredRedrive(redrive: StoredRedrive | null): ParkedRedrive | null {
  if (redrive === null) return null;
  return { offset: redrive.offset, untilMs: redrive.until?.getTime() ?? null };
}
