// One attempt: the request, its answer, and what the answer means.
//
// #1 Every attempt of a message has the same body bytes, `webhook-id` and `idempotency-key` (I3); only the timestamp
//    differs.
// #2 A code that means "seen before" acknowledges only an attempt that may not be the first: a second one, or any
//    attempt on a record that was in the partition when this process took it. On a first attempt it is a refusal that
//    leaves open whether the receiver has the message.
// #3 A record without a trace gets one derived from its id, so that every attempt has the same. It is not sampled.
// #4 Of a traced message each attempt is a span of its own, which the request names as the one above the receiver's.

import { hash } from "node:crypto";
import type { ConfiguredParty } from "@sluice/config";
import { isSampled, splitTrace } from "@sluice/kernel";
import type { AttemptHeaders } from "@sluice/contracts";
import { findOperationAddress } from "../endpoint/operation-addresses.ts";
import { answerText } from "./answer-text.ts";
import { appendAttempt } from "./attempt-history.ts";
import type { Slot } from "../endpoint/attempt-slots.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { EngineContext } from "../context.ts";
import { type Delivery, type AttemptProgress } from "../rules.ts";
import { attemptsEndMs, mayBeRepeat, type DeliveryPartition } from "../partition/delivery-partition.ts";
import type { ReceiverAnswer, ReceiverRequest } from "../port.ts";
import { traceAttempt } from "./trace-attempt.ts";
import { classifyAnswer, mayHaveTaken, retryWaitMs, type AnswerClass } from "./retry-law.ts";

export interface AttemptResult {
  readonly class: AnswerClass;
  readonly httpStatusCode: number | null;
  readonly progress: AttemptProgress;
  /** After a failure: when to retry, in epoch ms of the broker clock, and how long that is from now. */
  readonly nextAttemptAtMs: number;
  readonly waitMs: number;
}

const answerTimeoutOfUnknownMs = 5_000;

/** An attempt whose answer has not arrived. */
export interface RunningAttempt {
  readonly before: AttemptProgress;
  readonly receiver: ConfiguredParty | null;
  /** The endpoint that it went to. */
  readonly endpoint: Endpoint;
  readonly timeoutMs: number;
  readonly atMs: number;
  /** Milliseconds of the monotonic clock. */
  readonly startedMs: number;
  /** The answer to come; it never rejects. */
  readonly answer: Promise<ReceiverAnswer>;
  /** The place of its span; null: it is not traced. */
  readonly traceparent: string | null;
}

export function startAttempt(context: EngineContext, delivery: Delivery, before: AttemptProgress): RunningAttempt {
  const receiver = context.receiver(delivery.receiverId);
  const timeoutMs = receiver?.answerTimeoutMs ?? answerTimeoutOfUnknownMs;
  const atMs = context.time.nowMs();
  const startedMs = context.time.monotonicMs();
  const traced = context.tracer !== undefined && isSampled(delivery.traceparent) ? context.tracer.below(delivery.traceparent) : null;
  const exchanging = receiver === null ? noAddress : context.gateway.post(buildRequest(delivery, traced, atMs, timeoutMs));
  const endpoint = context.endpoints.forOperation(delivery.receiverId, delivery.operation);
  return { before, receiver, endpoint, timeoutMs, atMs, startedMs, answer: exchanging, traceparent: traced };
}

/** Makes one attempt. It gives `slot` back when the exchange is over, even if the partition closes before that. */
export function runAttempt(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  before: AttemptProgress,
  slot: Slot,
): Promise<AttemptResult> {
  const attempting = startAttempt(context, delivery, before);
  return attempting.answer.then((answer) => {
    try {
      return evaluateAnswer(context, partition, delivery, attempting, answer);
    } finally {
      slot[Symbol.dispose]();
    }
  });
}

