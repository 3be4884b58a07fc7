// I14, isolation: one receiver's trouble is not another's. Asked where the history says how soon a first attempt is to be expected
// (`firstAttemptWithinMs`): crashes and outages of servers delay everybody.
//
// 1. A message to a receiver that has answered all it got well in the last five minutes is first tried within the bound: from its record on,
//    or from the receipt of the message before it under its key.
// 2. A receiver that operators had paused meanwhile, and what ended untried, is not asked for.

import { deliveriesOf, wasPaused, type KnownDelivery } from "./deliveries.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "./history.ts";

const wellForMs = 5 * 60_000;

export function checkIsolation(evidence: Evidence): Finding {
  const { firstAttemptWithinMs } = evidence;
  if (firstAttemptWithinMs === null) return { violations: [], counts: {} };
  const received = Map.groupBy(evidence.received, ({ bank }) => bank);
  const byKey = Map.groupBy(deliveriesOf(evidence), ({ key }) => key);
  const judged = [...byKey.values()].flatMap((deliveries) => {
    const inOrder = deliveries.toSorted((a, b) => (a.record.at < b.record.at ? -1 : 1));
    return inOrder.flatMap((delivery, index) => waitOf(evidence, delivery, inOrder[index - 1], received.get(delivery.bank) ?? []) ?? []);
  });
  const violations = judged
    .filter(({ waitedMs }) => waitedMs > firstAttemptWithinMs + evidence.clockToleranceMs)
    .map(({ delivery, waitedMs }): Violation => {
      const text = `${delivery.id} was first tried after ${waitedMs} ms, though ${delivery.bank} took all that came`;
      return { promise: "I14", uetr: delivery.uetr, text };
    });
  return { violations, counts: { firstAttemptsInTime: judged.length } };
}

interface Wait {
  readonly delivery: KnownDelivery;
  readonly waitedMs: number;
}

/** Null: nothing can be said. */
function waitOf(
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
  if (!isWell || wasPaused(evidence, delivery.bank, fromMs - wellForMs, first.atMs)) return null;
  return { delivery, waitedMs: Math.max(0, first.atMs - fromMs) };
}
