// Models what a process should know of a bank's endpoint, by the specification (docs/spec/decisions.md D3 and ADR 18),
// not by the engine. The model takes each answer that the process gets and decides whether the process may call the
// endpoint now.
//
// #1 The breaker opens after 10 transient answers in a row over at least 2 UETRs, after 10 answers about the address in
//    a row over at least 2, or after 10 refusals in a row. An acknowledgement ends every row. A refusal ends the other
//    two rows, and their answers end the row of refusals. A message that has failed three times does not count.
//    Less than 10 min after a close it takes 80, 640, then 5,120 answers, or 10 once nothing was acknowledged for 30 s.
// #2 While the breaker is open, answers to earlier attempts change nothing, except that the first acknowledgement
//    closes it.
// #3 `Retry-After` on 429 or 503 suspends the endpoint for 1 s to 15 min. The longest suspension counts.
// #4 An operator's resume and the end of a maintenance end a suspension and make the next probe due.

import type { ReceiverAnswer } from "@sluice/delivery";
import type { InputMessage } from "./inputs.ts";
import type { AnswerMeaning } from "./recorded.ts";

type Reason = "transient" | "address" | "refused";

interface Row {
  count: number;
  readonly uetrs: Set<string>;
}

export interface ModelEndpoint {
  readonly process: string;
  readonly bank: string;
  readonly origin: string;
  readonly rows: Record<Reason, Row>;
  open: { readonly sinceMs: number; readonly reason: Reason } | null;
  /** When the last attempt began while the breaker was open; null if there was none. */
  probedAtMs: number | null;
  /** When the next probe became due at once: at a restart with an open breaker, or at a resume. */
  probeDueAtMs: number;
  /** The time until which `Retry-After` certainly suspends the endpoint. */
  retryAfterUntilMs: number;
  /**
   * The time until which `Retry-After` may suspend the endpoint. A resume ends it only if it was requested after the
   * answer.
   */
  retryAfterMayLastUntilMs: number;
  /** When the answer with `Retry-After` came. */
  retryAfterAtMs: number;
  closedAtMs: number;
  /** How often it was closed, each time less than 10 min before it opened again. */
  closings: number;
  acknowledgedAtMs: number;
  /** The number of attempts under way. */
  running: number;
  /** True after an answer whose meaning only the process knows. Nothing is checked until the next acknowledgement. */
  isUncertain: boolean;
}

export const modelProbeSpacingMs: Readonly<Record<Reason, number>> = { transient: 10_000, refused: 10_000, address: 60_000 };
const failuresToOpen = 10;
const evidenceAttempts = 3;
const growth = 8;
const growthsMax = 3;
const quietMs = 600_000;
const unacknowledgedMaxMs = 30_000;
const retryAfterMinMs = 1_000;
const retryAfterMaxMs = 15 * 60_000;

/** The origin for reports to the third bank, which has a separate endpoint for them. */
export const otherOrigin = "http://other.invalid";

export function endpointOrigin({ bank, operation }: Pick<InputMessage, "bank" | "operation">): string {
  return bank === "third" && operation === "outboundDirectDebitResponse" ? otherOrigin : `http://${bank}.invalid`;
}

export function createEndpoint(process: string, bank: string, origin: string): ModelEndpoint {
  const row = (): Row => ({ count: 0, uetrs: new Set() });
  return {
    process,
    bank,
    origin,
    rows: { transient: row(), address: row(), refused: row() },
    open: null,
    probedAtMs: null,
    probeDueAtMs: 0,
    retryAfterUntilMs: 0,
    retryAfterMayLastUntilMs: 0,
    retryAfterAtMs: 0,
    closedAtMs: 0,
    closings: 0,
    acknowledgedAtMs: 0,
    running: 0,
    isUncertain: false,
  };
}

export interface ModelAnswer {
  readonly meaning: AnswerMeaning;
  readonly uetr: string;
  /** The attempts on the message before this one. */
  readonly failedBefore: number;
  readonly answer: ReceiverAnswer;
  readonly nowMs: number;
}

/**
 * Takes an answer that a process got. Returns whether it closed the breaker. A 409 counts for no row: on another
 * attempt it means "seen before".
 */
export function recordAnswer(endpoint: ModelEndpoint, { meaning, uetr, failedBefore, answer, nowMs }: ModelAnswer): boolean {
  if (meaning === "either") endpoint.isUncertain = true;
  if (meaning === "acknowledged") return recordAcknowledgement(endpoint, nowMs);
  applyRetryAfter(endpoint, answer, nowMs);
  const isDuplicateCode = answer.kind === "answered" && answer.status === 409;
  if (endpoint.open !== null || meaning === "either" || isDuplicateCode || failedBefore >= evidenceAttempts) return false;
  if (meaning === "refused") {
    clear(endpoint, "transient");
    clear(endpoint, "address");
  } else clear(endpoint, "refused");
  endpoint.rows[meaning].count += 1;
  endpoint.rows[meaning].uetrs.add(uetr);
  const { count, uetrs } = endpoint.rows[meaning];
  if (count < neededToOpen(endpoint, nowMs) || (meaning !== "refused" && uetrs.size < 2)) return false;
  if (nowMs - endpoint.closedAtMs >= quietMs) endpoint.closings = 0;
  for (const reason of ["transient", "address", "refused"] as const) clear(endpoint, reason);
  endpoint.open = { sinceMs: nowMs, reason: meaning };
  endpoint.probedAtMs = null;
  return false;
}

/** #1 */
function neededToOpen({ closings, closedAtMs, acknowledgedAtMs }: ModelEndpoint, nowMs: number): number {
  if (nowMs - closedAtMs >= quietMs || nowMs - acknowledgedAtMs >= unacknowledgedMaxMs) return failuresToOpen;
  return failuresToOpen * growth ** Math.min(closings, growthsMax);
}

function recordAcknowledgement(endpoint: ModelEndpoint, nowMs: number): boolean {
  const wasOpen = endpoint.open !== null;
  for (const reason of ["transient", "address", "refused"] as const) clear(endpoint, reason);
  endpoint.open = null;
  endpoint.isUncertain = false;
  endpoint.acknowledgedAtMs = nowMs;
  if (wasOpen) {
    endpoint.closedAtMs = nowMs;
    endpoint.closings += 1;
  }
  return wasOpen;
}

function clear({ rows }: ModelEndpoint, reason: Reason): void {
  rows[reason].count = 0;
  rows[reason].uetrs.clear();
}

/** #3 */
function applyRetryAfter(endpoint: ModelEndpoint, answer: ReceiverAnswer, nowMs: number): void {
  if (answer.kind === "silent" || answer.retryAfter === null || ![429, 503].includes(answer.status)) return;
  const untilMs = nowMs + Math.min(retryAfterMaxMs, Math.max(retryAfterMinMs, Number(answer.retryAfter) * 1_000));
  if (untilMs <= endpoint.retryAfterUntilMs) return;
  endpoint.retryAfterUntilMs = untilMs;
  endpoint.retryAfterMayLastUntilMs = untilMs;
  endpoint.retryAfterAtMs = nowMs;
}

/**
 * #4 `requestedAtMs` is when the resume was requested, or earlier, because a partition worker may read its marker late.
 */
export function recordResume(endpoint: ModelEndpoint, requestedAtMs: number, nowMs: number): void {
  endpoint.retryAfterUntilMs = 0;
  if (requestedAtMs > endpoint.retryAfterAtMs) endpoint.retryAfterMayLastUntilMs = 0;
  endpoint.probeDueAtMs = nowMs;
}
