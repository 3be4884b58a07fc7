// One attempt: the request, its answer, and what the answer means.
//
// #1 Every attempt of a message has the same body bytes, `webhook-id` and `idempotency-key` (I3); only the timestamp differs.
// #2 A code that means "seen before" acknowledges only an attempt that may not be the first: a second one, or any on a record
//    that lay in the partition when this lane was taken.

import { answerText } from "./answer-text.ts";
import type { EngineContext } from "./context.ts";
import { attemptsKept, type Delivery, type Progress } from "./delivery.ts";
import { attemptsEndMs, type DeliveryLane } from "./lane.ts";
import type { BankAnswer, BankRequest } from "./port.ts";
import { classify, waitMs, type AnswerClass } from "./retry-law.ts";

export interface AttemptResult {
  readonly class: AnswerClass;
  readonly httpStatusCode: number | null;
  readonly progress: Progress;
  /** Where it failed: when to try again, epoch ms by agreed time, and how long that is from now. */
  readonly nextAttemptAtMs: number;
  readonly waitMs: number;
}

const answerTimeoutOfUnknownMs = 5_000;

export async function attempt(context: EngineContext, lane: DeliveryLane, delivery: Delivery, before: Progress): Promise<AttemptResult> {
  const { time, agreed, random } = context;
  const bank = context.bank(delivery.bank);
  const timeoutMs = bank?.answerTimeoutMs ?? answerTimeoutOfUnknownMs;
  const atMs = time.nowMs();
  const startedMs = time.monotonicMs();
  const answer = bank === null ? noAddress : await context.gateway.post(requestOf(delivery, atMs, timeoutMs));
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  const mayBeRepeat = before.attempts > 0 || delivery.sequence < lane.repeatsBelow;
  const answerClass = classify(answer, (status) => bank !== null && context.rules.acknowledges(bank, status, mayBeRepeat));
  const httpStatusCode = answer.kind === "answered" ? answer.status : null;
  const progress = grown(before, { atMs, httpStatusCode, answer: answerText(answer), tookMs });
  context.metrics.attempts.add({ bank: delivery.bank, class: answerClass });
  context.metrics.attemptSeconds.observe(tookMs / 1_000, { bank: delivery.bank });
  const nowMs = agreed.nowMs();
  const wait =
    answerClass === "transient" || answerClass === "address"
      ? waitMs(
          {
            class: answerClass,
            attempts: progress.attempts,
            retryAfter: answer.kind === "answered" ? answer.retryAfter : null,
            nowMs,
            deadlineMs: attemptsEndMs(lane, delivery),
            attemptTimeoutMs: timeoutMs,
          },
          random,
        )
      : 0;
  return { class: answerClass, httpStatusCode, progress, nextAttemptAtMs: nowMs + wait, waitMs: wait };
}

const noAddress: BankAnswer = { kind: "silent", reason: "no-address" };

function requestOf(delivery: Delivery, atMs: number, timeoutMs: number): BankRequest {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "webhook-id": delivery.id,
    "webhook-timestamp": String(Math.floor(atMs / 1_000)),
    "idempotency-key": delivery.id,
  };
  if (delivery.traceparent !== null) headers["traceparent"] = delivery.traceparent;
  return { bank: delivery.bank, operation: delivery.operation, body: delivery.body, headers, timeoutMs };
}

/** The first attempt is kept for good: it says since when. */
function grown(before: Progress, made: Progress["recentAttempts"][number]): Progress {
  const attempts = [...before.recentAttempts, made];
  const kept = attempts.length <= attemptsKept ? attempts : [attempts[0]!, ...attempts.slice(2)];
  return { attempts: before.attempts + 1, anyAnswer: before.anyAnswer || made.httpStatusCode !== null, recentAttempts: kept };
}
