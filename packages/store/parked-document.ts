// A message not acknowledged at once, as it lies in `deliveries` or `postings`.

import type { ParkedAttempt, ParkedMessage, ParkedRow, ParkedRedrive } from "./port.ts";

export interface StoredParked {
  readonly _id: string;
  readonly lane: number;
  readonly bank: string;
  readonly deliveryKey: string;
  readonly uetr: string;
  readonly sequence: bigint;
  readonly closesWith: string | null;
  readonly deadline: Date | null;
  /** Absent in documents written before there was one. */
  readonly stopsAt?: Date | null;
  readonly nextAttemptAt: Date;
  readonly attempts: number;
  readonly anyAnswer: boolean;
  /** Absent in documents written before it was known: it may. */
  readonly mayHaveBeenTaken?: boolean;
  readonly recentAttempts: readonly (Omit<ParkedAttempt, "atMs"> & { readonly at: Date })[];
  readonly ended: "refusing" | "refused" | null;
  /** Absent in documents written before there were any. */
  readonly redrive?: StoredRedrive | null;
  readonly recordBytes: Uint8Array;
  readonly traceparent: string | null;
}

interface StoredRedrive {
  readonly offset: bigint;
  readonly until: Date | null;
}

/** What later versions added: it may be absent. */
type Added = "stopsAt" | "mayHaveBeenTaken" | "redrive";
type StoredParkedEver = Omit<StoredParked, Added> & Partial<Pick<StoredParked, Added>>;

/** What an update replaces: all else of a parked message never changes. */
export type AttemptState = Pick<
  StoredParked,
  "nextAttemptAt" | "attempts" | "anyAnswer" | "mayHaveBeenTaken" | "recentAttempts" | "ended" | "redrive"
>;

export function toAttemptState(message: ParkedMessage): AttemptState {
  return {
    nextAttemptAt: new Date(message.nextAttemptAtMs),
    attempts: message.attempts,
    anyAnswer: message.anyAnswer,
    mayHaveBeenTaken: message.mayHaveBeenTaken,
    recentAttempts: message.recentAttempts.map(({ atMs, httpStatusCode, answer, tookMs }) => ({
      at: new Date(atMs),
      httpStatusCode,
      answer,
      tookMs,
    })),
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
    sequence: message.sequence,
    closesWith: message.closesWith,
    deadline: message.deadlineMs === null ? null : new Date(message.deadlineMs),
    stopsAt: message.stopsAtMs === null ? null : new Date(message.stopsAtMs),
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
    sequence: stored.sequence,
    traceparent: stored.traceparent,
    nextAttemptAtMs: stored.nextAttemptAt.getTime(),
    closesWith: stored.closesWith,
    deadlineMs: stored.deadline?.getTime() ?? null,
    stopsAtMs: stored.stopsAt?.getTime() ?? null,
    attempts: stored.attempts,
    anyAnswer: stored.anyAnswer,
    mayHaveBeenTaken: stored.mayHaveBeenTaken ?? true,
    recentAttempts: stored.recentAttempts.map(({ at, httpStatusCode, answer, tookMs }) => ({
      atMs: at.getTime(),
      httpStatusCode,
      answer,
      tookMs,
    })),
    ended: stored.ended,
    redrive: fromStoredRedrive(stored.redrive ?? null),
  };
}

function toStoredRedrive(redrive: ParkedRedrive | null): StoredRedrive | null {
  if (redrive === null) return null;
  return { offset: redrive.offset, until: redrive.untilMs === null ? null : new Date(redrive.untilMs) };
}

function fromStoredRedrive(redrive: StoredRedrive | null): ParkedRedrive | null {
  if (redrive === null) return null;
  return { offset: redrive.offset, untilMs: redrive.until?.getTime() ?? null };
}
