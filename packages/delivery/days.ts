// The markers of business days: when attempts on a day's messages end.
//
// #1 A closed day's messages leave the pages; they stay parked until their stop comes.
// #2 A close put back after it had passed brings them back: all that is parked is read again, and banks spill until it is.

import type { DayReconciled, DayTimes } from "@sluice/contracts";
import type { EngineContext } from "./context.ts";
import { drainLane } from "./drain.ts";
import { noteSpilling, type DeliveryLane } from "./lane.ts";

export function dayPlanned(
  context: EngineContext,
  lane: DeliveryLane,
  marker: Pick<DayTimes, "scheme" | "businessDate" | "number" | "reconciliationAtMs">,
): void {
  const nowMs = context.agreed.nowMs();
  const day = `${marker.scheme}:${marker.businessDate}`;
  const wasOver = lane.days.isOver(day, nowMs);
  if (!lane.days.planned(marker)) return;
  lane.isStateWritten = false;
  // What waits longer than its day is looked at when that closes.
  for (const { page } of lane.banks.values()) page.rearm();
  if (!wasOver || lane.days.isOver(day, nowMs)) return drainLane(context, lane);
  // #2
  lane.scannedBelow = 0n;
  lane.nextScanMs = context.time.monotonicMs();
  for (const queue of lane.banks.values()) {
    queue.page.cover(0n);
    noteSpilling(context, lane, queue);
  }
  drainLane(context, lane);
}

export function dayReconciled(context: EngineContext, lane: DeliveryLane, marker: Pick<DayReconciled, "scheme" | "businessDate">): void {
  const day = lane.days.reconciled(marker);
  lane.isStateWritten = false;
  for (const { page } of lane.banks.values()) page.retain((entry) => entry.closesWith !== day || entry.isEnding);
  drainLane(context, lane);
}
