// The markers of a receiver that operators pause and resume, and the end of a maintenance.
//
// #1 From a pause on no attempt to the receiver begins in the lane; what is under way ends. What comes is parked untried.
// #2 What needs no attempt goes on: attempts end with their day, an own deadline expires, a refusal that was written down is said.
// #3 From a resume on all its heads are due at once, whatever they were waiting for before; its queue drains before anything new is tried.
// #4 A maintenance ends by itself, by agreed time, as by a resume. One timer a lane waits for the next end, and looks again where agreed time
//    has not come that far.

import type { BankResumed } from "@sluice/contracts";
import type { EngineContext } from "./context.ts";
import { drain } from "./drain.ts";
import type { BankQueue, DeliveryLane } from "./lane.ts";
import type { MarkerPlace, PauseMarker } from "./lane-pauses.ts";

export function bankPaused(context: EngineContext, lane: DeliveryLane, marker: PauseMarker, place: MarkerPlace): void {
  if (!lane.pauses.paused(marker, place)) return;
  const { bank, number, untilMs } = marker;
  changed(context, lane, "bank.paused", { bank, number, untilMs, to: untilMs === null ? "paused" : "maintenance" });
  for (const queue of queuesOf(lane, marker.bank)) {
    queue.page.rearm();
    drain(context, lane, queue);
  }
  awaitEnds(context, lane);
}

export function bankResumed(
  context: EngineContext,
  lane: DeliveryLane,
  marker: Pick<BankResumed, "bank" | "number">,
  place: MarkerPlace,
): void {
  if (!lane.pauses.resumed(marker, place)) return;
  changed(context, lane, "bank.resumed", { bank: marker.bank, number: marker.number, to: "active" });
  release(context, lane, marker.bank);
  awaitEnds(context, lane);
}

/** #4. Ends what is over, then waits for the next end; also when a lane is taken with what its document said. */
export function awaitEnds(context: EngineContext, lane: DeliveryLane): void {
  forgetEnds(lane);
  const nowMs = context.agreed.nowMs();
  for (const bank of lane.pauses.endedBy(nowMs)) {
    changed(context, lane, "bank.maintenance-ended", { bank, to: "active" });
    release(context, lane, bank);
  }
  const endMs = lane.pauses.nextEndMs();
  if (endMs === null || !lane.ownership.isOpen) return;
  const waitMs = Math.min(lookAgainMs, Math.max(1, Math.ceil(endMs - nowMs)));
  lane.pauses.timer = context.time.after(waitMs, () => awaitEnds(context, lane));
}

/** No timer fires any more. */
export function forgetEnds(lane: DeliveryLane): void {
  lane.pauses.timer?.[Symbol.dispose]();
  lane.pauses.timer = null;
}

/** Agreed time may be corrected meanwhile. */
const lookAgainMs = 60_000;

/** #3 */
function release(context: EngineContext, lane: DeliveryLane, bank: string): void {
  for (const queue of queuesOf(lane, bank)) {
    queue.page.hasten(context.time.monotonicMs());
    drain(context, lane, queue);
  }
  const resumedAtMs = lane.pauses.resumedAtMs(bank) ?? context.agreed.nowMs();
  for (const destination of context.destinations.ofBank(bank)) destination.recalled(resumedAtMs);
}

/** Whatever a receiver's queues are kept by. */
function queuesOf(lane: DeliveryLane, bank: string): readonly BankQueue[] {
  return [...lane.banks.values()].filter((queue) => queue.bank === bank);
}

/** `to`: the state that begins, as people see it. */
interface Transition {
  readonly bank: string;
  readonly to: "paused" | "maintenance" | "active";
  readonly number?: number;
  readonly untilMs?: number | null;
}

function changed(context: EngineContext, lane: DeliveryLane, event: string, { bank, to, ...fields }: Transition): void {
  lane.isStateWritten = false;
  const parked = queuesOf(lane, bank).reduce((sum, { page }) => sum + page.size, 0);
  context.log.info(event, { bank, ...fields, partition: lane.partition, parked });
  const labels = { bank, lane: String(lane.partition) };
  context.metrics.paused.set(lane.pauses.isPaused(bank) ? 1 : 0, labels);
  context.metrics.pauseTransitions.add({ ...labels, to });
}
