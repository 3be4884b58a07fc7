// The document of the collections `deliveries` and `postings`: a parked message.

import type { AttemptSummary, ParkedAttempt, ParkedMessage, ParkedRedrive, ParkedRow, ParkedStop } from "../port.ts";
import { as, bytes, date, derived, document, list, nullable, plain, type StoredIn } from "./codec.ts";

export type StoredParkedMessage = StoredIn<typeof parkedMessageCodec>;

/** The fields that never change. */
const identity = {
  _id: as("id", plain),
  partition: plain,
  bank: as("receiverId", plain),
  deliveryKey: plain,
  uetr: plain,
  operation: plain,
  sequence: plain,
  reconciliationDay: as("reconciliationDay", plain),
  deadline: as("deadlineMs", nullable(date)),
  stopsAt: as("stopsAtMs", nullable(date)),
  /** The time of the first attempt, or of parking without one. */
  since: derived(
    ({ earlier, recentAttempts, nextAttemptAtMs }: ParkedRow) => new Date(earlier?.firstAtMs ?? recentAttempts[0]?.atMs ?? nextAttemptAtMs),
  ),
} as const;

/** The fields that an update replaces. */
const attemptState = {
  nextAttemptAt: as("nextAttemptAtMs", date),
  attempts: plain,
  anyAnswer: plain,
  mayHaveBeenTaken: plain,
  recentAttempts: list(
    document<ParkedAttempt>()({
      at: as("atMs", date),
      httpStatusCode: plain,
      answer: plain,
      tookMs: plain,
      address: plain,
      class: plain,
    }),
  ),
  earlier: nullable(
    document<AttemptSummary>()({
      count: plain,
      firstAt: as("firstAtMs", date),
      lastAt: as("lastAtMs", date),
      answers: list(document<AttemptSummary["answers"][number]>()({ httpStatusCode: plain, count: plain })),
    }),
  ),
  ended: plain,
  redrive: nullable(document<ParkedRedrive>()({ offset: plain, until: as("untilMs", nullable(date)) })),
  stop: nullable(document<ParkedStop>()({ offset: plain, operator: plain, confirmedBy: plain })),
  version: plain,
} as const;

type AttemptState = Pick<
  ParkedRow,
  | "nextAttemptAtMs"
  | "attempts"
  | "anyAnswer"
  | "mayHaveBeenTaken"
  | "recentAttempts"
  | "earlier"
  | "ended"
  | "redrive"
  | "stop"
  | "version"
>;

export const attemptStateCodec = document<AttemptState>()(attemptState);
export const parkedRowCodec = document<ParkedRow>()({ ...identity, ...attemptState, traceparent: plain });
export const parkedMessageCodec = document<ParkedMessage>()({
  ...identity,
  ...attemptState,
  recordBytes: as("record", bytes),
  traceparent: plain,
});

/** The sort key of totals: by receiver, and first the messages that no day ends. */
export function totalsSortKey({ bank, reconciliationDay }: { readonly bank: string; readonly reconciliationDay: string | null }): string {
  return `${bank} ${reconciliationDay ?? ""}`;
}
