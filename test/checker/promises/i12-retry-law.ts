// I12, retry law (docs/spec/decisions.md D3), in attempts and spacing, as far as receivers and receipts show it.
//
// #1 A delivery ends as refused only by an answer that is not recoverable. That excludes no answer, 5xx, 408, 425, 429,
//    and answers about the address (401, 403, 404, 405, 407, 410, 421, 3xx, and for messages a 2xx other than 202). It
//    ends as acknowledged only by a 2xx, or by a code that means "seen before".
// #2 A message that was refused, or stopped by an operator, is not tried again unless an operator redrives it. Reading
//    its record again or a replay does not change that. It may be tried after a refusal that the store forgot, because
//    it went back to an older copy.
// #3 After an answer about the address the next recorded attempt comes at least a minute later. An earlier attempt is
//    legal if the receiver acknowledged something meanwhile, was resumed, or got new credentials, because all its work
//    is due then. It is also legal if the message was redriven, or if the breaker may have been open: its probes are 10
//    s apart, and ten answers before it brought no acknowledgement.
// #4 After 429 or 503 with `Retry-After` the next attempt comes no earlier than asked for (1 s to 15 min). It may come
//    earlier if the receiver was resumed, the message was redriven, or the attempts would have ended by then.
// #5 No attempt is invented: a receiver gave each status at least as often as one receipt names it.

import {
  collectDeliveries,
  wasReceiverPaused,
  type DeliveryReceipt,
  type KnownDelivery,
  type ReceiptAttempt,
} from "../evidence/deliveries.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "../history.ts";

const addressCodes: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 421]);
const transientCodes: ReadonlySet<number> = new Set([408, 425, 429]);
const addressWaitMinMs = 60_000;
const failuresToOpen = 10;
const retryAfterMinMs = 1_000;
const retryAfterMaxMs = 900_000;
/** Milliseconds that a request may travel. */
const slackMs = 50;
/** Milliseconds that the clocks of two senders may differ, since another process may make the next attempt. */
const clocksApartMs = 2_000;
/** Milliseconds that a sender waits for an answer at most. */
const answerMaxMs = 30_000;

export function checkRetryLaw(evidence: Evidence): PromiseFinding {
  const deliveries = collectDeliveries(evidence);
  const byBank = Map.groupBy(evidence.received, ({ bank }) => bank);
  const violations = deliveries.flatMap((delivery) => [
    ...delivery.receipts.flatMap((receipt) => [
      ...wrongEnd(delivery, receipt),
      ...inventedAttempts(delivery, receipt),
      ...tooEarly(evidence, delivery, receipt, byBank.get(delivery.bank) ?? []),
    ]),
    ...triedAfterGivingUp(evidence, delivery),
  ]);
  const spacings = deliveries.flatMap(({ receipts }) => receipts).reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0);
  return { violations, counts: { deliveriesEnded: deliveries.filter(({ receipts }) => receipts.length > 0).length, spacings } };
}

function violation({ uetr, id, bank }: KnownDelivery, text: string): Violation {
  return { promise: "I12", uetr, text: `${id} to ${bank} ${text}` };
}

/** #1 */
function wrongEnd(delivery: KnownDelivery, { outcome, attempts }: DeliveryReceipt): readonly Violation[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const { status } = last;
  if (outcome === "REFUSED") {
    const isRefusal = status !== null && status >= 400 && status < 500 && !addressCodes.has(status) && !transientCodes.has(status);
    return isRefusal ? [] : [violation(delivery, `ended as refused by ${status ?? "no answer"}`)];
  }
  if (outcome !== "ACKNOWLEDGED") return [];
  const isTaken = status !== null && status < 500 && status >= 200 && (status < 300 || status >= 400) && !transientCodes.has(status);
  return isTaken ? [] : [violation(delivery, `ended as acknowledged by ${status ?? "no answer"}`)];
}

/** #5 */
function inventedAttempts(delivery: KnownDelivery, { attempts }: DeliveryReceipt): readonly Violation[] {
  const named = Map.groupBy(attempts, ({ status }) => status);
  return [...named].flatMap(([status, tried]) => {
    if (status === null) return [];
    const answered = delivery.received.filter((entry) => entry.status === status).length;
    return answered >= tried.length
      ? []
      : [violation(delivery, `was answered ${status} ${answered} times, and its receipt names ${tried.length}`)];
  });
}

