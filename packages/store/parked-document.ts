// A message not acknowledged at once, as it lies in `deliveries` or `postings`.

import type { EarlierAttempts, ParkedAttempt, ParkedMessage, ParkedRow, ParkedRedrive } from "./port.ts";

export interface StoredParked {
  readonly _id: string;
  readonly lane: number;
  readonly bank: string;
  readonly deliveryKey: string;
  readonly uetr: string;
  /** Absent in documents written before it was kept. */
  readonly operation?: string | null;
  readonly sequence: bigint;
  readonly closesWith: string | null;
  readonly deadline: Date | null;
  /** Absent in documents written before there was one. */
  readonly stopsAt?: Date | null;
  /** When it was first tried, or else parked: set once. Absent in documents written before it was kept. */
  readonly since?: Date | null;
  readonly nextAttemptAt: Date;
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** Absent in documents written before it was known: it may. */
  readonly mayHaveBeenTaken?: boolean;
  readonly recentAttempts: readonly StoredAttempt[];
  /** Absent in documents written before there was one. */
  readonly earlier?: StoredEarlier | null;
  readonly ended: "refusing" | "refused" | "stopped" | null;
  /** Absent in documents written before there were any. */
  readonly redrive?: StoredRedrive | null;
  readonly recordBytes: Uint8Array;
  readonly traceparent: string | null;
}

/** Address and class are absent in what was written before they were kept. */
type StoredAttempt = Omit<ParkedAttempt, "atMs" | "address" | "class"> & { readonly at: Date } & Partial<
    Pick<ParkedAttempt, "address" | "class">
  >;

type StoredEarlier = Omit<EarlierAttempts, "firstAtMs" | "lastAtMs"> & { readonly firstAt: Date; readonly lastAt: Date };

interface StoredRedrive {
  readonly offset: bigint;
  readonly until: Date | null;
}

/** What later versions added: it may be absent. */
type Added = "since" | "stopsAt" | "mayHaveBeenTaken" | "redrive" | "operation" | "earlier";
type StoredParkedEver = Omit<StoredParked, Added> & Partial<Pick<StoredParked, Added>>;

/** What an update replaces: all else of a parked message never changes. */
export type AttemptState = Pick<
  StoredParked,
  "nextAttemptAt" | "attempts" | "anyAnswer" | "mayHaveBeenTaken" | "recentAttempts" | "earlier" | "ended" | "redrive"
>;

export function toAttemptState(message: ParkedRow): AttemptState {
  return {
    nextAttemptAt: new Date(message.nextAttemptAtMs),
    attempts: message.attempts,
    anyAnswer: message.anyAnswer,
    mayHaveBeenTaken: message.mayHaveBeenTaken,
    recentAttempts: message.recentAttempts.map(({ atMs, ...attempt }) => ({ at: new Date(atMs), ...attempt })),
    earlier: toStoredEarlier(message.earlier),
    ended: message.ended,
    redrive: toStoredRedrive(message.redrive),
  };
}

export function toStoredParked(message: ParkedMessage): StoredParked {
  return {
    _id: message.id,
    lane: message.lane,
    bank: message.bank,
    deliveryKey: message.deliveryKey,
    uetr: message.uetr,
    operation: message.operation,
    sequence: message.sequence,
    closesWith: message.closesWith,
    deadline: message.deadlineMs === null ? null : new Date(message.deadlineMs),
    stopsAt: message.stopsAtMs === null ? null : new Date(message.stopsAtMs),
    since: new Date(message.earlier?.firstAtMs ?? message.recentAttempts[0]?.atMs ?? message.nextAttemptAtMs),
    ...toAttemptState(message),
    recordBytes: message.record.slice(),
    traceparent: message.traceparent,
  };
}

export function fromStoredParked(stored: StoredParkedEver): ParkedMessage {
  return { ...toParkedRow(stored), record: new Uint8Array(stored.recordBytes) };
}

/** Order of totals: by bank, what no day ends first. */
export function placeOfTotals({ bank, closesWith }: { readonly bank: string; readonly closesWith: string | null }): string {
  return `${bank} ${closesWith ?? ""}`;
}

export function toParkedRow(stored: Omit<StoredParkedEver, "recordBytes">): ParkedRow {
  return {
    id: stored._id,
    lane: stored.lane,
    bank: stored.bank,
    deliveryKey: stored.deliveryKey,
    uetr: stored.uetr,
    operation: stored.operation ?? null,
    sequence: stored.sequence,
    traceparent: stored.traceparent,
    nextAttemptAtMs: stored.nextAttemptAt.getTime(),
    closesWith: stored.closesWith,
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

function toStoredEarlier(earlier: EarlierAttempts | null): StoredEarlier | null {
  if (earlier === null) return null;
  const { count, firstAtMs, lastAtMs, answers } = earlier;
  return { count, firstAt: new Date(firstAtMs), lastAt: new Date(lastAtMs), answers };
}

function fromStoredEarlier(earlier: StoredEarlier | null): EarlierAttempts | null {
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
