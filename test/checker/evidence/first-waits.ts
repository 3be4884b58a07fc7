// How long deliveries waited for their first attempt, where that says something about the receiver's health.

import { collectDeliveries, wasReceiverPaused, type KnownDelivery } from "./deliveries.ts";
import type { Evidence } from "./evidence.ts";
import type { ReceivedEntry } from "../history.ts";

export interface FirstWait {
  readonly delivery: KnownDelivery;
  readonly waitedMs: number;
  /** What the receiver answered to all requests in the five minutes before the attempt, and until it. */
  readonly answers: readonly ReceivedEntry[];
}

const lookBackMs = 5 * 60_000;

export function isTaken({ status }: ReceivedEntry): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * A wait counts from the delivery's record, or from the receipt of the previous message with its key. Receivers that
 * operators paused meanwhile, and messages that ended without an attempt, are left out.
 */
export function collectFirstWaits(evidence: Evidence): readonly FirstWait[] {
  const received = Map.groupBy(evidence.received, ({ bank }) => bank);
  const byKey = Map.groupBy(collectDeliveries(evidence), ({ key }) => key);
  return [...byKey.values()].flatMap((deliveries) => {
    const inOrder = deliveries.toSorted((a, b) => (a.record.position < b.record.position ? -1 : 1));
    return inOrder.flatMap((delivery, index) => firstWait(evidence, delivery, inOrder[index - 1], received.get(delivery.bank) ?? []) ?? []);
  });
}

function firstWait(
  evidence: Evidence,
  delivery: KnownDelivery,
  before: KnownDelivery | undefined,
  received: readonly ReceivedEntry[],
): FirstWait | null {
  const [first] = delivery.received;
  if (first === undefined || (before !== undefined && before.receipts.length === 0)) return null;
  const fromMs = Math.max(delivery.record.appendedAtMs, before?.receipts[0]?.atMs ?? 0);
  if (wasReceiverPaused(evidence, delivery.bank, fromMs - lookBackMs, first.atMs)) return null;
  const answers = received.filter(({ atMs }) => atMs >= fromMs - lookBackMs && atMs <= first.atMs);
  return { delivery, waitedMs: Math.max(0, first.atMs - fromMs), answers };
}