/** #2 */
function triedAfterGivingUp({ clockToleranceMs, forgotten }: Evidence, delivery: KnownDelivery): readonly Violation[] {
  const isForgotten = ({ atMs }: DeliveryReceipt): boolean => forgotten !== null && forgotten.fromMs <= atMs && atMs < forgotten.untilMs;
  const ended = delivery.receipts.find((receipt) => (receipt.outcome === "REFUSED" || receipt.isByOperator) && !isForgotten(receipt));
  if (ended === undefined || delivery.isRedriven) return [];
  const again = delivery.received.find(({ atMs }) => atMs > ended.atMs + clockToleranceMs + slackMs);
  const what = ended.isByOperator ? "an operator's stop" : "its refusal";
  return again === undefined ? [] : [violation(delivery, `was tried ${again.atMs - ended.atMs} ms after ${what} was recorded`)];
}

/** #3, #4 */
function tooEarly(
  evidence: Evidence,
  delivery: KnownDelivery,
  { attempts }: DeliveryReceipt,
  received: readonly ReceivedEntry[],
): readonly Violation[] {
  if (delivery.isRedriven) return [];
  return attempts.slice(1).flatMap((next, index) => {
    const tried = attempts[index];
    if (tried === undefined) return [];
    const endMs = tried.atMs + tried.tookMs;
    const waitedMs = next.atMs - endMs;
    const leastMs = leastWaitMs(delivery, tried);
    if (
      waitedMs >= leastMs - clocksApartMs - evidence.clockToleranceMs ||
      wasReceiverPaused(evidence, delivery.bank, tried.atMs, next.atMs)
    )
      return [];
    const isByRetryAfter = leastMs !== addressWaitMinMs || tried.class !== "ADDRESS";
    if (
      isByRetryAfter
        ? delivery.attemptsEndAtMs - answerMaxMs <= tried.atMs + leastMs
        : wasRenewed(evidence, delivery, tried, next) || mayBeDue(evidence, othersThan(delivery, next, received), tried, next)
    )
      return [];
    return [
      violation(delivery, `was tried ${waitedMs} ms after ${tried.status ?? "no answer"}, at least ${leastMs} ms later was required`),
    ];
  });
}

function leastWaitMs({ received }: KnownDelivery, { class: kind, status, atMs }: ReceiptAttempt): number {
  if (kind === "ADDRESS") return addressWaitMinMs;
  if (status !== 429 && status !== 503) return 0;
  // The nearest answer is the right one: answers to one message are seconds apart, and the two clocks differ by less.
  const answer = received
    .filter((entry) => entry.status === status)
    .toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
  const seconds = Number(answer?.retryAfter ?? Number.NaN);
  return Number.isNaN(seconds) ? 0 : Math.min(retryAfterMaxMs, Math.max(retryAfterMinMs, seconds * 1_000));
}

/** Everything that the receiver recorded, except that attempt itself. */
function othersThan({ id }: KnownDelivery, next: ReceiptAttempt, received: readonly ReceivedEntry[]): readonly ReceivedEntry[] {
  return received.filter(({ webhookId, atMs, status }) => webhookId !== id || atMs < next.atMs || status !== next.status);
}

/** #3 True if the receiver's credentials were replaced between the two attempts. */
function wasRenewed({ renewals }: Evidence, { bank }: KnownDelivery, tried: ReceiptAttempt, next: ReceiptAttempt): boolean {
  return renewals.some((renewal) => renewal.bank === bank && renewal.atMs >= tried.atMs && renewal.atMs <= next.atMs + clocksApartMs);
}

/** #3 True if an acknowledgement made all work due, or the breaker may have been open. */
function mayBeDue(
  { clockToleranceMs }: Evidence,
  received: readonly ReceivedEntry[],
  tried: ReceiptAttempt,
  next: ReceiptAttempt,
): boolean {
  const before = received.filter(({ atMs }) => atMs <= next.atMs + clockToleranceMs);
  const between = before.filter(({ atMs }) => atMs >= tried.atMs - clockToleranceMs);
  if (between.some(isTaken)) return true;
  return before.length >= failuresToOpen && !before.slice(-failuresToOpen).some(isTaken);
}

function isTaken({ status }: ReceivedEntry): boolean {
  return status !== null && status >= 200 && status < 300;
}