/** Classifies the answer, and reports it to the endpoint. */
export function evaluateAnswer(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  { before, receiver, endpoint, timeoutMs, atMs, startedMs, traceparent }: RunningAttempt,
  answer: ReceiverAnswer,
): AttemptResult {
  const nowMonotonicMs = context.time.monotonicMs();
  const tookMs = Math.round(nowMonotonicMs - startedMs);
  const acknowledges = (status: number, isRepeat: boolean): boolean =>
    receiver !== null && context.rules.acknowledges(receiver, status, isRepeat);
  const isRepeatPossible = mayBeRepeat(partition, delivery);
  const answerClass = classifyAnswer(answer, (status) => acknowledges(status, isRepeatPossible || before.attempts > 0));
  const isLeftOpen = answerClass !== "acknowledged" && mayHaveTaken(answer, (status) => acknowledges(status, true));
  const httpStatusCode = answer.kind === "answered" ? answer.status : null;
  const retryAfter = answer.kind === "answered" ? answer.retryAfter : null;
  const address = receiver === null ? null : (findOperationAddress(receiver, delivery.operation)?.text ?? null);
  const made = { atMs, httpStatusCode, answer: answerText(answer), tookMs, address, class: answerClass };
  const progress = addAttempt(before, made, isRepeatPossible || isLeftOpen);
  context.metrics.attempts.add({ receiver: delivery.receiverId, class: answerClass });
  context.metrics.attemptSeconds.observe(tookMs / 1_000, { receiver: delivery.receiverId });
  traceAttempt(context, delivery, traceparent, { number: before.attempts + 1, atMs, tookMs, status: httpStatusCode, class: answerClass });
  if (context.endpoints.isInUse(endpoint))
    endpoint.recordAnswer({
      class: answerClass,
      uetr: delivery.uetr,
      failedBefore: before.attempts,
      status: httpStatusCode,
      isTimeout: answer.kind === "silent" && answer.reason === "timeout",
      isDuplicateCode: httpStatusCode !== null && receiver?.duplicateCodes.includes(httpStatusCode) === true,
      retryAfter,
      tookMs,
      startedMs,
      nowMs: nowMonotonicMs,
    });
  if (answerClass !== "transient" && answerClass !== "address") {
    return { class: answerClass, httpStatusCode, progress, nextAttemptAtMs: 0, waitMs: 0 };
  }
  const nowMs = context.brokerClock.nowMs();
  const deadlineMs = attemptsEndMs(partition, delivery);
  const failure = { class: answerClass, attempts: progress.attempts, retryAfter, nowMs, deadlineMs, attemptTimeoutMs: timeoutMs };
  const wait = retryWaitMs(failure, context.random);
  return { class: answerClass, httpStatusCode, progress, nextAttemptAtMs: nowMs + wait, waitMs: wait };
}

const noAddress: Promise<ReceiverAnswer> = Promise.resolve({ kind: "silent", reason: "no-address" });

function buildRequest(delivery: Delivery, traced: string | null, atMs: number, timeoutMs: number): ReceiverRequest {
  const { traceparent, tracestate } = splitTrace(traced ?? delivery.traceparent ?? deriveTraceparent(delivery.id));
  const headers = {
    ...delivery.headers,
    "content-type": "application/json",
    "webhook-id": delivery.id,
    "webhook-timestamp": String(Math.floor(atMs / 1_000)),
    "idempotency-key": delivery.id,
    "user-agent": "Sluice",
    traceparent,
    ...(tracestate === null ? {} : { tracestate }),
  } satisfies AttemptHeaders & Readonly<Record<string, string>>;
  return { receiverId: delivery.receiverId, operation: delivery.operation, body: delivery.body, headers, timeoutMs };
}

/** #3 */
function deriveTraceparent(id: string): string {
  const digest = hash("sha256", `sluice:trace:${id}`);
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-00`;
}

function addAttempt(before: AttemptProgress, made: AttemptProgress["recentAttempts"][number], mayHaveBeenTaken: boolean): AttemptProgress {
  const { recentAttempts, earlier } = appendAttempt(before, made);
  return {
    attempts: before.attempts + 1,
    anyAnswer: before.anyAnswer || made.httpStatusCode !== null,
    mayHaveBeenTaken: before.mayHaveBeenTaken || mayHaveBeenTaken,
    recentAttempts,
    earlier,
    redrive: before.redrive,
    stop: before.stop,
  };
}
