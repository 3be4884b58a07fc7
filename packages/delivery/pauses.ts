// The markers of a receiver that operators pause and resume.
//
// #1 From a pause on no attempt to the receiver begins in the lane; what is under way ends. What comes is parked untried.
// #2 What needs no attempt goes on: attempts end with their day, an own deadline expires, a refusal that was written down is said.
// #3 From a resume on all its heads are due at once, whatever they were waiting for before; its queue drains before anything new is tried.

import type { BankPaused, BankResumed } from "@sluice/contracts";
import type { EngineContext } from "./context.ts";
import { drain } from "./drain.ts";
import type { DeliveryLane } from "./lane.ts";
import type { MarkerPlace } from "./lane-pauses.ts";

export function bankPaused(
  context: EngineContext,
  lane: DeliveryLane,
  marker: Pick<BankPaused, "bank" | "number">,
  place: MarkerPlace,
): void {
  if (!lane.pauses.paused(marker, place)) return;
  changed(context, lane, marker, "bank.paused");
  const queue = lane.banks.get(marker.bank);
  if (queue === undefined) return;
  queue.page.rearm();
  drain(context, lane, queue);
}

export function bankResumed(
  context: EngineContext,
  lane: DeliveryLane,
  marker: Pick<BankResumed, "bank" | "number">,
  place: MarkerPlace,
): void {
  if (!lane.pauses.resumed(marker, place)) return;
  changed(context, lane, marker, "bank.resumed");
  const queue = lane.banks.get(marker.bank);
  if (queue === undefined) return;
  // #3
  queue.page.hasten(context.time.monotonicMs());
  drain(context, lane, queue);
}

function changed(context: EngineContext, lane: DeliveryLane, { bank, number }: Pick<BankPaused, "bank" | "number">, event: string): void {
  lane.isStateWritten = false;
  context.log.info(event, { bank, number, partition: lane.partition, parked: lane.banks.get(bank)?.page.size ?? 0 });
  context.metrics.paused.set(lane.pauses.isPaused(bank) ? 1 : 0, { bank, lane: String(lane.partition) });
}
