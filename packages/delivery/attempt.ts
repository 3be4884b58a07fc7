// One attempt: the request, its answer, and what the answer means.
//
// #1 Every attempt of a message has the same body bytes, `webhook-id` and `idempotency-key` (I3); only the timestamp differs.
// #2 A code that means "seen before" acknowledges only an attempt that may not be the first: a second one, or any on a record
//    that lay in the partition when this lane was taken. On a first one it is a refusal that leaves open what became of the message.
// #3 A record without a trace gets one from its id, so that every attempt has the same.

import { createHash } from "node:crypto";
import type { Party } from "@sluice/config";
import { addressOf } from "./addresses.ts";
import { answerText } from "./answer-text.ts";
import { withAttempt } from "./attempts-made.ts";
import type { Slot } from "./bank-slots.ts";
import type { EngineContext } from "./context.ts";
import { type Delivery, type Progress } from "./delivery.ts";
import { attemptsEndMs, mayBeRepeat, type DeliveryLane } from "./lane.ts";
import type { BankAnswer, BankRequest } from "./port.ts";
import { classify, leavesOpen, waitMs, type AnswerClass } from "./retry-law.ts";

export interface AttemptResult {
  readonly class: AnswerClass;
  readonly httpStatusCode: number | null;
  readonly progress: Progress;
  /** Where it failed: when to try again, epoch ms by agreed time, and how long that is from now. */
  readonly nextAttemptAtMs: number;
  readonly waitMs: number;
}

const answerTimeoutOfUnknownMs = 5_000;

/** One that is under way. */
export interface Attempting {
  readonly before: Progress;
  readonly receiver: Party | null;
  readonly timeoutMs: number;
  readonly atMs: number;
  /** Monotonic. */
  readonly startedMs: number;
  /** Never rejects. */
  readonly exchanging: Promise<BankAnswer>;
}

export function begin(context: EngineContext, delivery: Delivery, before: Progress): Attempting {
  const receiver = context.receiver(delivery.bank);
  const timeoutMs = receiver?.answerTimeoutMs ?? answerTimeoutOfUnknownMs;
  const atMs = context.time.nowMs();
  const startedMs = context.time.monotonicMs();
  const exchanging = receiver === null ? noAddress : context.gateway.post(requestOf(delivery, atMs, timeoutMs));
  return { before, receiver, timeoutMs, atMs, startedMs, exchanging };
}

/** `slot` is given back when the exchange is over, also where the lane closes before that. */
export function attempt(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  before: Progress,
  slot: Slot,
): Promise<AttemptResult> {
  const attempting = begin(context, delivery, before);
  return attempting.exchanging.then((answer) => {
    using _ = slot;
    return resultOf(context, lane, delivery, attempting, answer);
  });
}

/** What the answer means, which its destination hears of. */
export function resultOf(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  { before, receiver, timeoutMs, atMs, startedMs }: Attempting,
  answer: BankAnswer,
): AttemptResult {
  const nowMonotonicMs = context.time.monotonicMs();
  const tookMs = Math.round(nowMonotonicMs - startedMs);
  const acknowledges = (status: number, isRepeat: boolean): boolean =>
    receiver !== null && context.rules.acknowledges(receiver, status, isRepeat);
  const wasThereBefore = mayBeRepeat(lane, delivery);
  const answerClass = classify(answer, (status) => acknowledges(status, wasThereBefore || before.attempts > 0));
  const isLeftOpen = answerClass !== "acknowledged" && leavesOpen(answer, (status) => acknowledges(status, true));
  const httpStatusCode = answer.kind === "answered" ? answer.status : null;
  const retryAfter = answer.kind === "answered" ? answer.retryAfter : null;
  const address = receiver === null ? null : (addressOf(receiver, delivery.operation)?.text ?? null);
  const made = { atMs, httpStatusCode, answer: answerText(answer), tookMs, address, class: answerClass };
  const progress = grown(before, made, wasThereBefore || isLeftOpen);
  context.metrics.attempts.add({ bank: delivery.bank, class: answerClass });
  context.metrics.attemptSeconds.observe(tookMs / 1_000, { bank: delivery.bank });
  context.destinations.of(delivery.bank, delivery.operation).answered({
    class: answerClass,
    uetr: delivery.uetr,
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
  const nowMs = context.agreed.nowMs();
  const deadlineMs = attemptsEndMs(lane, delivery);
  const failure = { class: answerClass, attempts: progress.attempts, retryAfter, nowMs, deadlineMs, attemptTimeoutMs: timeoutMs };
  const wait = waitMs(failure, context.random);
  return { class: answerClass, httpStatusCode, progress, nextAttemptAtMs: nowMs + wait, waitMs: wait };
}

const noAddress: Promise<BankAnswer> = Promise.resolve({ kind: "silent", reason: "no-address" });

function requestOf(delivery: Delivery, atMs: number, timeoutMs: number): BankRequest {
  const headers = {
    ...delivery.headers,
    "content-type": "application/json",
    "webhook-id": delivery.id,
    "webhook-timestamp": String(Math.floor(atMs / 1_000)),
    "idempotency-key": delivery.id,
    "user-agent": "Sluice",
    traceparent: delivery.traceparent ?? traceparentOf(delivery.id),
  };
  return { bank: delivery.bank, operation: delivery.operation, body: delivery.body, headers, timeoutMs };
}

/** #3 */
function traceparentOf(id: string): string {
  const digest = createHash("sha256").update(`sluice:trace:${id}`).digest("hex");
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01`;
}

function grown(before: Progress, made: Progress["recentAttempts"][number], mayHaveBeenTaken: boolean): Progress {
  return {
    attempts: before.attempts + 1,
    anyAnswer: before.anyAnswer || made.httpStatusCode !== null,
    mayHaveBeenTaken: before.mayHaveBeenTaken || mayHaveBeenTaken,
    ...withAttempt(before, made),
    redrive: before.redrive,
  };
}
