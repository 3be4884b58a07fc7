// I12, retry law (decisions.md section 3), in attempts and spacing, as far as receivers and receipts show it.
//
// 1. A delivery ends as refused only by an answer that is not recoverable: never by silence, 5xx, 408, 425, 429, nor by one about the
//    address (401, 403, 404, 405, 407, 410, 421, 3xx, and of messages a 2xx other than 202). It ends as acknowledged only by a 2xx, or by
//    a code that means "seen before".
// 2. What was refused is not tried again, unless an operator has it redriven: not when its record is read again, nor when a replay appends it again.
// 3. After an answer about the address the next attempt that its owner recorded comes a minute later at the earliest. Unless the receiver
//    acknowledged something meanwhile, was resumed, or our credentials for it were replaced (all is due then), the message was redriven, or the breaker may have been open, whose
//    probes are 10 s apart: ten answers before it brought no acknowledgement.
// 4. After 429 or 503 with `Retry-After` the next one comes no earlier than asked for (1 s to 15 min), unless it was resumed or redriven, or its
//    attempts would be over by then.
// 5. No attempt is made up: of each status a receiver gave at least as many answers as one receipt names.

import { deliveriesOf, wasPaused, type DeliveryReceipt, type KnownDelivery, type Tried } from "./deliveries.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "./history.ts";

const addressCodes: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 410, 421]);
const transientCodes: ReadonlySet<number> = new Set([408, 425, 429]);
const addressWaitMinMs = 60_000;
const failuresToOpen = 10;
const retryAfterMinMs = 1_000;
const retryAfterMaxMs = 900_000;
/** A request is on its way. */
const slackMs = 50;
/** Attempts are recorded by the clock of their sender, and another process may have made the next. */
const clocksApartMs = 2_000;
/** The longest answer may be waited for. */
const answerMaxMs = 30_000;

export function checkRetryLaw(evidence: Evidence): Finding {
  const deliveries = deliveriesOf(evidence);
  const byBank = Map.groupBy(evidence.received, ({ bank }) => bank);
  const violations = deliveries.flatMap((delivery) => [
    ...delivery.receipts.flatMap((receipt) => [
      ...wrongEnd(delivery, receipt),
      ...madeUp(delivery, receipt),
      ...tooEarly(evidence, delivery, receipt, byBank.get(delivery.bank) ?? []),
    ]),
    ...triedAfterRefusal(evidence, delivery),
  ]);
  const spacings = deliveries.flatMap(({ receipts }) => receipts).reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0);
  return { violations, counts: { deliveriesEnded: deliveries.filter(({ receipts }) => receipts.length > 0).length, spacings } };
}

function violation({ uetr, id, bank }: KnownDelivery, text: string): Violation {
  return { promise: "I12", uetr, text: `${id} to ${bank} ${text}` };
}

/** 1 */
function wrongEnd(delivery: KnownDelivery, { outcome, attempts }: DeliveryReceipt): readonly Violation[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const { status } = last;
  if (outcome === "REFUSED") {
    const isRefusal = status !== null && status >= 400 && status < 500 && !addressCodes.has(status) && !transientCodes.has(status);
    return isRefusal ? [] : [violation(delivery, `ended as refused by ${status ?? "silence"}`)];
  }
  if (outcome !== "ACKNOWLEDGED") return [];
  const isTaken = status !== null && status < 500 && status >= 200 && (status < 300 || status >= 400) && !transientCodes.has(status);
  return isTaken ? [] : [violation(delivery, `ended as acknowledged by ${status ?? "silence"}`)];
}

/** 5 */
function madeUp(delivery: KnownDelivery, { attempts }: DeliveryReceipt): readonly Violation[] {
  const named = Map.groupBy(attempts, ({ status }) => status);
  return [...named].flatMap(([status, tried]) => {
    if (status === null) return [];
    const given = delivery.received.filter((entry) => entry.status === status).length;
    return given >= tried.length
      ? []
      : [violation(delivery, `was answered ${status} ${given} times, and its receipt names ${tried.length}`)];
  });
}

/** 2 */
function triedAfterRefusal({ clockToleranceMs }: Evidence, delivery: KnownDelivery): readonly Violation[] {
  const refused = delivery.receipts.find(({ outcome }) => outcome === "REFUSED");
  if (refused === undefined || delivery.isRedriven) return [];
  const again = delivery.received.find(({ atMs }) => atMs > refused.atMs + clockToleranceMs + slackMs);
  return again === undefined ? [] : [violation(delivery, `was tried ${again.atMs - refused.atMs} ms after its refusal was said`)];
}

/** 3, 4 */
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
    if (waitedMs >= leastMs - clocksApartMs - evidence.clockToleranceMs || wasPaused(evidence, delivery.bank, tried.atMs, next.atMs))
      return [];
    const isAsked = leastMs !== addressWaitMinMs || tried.class !== "ADDRESS";
    if (
      isAsked
        ? delivery.overAtMs - answerMaxMs <= tried.atMs + leastMs
        : wasRenewed(evidence, delivery, tried, next) || mayBeDue(evidence, othersThan(delivery, next, received), tried, next)
    )
      return [];
    return [violation(delivery, `was tried ${waitedMs} ms after ${tried.status ?? "silence"}, at least ${leastMs} were to lie between`)];
  });
}

function leastWaitMs({ received }: KnownDelivery, { class: kind, status, atMs }: Tried): number {
  if (kind === "ADDRESS") return addressWaitMinMs;
  if (status !== 429 && status !== 503) return 0;
  // The answers to one message lie seconds apart; the bank's clock may be another than the sender's.
  const answer = received
    .filter((entry) => entry.status === status)
    .toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs))[0];
  const seconds = Number(answer?.retryAfter ?? Number.NaN);
  return Number.isNaN(seconds) ? 0 : Math.min(retryAfterMaxMs, Math.max(retryAfterMinMs, seconds * 1_000));
}

/** All but that attempt itself. */
function othersThan({ id }: KnownDelivery, next: Tried, received: readonly ReceivedEntry[]): readonly ReceivedEntry[] {
  return received.filter(({ webhookId, atMs, status }) => webhookId !== id || atMs < next.atMs || status !== next.status);
}

/** 3 */
function wasRenewed({ renewals }: Evidence, { bank }: KnownDelivery, tried: Tried, next: Tried): boolean {
  return renewals.some((renewal) => renewal.bank === bank && renewal.atMs >= tried.atMs && renewal.atMs <= next.atMs + clocksApartMs);
}

/** 3: an acknowledgement made all due, or the breaker may have been open. */
function mayBeDue({ clockToleranceMs }: Evidence, received: readonly ReceivedEntry[], tried: Tried, next: Tried): boolean {
  const before = received.filter(({ atMs }) => atMs <= next.atMs + clockToleranceMs);
  const between = before.filter(({ atMs }) => atMs >= tried.atMs - clockToleranceMs);
  if (between.some(isTaken)) return true;
  return before.length >= failuresToOpen && !before.slice(-failuresToOpen).some(isTaken);
}

function isTaken({ status }: ReceivedEntry): boolean {
  return status !== null && status >= 200 && status < 300;
}
