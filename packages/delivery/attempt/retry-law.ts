// Decides what an answer means, and when the next attempt is due. Pure.
//
// #1 An answer has one class: acknowledged; transient (no response, 5xx, 408, 425, 429, or a status outside HTTP's
//    range); about the address and not the message (401, 403, 404, 405, 407, 410, 421, any 3xx, any 2xx that does not
//    acknowledge); refused (every other 4xx), which ends automatic delivery.
// #2 A transient failure waits with full jitter below 1 s, 2 s, 4 s … 60 s. The first bound is always 1 s.
// #3 A transient failure with a readable `Retry-After` waits exactly that long, clamped to 1 s … 15 min and shortened
//    so that one attempt fits before the deadline. A value that is neither seconds nor an HTTP date is ignored.
// #4 A failure about the address waits between 1 and 5 min, evenly distributed. A proxy that answers 404 during a
//    deployment must not end a day's debits.
// #5 It is open whether the message was taken after no response, a 5xx or a status outside HTTP's range, a 2xx that
//    does not acknowledge, and a code that means "seen before". Any other answer says that it was not taken.

import type { Random } from "@sluice/kernel";
import { connectRefusals } from "../gateway/connect-refusals.ts";
import type { ReceiverAnswer } from "../port.ts";

export type AnswerClass = "acknowledged" | "transient" | "address" | "refused";

export const backOffFirstMaxMs = 1_000;
const backOffMaxMs = 60_000;
export const retryAfterMinMs = 1_000;
export const retryAfterMaxMs = 15 * 60_000;
const addressWaitMinMs = 60_000;
const addressWaitMaxMs = 5 * 60_000;

const transientCodes: ReadonlySet<number> = new Set([408, 425, 429]);
const addressCodes: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 421]);
/** Reasons without an HTTP answer that are about the address: no receiver could be asked. */
const addressReasons: ReadonlySet<string> = new Set(["no-address", ...connectRefusals]);

/** #1. `acknowledges` tells which statuses acknowledge the delivery. */
export function classifyAnswer(answer: ReceiverAnswer, acknowledges: (status: number) => boolean): AnswerClass {
  if (answer.kind === "silent") return addressReasons.has(answer.reason) ? "address" : "transient";
  const { status } = answer;
  if (acknowledges(status)) return "acknowledged";
  if (addressCodes.has(status) || (status >= 200 && status < 400)) return "address";
  if (status >= 400 && status < 500 && !transientCodes.has(status)) return "refused";
  return "transient";
}

/**
 * #5, for an answer that does not acknowledge. `meansSeen` tells which statuses mean that the receiver had the message
 * before.
 */
export function mayHaveTaken(answer: ReceiverAnswer, meansSeen: (status: number) => boolean): boolean {
  if (answer.kind === "silent") return !addressReasons.has(answer.reason);
  return answer.status < 300 || answer.status >= 500 || meansSeen(answer.status);
}

export interface AttemptFailure {
  readonly class: "transient" | "address";
  /** The number of attempts made, including this one. */
  readonly attempts: number;
  readonly retryAfter: string | null;
  readonly nowMs: number;
  /** When attempts end; null where that is not known. */
  readonly deadlineMs: number | null;
  /** Milliseconds that one attempt may take. */
  readonly attemptTimeoutMs: number;
}

/** Computes the milliseconds to wait before the next attempt. */
export function retryWaitMs(failure: AttemptFailure, random: Random): number {
  if (failure.class === "address") return Math.round(addressWaitMinMs + random.fraction() * (addressWaitMaxMs - addressWaitMinMs));
  const askedMs = parseRetryAfterMs(failure.retryAfter, failure.nowMs);
  if (askedMs !== null) return beforeDeadline(askedMs, failure);
  return Math.round(random.fraction() * backOffBoundMs(failure.attempts));
}

/** The upper bound of the back-off after that many attempts. */
export function backOffBoundMs(attempts: number): number {
  const doublings = Math.min(Math.max(attempts, 1) - 1, 16);
  return Math.min(backOffMaxMs, backOffFirstMaxMs * 2 ** doublings);
}

/** #3. Null where the header is absent or cannot be read. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return clamp(Number(text) * 1_000);
  const atMs = httpDateMs(text);
  return atMs === null ? null : clamp(atMs - nowMs);
}

function clamp(ms: number): number {
  return Math.min(retryAfterMaxMs, Math.max(retryAfterMinMs, ms));
}

function beforeDeadline(ms: number, failure: AttemptFailure): number {
  if (failure.deadlineMs === null) return ms;
  const lastStartMs = failure.deadlineMs - failure.attemptTimeoutMs - failure.nowMs;
  return Math.max(retryAfterMinMs, Math.min(ms, lastStartMs));
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** RFC 9110, 5.6.7: IMF-fixdate, and the two obsolete forms that a recipient must accept. */
const imfFixdate = /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const rfc850 = /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const asctime = /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/;

function httpDateMs(text: string): number | null {
  const parts = (imfFixdate.exec(text) ?? rfc850.exec(text) ?? asctime.exec(text))?.groups;
  if (parts === undefined) return null;
  const month = months.indexOf(parts["month"]!) + 1;
  const year = Number(parts["year"]!.length === 2 ? `20${parts["year"]!}` : parts["year"]!);
  const [hour, minute, second] = parts["time"]!.split(":").map(Number);
  const date = { year, month, day: Number(parts["day"]!), hour: hour!, minute: minute!, second: second!, timeZone: "UTC" };
  try {
    return Temporal.ZonedDateTime.from(date, { overflow: "reject" }).epochMilliseconds;
  } catch {
    return null;
  }
}
