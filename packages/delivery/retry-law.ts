// What an answer means, and when the next attempt is due. Pure.
//
// #1 An answer is in one class: acknowledged; transient (no response, 5xx, 408, 425, 429, and what is no HTTP answer code);
//    about the address, not the message (401, 403, 404, 405, 407, 410, 421, any 3xx, any 2xx that does not acknowledge);
//    refused (every other 4xx), which ends automatic delivery.
// #2 Transient: full jitter below 1 s, 2 s, 4 s … 60 s. The first bound is always 1 s.
// #3 Transient with a readable `Retry-After`: exactly that, clamped to 1 s … 15 min, and shortened to leave one attempt before
//    the deadline. What cannot be read as seconds or an HTTP date is as if it were not there.
// #4 About the address: between 1 and 5 min, evenly. A proxy that answers 404 during a deployment must not end a day's debits.
// #5 Whether a message was taken is left open by silence, by a 5xx or what is no HTTP answer code, by a 2xx that does not
//    acknowledge, and by a code that means "seen before". Any other answer says that it was not.

import type { Random } from "@sluice/runtime";
import { connectRefusals } from "./connect-refusals.ts";
import type { BankAnswer } from "./port.ts";

export type AnswerClass = "acknowledged" | "transient" | "address" | "refused";

export const backOffFirstMaxMs = 1_000;
export const backOffMaxMs = 60_000;
export const retryAfterMinMs = 1_000;
export const retryAfterMaxMs = 15 * 60_000;
export const addressWaitMinMs = 60_000;
export const addressWaitMaxMs = 5 * 60_000;

const transientCodes: ReadonlySet<number> = new Set([408, 425, 429]);
const addressCodes: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 421]);
/** Silence that is about the address: nobody is there to be asked. */
const addressReasons: ReadonlySet<string> = new Set(["no-address", ...connectRefusals]);

/** #1. `acknowledges` says which codes end the delivery well. */
export function classify(answer: BankAnswer, acknowledges: (status: number) => boolean): AnswerClass {
  if (answer.kind === "silent") return addressReasons.has(answer.reason) ? "address" : "transient";
  const { status } = answer;
  if (acknowledges(status)) return "acknowledged";
  if (addressCodes.has(status) || (status >= 200 && status < 400)) return "address";
  if (status >= 400 && status < 500 && !transientCodes.has(status)) return "refused";
  return "transient";
}

/** #5. Of an answer that does not acknowledge; `meansSeen` says which codes mean that the message was there before. */
export function leavesOpen(answer: BankAnswer, meansSeen: (status: number) => boolean): boolean {
  if (answer.kind === "silent") return !addressReasons.has(answer.reason);
  return answer.status < 300 || answer.status >= 500 || meansSeen(answer.status);
}

export interface Failure {
  readonly class: "transient" | "address";
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly retryAfter: string | null;
  readonly nowMs: number;
  /** When attempts end; null: not known. */
  readonly deadlineMs: number | null;
  /** How long one attempt may take. */
  readonly attemptTimeoutMs: number;
}

/** Milliseconds to wait before the next attempt. */
export function waitMs(failure: Failure, random: Random): number {
  if (failure.class === "address") return Math.round(addressWaitMinMs + random.fraction() * (addressWaitMaxMs - addressWaitMinMs));
  const askedMs = retryAfterMs(failure.retryAfter, failure.nowMs);
  if (askedMs !== null) return beforeDeadline(askedMs, failure);
  return Math.round(random.fraction() * backOffBoundMs(failure.attempts));
}

/** Upper bound of the back-off after that many attempts. */
export function backOffBoundMs(attempts: number): number {
  const doublings = Math.min(Math.max(attempts, 1) - 1, 16);
  return Math.min(backOffMaxMs, backOffFirstMaxMs * 2 ** doublings);
}

/** #3. Null where there is no header, or none that can be read. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return clamp(Number(text) * 1_000);
  const atMs = httpDateMs(text);
  return atMs === null ? null : clamp(atMs - nowMs);
}

function clamp(ms: number): number {
  return Math.min(retryAfterMaxMs, Math.max(retryAfterMinMs, ms));
}

function beforeDeadline(ms: number, failure: Failure): number {
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
