// I7, persistence: a receiver with due work that is neither paused nor past the deadline is attempted at least every 15
// min.
//
// #1 Work is due from its record until its first receipt, or until its attempts may have ended. Messages and events are
//    examined separately, because different services send them.
// #2 An attempt is one that the receiver recorded or that a receipt names, since a receiver that is down records
//    nothing. The span that a receipt only sums up counts as covered by attempts.
// #3 Any pause in the gap excuses it, however short, and so does a time in which no process ran. Work without a receipt
//    in a history that was taken too early (`isDrained: false`) is not checked, because its attempts are not known.

import { collectDeliveries, firstEndAtMs, wasReceiverPaused, type KnownDelivery } from "../evidence/deliveries.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";

const gapMaxMs = 15 * 60_000;
/** Milliseconds allowed for the previous answer to arrive and for a process to be replaced. */
const slackMs = 60_000;

export function checkPersistence(evidence: Evidence): PromiseFinding {
  const byReceiver = Map.groupBy(collectDeliveries(evidence), ({ bank, isEvent }) => `${bank}${isEvent ? " (events)" : ""}`);
  const violations = [...byReceiver.values()].flatMap((deliveries) => leftAlone(evidence, deliveries));
  return { violations, counts: { receiversAttempted: byReceiver.size } };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function leftAlone(evidence: Evidence, deliveries: readonly KnownDelivery[]): readonly Violation[] {
  const spans = deliveries.flatMap(attemptSpans).toSorted((a, b) => a.fromMs - b.fromMs);
  return deliveries.flatMap((delivery): Violation[] => {
    const { record, receipts, attemptsEndAtMs, bank } = delivery;
    if (receipts.length === 0) return [];
    const dueSpan = { fromMs: record.appendedAtMs, toMs: Math.min(firstEndAtMs(delivery), attemptsEndAtMs) };
    const gap = longestGap(spans, dueSpan);
    if (gap.toMs - gap.fromMs <= gapMaxMs + slackMs + evidence.clockToleranceMs) return [];
    if (wasReceiverPaused(evidence, bank, gap.fromMs, gap.toMs) || wasStopped(evidence, gap)) return [];
    const text = `${bank} was not attempted for ${Math.round((gap.toMs - gap.fromMs) / 1_000)} s, while ${delivery.id} was due`;
    return [{ promise: "I7", uetr: delivery.uetr, text }];
  });
}

/** #3 */
function wasStopped({ stopped }: Evidence, { fromMs, toMs }: Span): boolean {
  return stopped !== null && stopped.fromMs <= toMs && stopped.untilMs >= fromMs;
}

/** #2 */
function attemptSpans({ received, receipts }: KnownDelivery): readonly Span[] {
  return [
    ...received.map(({ atMs }) => ({ fromMs: atMs, toMs: atMs })),
    ...receipts.flatMap(({ attempts }) => attempts.map(({ atMs, tookMs }) => ({ fromMs: atMs, toMs: atMs + tookMs }))),
    ...receipts.flatMap(({ earlier }) => (earlier === null ? [] : [{ fromMs: earlier.firstAtMs, toMs: earlier.lastAtMs }])),
  ];
}

function longestGap(spans: readonly Span[], { fromMs, toMs }: Span): Span {
  let longest: Span = { fromMs, toMs: fromMs };
  let reachedMs = fromMs;
  for (const span of [...spans, { fromMs: toMs, toMs }]) {
    const nextMs = Math.min(span.fromMs, toMs);
    if (nextMs - reachedMs > longest.toMs - longest.fromMs) longest = { fromMs: reachedMs, toMs: nextMs };
    reachedMs = Math.max(reachedMs, Math.min(span.toMs, toMs));
  }
  return longest;
}
