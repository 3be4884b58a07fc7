// One parked message as operators see it.
//
// #1 It shows whether the message waits for its receiver or for its own back-off. Its body is never shown.

import type { Day } from "@sluice/domain";
import type { ParkedAttempt, ParkedRow } from "@sluice/store";
import { isStoppedByOperator } from "@sluice/timeline";
import { formatInstant } from "../http/bank-answer.ts";
import { formatOptionalInstant, wholeSecondsUntil } from "./control-values.ts";
import type { EndpointStatus } from "./receiver-status.ts";
import { lastWindowCloseMs, windowCloseView } from "./window-close.ts";

/** Only a report keeps its debit from being held; what is sent later has until the reconciliation close. */
const reportOperation = "outboundDirectDebitResponse";

export interface ParkedMoment {
  readonly days: ReadonlyMap<string, Day>;
  readonly nowMs: number | null;
  readonly isPaused: boolean;
  readonly address: EndpointStatus | null;
}

export function parkedMessageView(kind: "delivery" | "posting", row: ParkedRow, { days, nowMs, isPaused, address }: ParkedMoment) {
  const { id, uetr, partition, attempts, anyAnswer, mayHaveBeenTaken, ended, reconciliationDay } = row;
  const ownEndMs = findOwnEnd(row);
  const closesAtMs = reconciliationDay === null ? ownEndMs : (days.get(reconciliationDay)?.plan.reconciliationAtMs ?? null);
  const day = reconciliationDay === null ? null : days.get(reconciliationDay);
  const windowClosesAtMs = row.operation === reportOperation ? lastWindowCloseMs(day) : null;
  const waits = findBlockReason(isPaused, address);
  return {
    kind,
    messageIdentification: id,
    uetr,
    partition,
    address: address?.origin ?? null,
    status: ended === null ? waits : givenUpStatus(kind, row, nowMs),
    attempts,
    anyAnswer,
    mayHaveBeenTaken,
    nextAttempt: ended === null ? nextAttempt(row, waits, address) : null,
    day: reconciliationDay,
    ...windowCloseView(windowClosesAtMs, nowMs),
    closes: formatOptionalInstant(closesAtMs),
    secondsToClose: wholeSecondsUntil(closesAtMs, nowMs),
  };
}

/** How a message that is no longer tried stands. Only a posting expires: a delivery ends with its day. */
export function givenUpStatus(kind: "delivery" | "posting", row: ParkedRow, nowMs: number | null): "expired" | "stopped" | "refused" {
  const endsMs = kind === "posting" ? findOwnEnd(row) : null;
  if (endsMs !== null && nowMs !== null && endsMs <= nowMs) return "expired";
  return isStoppedByOperator(row) ? "stopped" : "refused";
}

/** Null: it has none of its own. */
function findOwnEnd({ redrive, deadlineMs, stopsAtMs }: ParkedRow): number | null {
  return redrive?.untilMs ?? deadlineMs ?? stopsAtMs;
}

/** The answer to one attempt. */
export function answerView({ atMs, httpStatusCode, class: answerClass, answer }: ParkedAttempt) {
  return { at: formatInstant(atMs), httpStatusCode, class: answerClass, answer };
}

/** #1 */
function findBlockReason(isPaused: boolean, address: EndpointStatus | null): "paused" | "breaker-open" | "retry-after" | "waiting" {
  if (isPaused) return "paused";
  if (address === null) return "waiting";
  if (address.breaker !== null) return "breaker-open";
  return address.retryAfterUntilMs === null ? "waiting" : "retry-after";
}

/** Null: none is scheduled; the message is tried when the pause or the breaker ends. */
function nextAttempt(
  { nextAttemptAtMs }: ParkedRow,
  waits: ReturnType<typeof findBlockReason>,
  address: EndpointStatus | null,
): string | null {
  if (waits === "paused" || waits === "breaker-open") return null;
  return formatInstant(Math.max(nextAttemptAtMs, address?.retryAfterUntilMs ?? 0));
}
