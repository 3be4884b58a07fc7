// I14, isolation: one receiver's trouble does not delay another. It is checked only where the options bound a first
// attempt (`firstAttemptWithinMs`), because crashes and outages of servers delay every receiver.
//
// #1 A receiver is healthy if it answered every request of the last five minutes with a 2xx. A message to it is first
//    tried within the bound, counted from its record or from the receipt of the previous message with its key.
// #2 Receivers that operators paused meanwhile, and messages that ended without an attempt, are not checked.

import { collectDeliveries, wasReceiverPaused, type KnownDelivery } from "../evidence/deliveries.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "../history.ts";

const wellForMs = 5 * 60_000;

export function checkIsolation(evidence: Evidence): PromiseFinding {
  const { firstAttemptWithinMs } = evidence;
  if (firstAttemptWithinMs === null) return { violations: [], counts: {} };
  const received = Map.groupBy(evidence.received, ({ bank }) => bank);
  const byKey = Map.groupBy(collectDeliveries(evidence), ({ key }) => key);
  const waits = [...byKey.values()].flatMap((deliveries) => {
    const inOrder = deliveries.toSorted((a, b) => (a.record.position < b.record.position ? -1 : 1));
    return inOrder.flatMap((delivery, index) => firstWait(evidence, delivery, inOrder[index - 1], received.get(delivery.bank) ?? []) ?? []);
  });
  const violations = waits
    .filter(({ waitedMs }) => waitedMs > firstAttemptWithinMs + evidence.clockToleranceMs)
    .map(({ delivery, waitedMs }): Violation => {
      const text = `${delivery.id} was first tried after ${waitedMs} ms, though ${delivery.bank} was healthy`;
      return { promise: "I14", uetr: delivery.uetr, text };
    });
  return { violations, counts: { firstAttemptsInTime: waits.length } };
}

interface Wait {
  readonly delivery: KnownDelivery;
  readonly waitedMs: number;
}

/** Returns how long a delivery waited for its first attempt; null if that says nothing about isolation. */
function firstWait(
  evidence: Evidence,
  delivery: KnownDelivery,
  before: KnownDelivery | undefined,
  received: readonly ReceivedEntry[],
): Wait | null {
  const [first] = delivery.received;
  if (first === undefined || (before !== undefined && before.receipts.length === 0)) return null;
  const fromMs = Math.max(delivery.record.appendedAtMs, before?.receipts[0]?.atMs ?? 0);
  const answers = received.filter(({ atMs }) => atMs >= fromMs - wellForMs && atMs <= first.atMs);
  const isWell = answers.every(({ status }) => status !== null && status >= 200 && status < 300);
  if (!isWell || wasReceiverPaused(evidence, delivery.bank, fromMs - wellForMs, first.atMs)) return null;
  return { delivery, waitedMs: Math.max(0, first.atMs - fromMs) };
}
