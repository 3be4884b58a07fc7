// I7, persistence: a receiver with due work, neither paused nor past the deadline, is attempted at least every 15 min.
//
// 1. Work is due from its record until its first receipt, or until its attempts may be over. Messages and events are looked at apart: they
//    go out by different services.
// 2. An attempt is what the receiver recorded or what a receipt names: nobody answers where nobody is. Between the first and the last of those that
//    a receipt only sums up there were others.
// 3. A pause in between, also one that was over soon, excuses. What has no receipt at the end of a history that was taken too early
//    (`isDrained: false`) is not asked for: its attempts are not known.

import { deliveriesOf, endedAtMs, wasPaused, type KnownDelivery } from "./deliveries.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { Violation } from "./history.ts";

const gapMaxMs = 15 * 60_000;
/** For the answer before to come, and a process to be replaced. */
const slackMs = 60_000;

export function checkPersistence(evidence: Evidence): Finding {
  const byReceiver = Map.groupBy(deliveriesOf(evidence), ({ bank, isEvent }) => `${bank}${isEvent ? " (events)" : ""}`);
  const violations = [...byReceiver.values()].flatMap((deliveries) => leftAlone(evidence, deliveries));
  return { violations, counts: { receiversAttempted: byReceiver.size } };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function leftAlone(evidence: Evidence, deliveries: readonly KnownDelivery[]): readonly Violation[] {
  const spans = deliveries.flatMap(spansOf).toSorted((a, b) => a.fromMs - b.fromMs);
  return deliveries.flatMap((delivery): Violation[] => {
    const { record, receipts, overAtMs, bank } = delivery;
    if (receipts.length === 0) return [];
    const dueMs = { fromMs: record.appendedAtMs, toMs: Math.min(endedAtMs(delivery), overAtMs) };
    const gap = longestGap(spans, dueMs);
    if (gap.toMs - gap.fromMs <= gapMaxMs + slackMs + evidence.clockToleranceMs) return [];
    if (wasPaused(evidence, bank, gap.fromMs, gap.toMs)) return [];
    const text = `${bank} was not attempted for ${Math.round((gap.toMs - gap.fromMs) / 1_000)} s, while ${delivery.id} was due`;
    return [{ promise: "I7", uetr: delivery.uetr, text }];
  });
}

/** 2 */
function spansOf({ received, receipts }: KnownDelivery): readonly Span[] {
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
