// Decides when a breaker opens, after which an endpoint gets nothing but probes. Pure.
//
// #1 It opens after a streak of 10 transient answers over at least 2 UETRs; after a streak of 10 answers about the
//    address over at least 2; or after a streak of 10 refusals. One UETR that fails again and again does not open it.
// #2 An acknowledgement ends every streak. A refusal ends the streaks of failures that are retried, and these end the
//    streak of refusals. The two kinds of failures count side by side, so that an endpoint which alternates between
//    them is found out.
// #3 A code that means "seen before", on an attempt that may be the first, does not count.
// #4 While it is open one message is tried every 10 s; every 60 s where it opened over the address, because such a
//    fault does not go away by itself.
// #5 Evidence about the endpoint are messages that have not failed often. One that failed three times says nothing any
//    more, whatever it is answered: its failures do not count, only its acknowledgement does.
// #6 A breaker that opened over messages which the receiver chokes on is closed by one that it takes. Then it opens
//    later each time: after eight times as many in a row, or where nothing was acknowledged for 30 s. So each message
//    that fails gets its three attempts, however many there are. After ten quiet minutes the first streak counts again.

import type { AnswerClass } from "../attempt/retry-law.ts";

export type BreakerReason = Exclude<AnswerClass, "acknowledged">;

export const failuresToOpen = 10;
/** The attempts on a message that are evidence. */
const evidenceAttempts = 3;
/** Milliseconds after a close in which an opening counts as another of the same trouble. */
export const quietMs = 600_000;
const unacknowledgedMaxMs = 30_000;
const growth = 8;
const reopeningsMax = 3;
const streakMax = failuresToOpen * growth ** reopeningsMax;
export const probeIntervalMs: Readonly<Record<BreakerReason, number>> = { transient: 10_000, refused: 10_000, address: 60_000 };

export interface CountedAnswer {
  readonly class: AnswerClass;
  readonly uetr: string;
  readonly isDuplicateCode: boolean;
  /** The attempts on the message before this one. */
  readonly failedBefore: number;
}

interface Row {
  readonly count: number;
  /** The UETR of its first answer; null where the streak is empty. */
  readonly uetr: string | null;
  readonly isOfSeveral: boolean;
}

export type FailureStreaks = Readonly<Record<BreakerReason, Row>>;

const noRow: Row = { count: 0, uetr: null, isOfSeveral: false };
export const noStreaks: FailureStreaks = { transient: noRow, address: noRow, refused: noRow };

/** #2, #3 */
export function countAnswer(rows: FailureStreaks, answer: CountedAnswer): FailureStreaks {
  if (answer.class === "acknowledged") return noStreaks;
  if (!isEvidence(answer)) return rows;
  if (answer.class === "refused") {
    return answer.isDuplicateCode ? rows : { ...noStreaks, refused: longer(rows.refused, answer.uetr) };
  }
  return { ...rows, refused: noRow, [answer.class]: longer(rows[answer.class], answer.uetr) };
}

function longer({ count, uetr, isOfSeveral }: Row, next: string): Row {
  return { count: Math.min(count + 1, streakMax), uetr: uetr ?? next, isOfSeveral: isOfSeveral || (uetr !== null && uetr !== next) };
}

/** #5 */
export function isEvidence({ failedBefore }: Pick<CountedAnswer, "failedBefore">): boolean {
  return failedBefore < evidenceAttempts;
}

/** #6. How a breaker that was closed lately is judged. */
export interface BreakerPast {
  /** How often it was closed, each time less than `quietMs` before it opened again. */
  readonly reopenings: number;
  /** Milliseconds since the last acknowledgement. */
  readonly unacknowledgedMs: number;
}

/** #1, #6. Why the breaker opens now; null where it does not. */
export function reasonToOpen(rows: FailureStreaks, { reopenings, unacknowledgedMs }: BreakerPast): BreakerReason | null {
  const needed = unacknowledgedMs >= unacknowledgedMaxMs ? failuresToOpen : failuresToOpen * growth ** Math.min(reopenings, reopeningsMax);
  if (rows.refused.count >= needed) return "refused";
  const reasons = ["transient", "address"] as const;
  return reasons.find((reason) => rows[reason].count >= needed && rows[reason].isOfSeveral) ?? null;
}

export function isBreakerReason(text: string): text is BreakerReason {
  return Object.hasOwn(probeIntervalMs, text);
}
