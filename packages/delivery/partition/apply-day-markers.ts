// Applies the markers of business days: they say when attempts on a day's messages end.
//
// #1 The messages of a closed day leave the pages; they stay parked until their stops come, except those that were over
//    when they were first read (closed-days.ts).
// #2 A close that is extended after it had passed brings them back: all parked messages are read again, and receivers
//    spill until then.

import type { DayReconciled, DayTimes } from "@sluice/contracts";
import type { EngineContext } from "../context.ts";
import { removeUntried } from "../attempt/closed-days.ts";
import { drainPartition } from "../backlog/drain.ts";
import { updateSpilling, type DeliveryPartition } from "./delivery-partition.ts";
import type { MarkerPosition } from "./partition-pauses.ts";

export function applyDayTimes(
  context: EngineContext,
  partition: DeliveryPartition,
  marker: Pick<DayTimes, "scheme" | "businessDate" | "number" | "reconciliationAtMs">,
): void {
  const nowMs = context.brokerClock.nowMs();
  const day = `${marker.scheme}:${marker.businessDate}`;
  const wasOver = partition.days.isOver(day, nowMs);
  if (!partition.days.plan(marker)) return;
  partition.isStateWritten = false;
  // A message that waits longer than its day is looked at when the day closes.
  for (const { page } of partition.queues.values()) page.rearm();
  if (!wasOver || partition.days.isOver(day, nowMs)) return drainPartition(context, partition);
  // #2
  partition.scan.passedBelow = 0n;
  partition.scan.nextMs = context.time.monotonicMs();
  for (const queue of partition.queues.values()) {
    queue.page.uncover();
    updateSpilling(context, partition, queue);
  }
  drainPartition(context, partition);
}

export function applyDayReconciled(
  context: EngineContext,
  partition: DeliveryPartition,
  marker: Pick<DayReconciled, "scheme" | "businessDate">,
  { offset }: Pick<MarkerPosition, "offset">,
): void {
  const day = partition.days.reconcile(marker, offset);
  partition.isStateWritten = false;
  for (const { page } of partition.queues.values()) page.retain((entry) => entry.reconciliationDay !== day || entry.isEnding);
  removeUntried(context, partition);
  drainPartition(context, partition);
}
