// What becomes of what waits in the lanes when an address may not be called, and when it may again.
//
// #1 Held: heads for it are looked at again only for the end of their attempts, or when a gate lets them; new messages are parked untried.
// #2 Released: its heads are due, and a bank's queue drains, oldest first, before anything new of it is tried.
// #3 The probe is the oldest head that has not been one for longest, over all lanes: one message that the receiver chokes on must not keep
//    the rest from it for as long as it is tried (ADR 18).

import type { EngineContext } from "./context.ts";
import type { Destination, DestinationEvents } from "./destination.ts";
import { drain, probe } from "./drain.ts";
import { startDraining, type BankQueue, type DeliveryLane } from "./lane.ts";

export function laneEvents(context: () => EngineContext, lanes: () => readonly DeliveryLane[]): Omit<DestinationEvents, "changed"> {
  return {
    held(destination) {
      for (const { lane, queue } of queuesOf(lanes(), destination)) {
        queue.page.rearm();
        drain(context(), lane, queue);
      }
    },
    released(destination, isAllDue) {
      const nowMs = context().time.monotonicMs();
      for (const { lane, queue } of queuesOf(lanes(), destination)) {
        if (isAllDue) hasten(queue, nowMs, destination);
        else queue.page.rearm();
        queue.probes.delete(destination);
        startDraining(context(), lane, queue);
        drain(context(), lane, queue);
      }
    },
    // #3
    probe(destination) {
      if (context().isStopping()) return false;
      const able = queuesOf(lanes(), destination).filter(({ lane, queue }) => lane.isCaughtUp && !lane.pauses.isPaused(queue.bank));
      const inTurn = able.toSorted((a, b) => turnOf(a.queue, destination) - turnOf(b.queue, destination));
      return inTurn.some(({ lane, queue }) => probe(context(), lane, queue, destination));
    },
  };
}

/** Also what a scan has read so far, and what was parked beyond it. */
function hasten({ page, scan }: BankQueue, nowMs: number, destination: Destination): void {
  page.hasten(nowMs, (entry) => entry.destination === destination);
  for (const entry of [...(scan?.found ?? []), ...(scan?.late ?? [])]) {
    if (entry.destination === destination) entry.dueMs = Math.min(entry.dueMs, nowMs);
  }
}

interface Found {
  readonly lane: DeliveryLane;
  readonly queue: BankQueue;
}

function queuesOf(lanes: readonly DeliveryLane[], { bank }: Destination): readonly Found[] {
  return lanes.flatMap((lane) => {
    const queue = lane.banks.get(bank);
    return queue === undefined || !lane.ownership.isOpen ? [] : [{ lane, queue }];
  });
}

function turnOf({ probes }: BankQueue, destination: Destination): number {
  return probes.get(destination)?.atMs ?? Number.NEGATIVE_INFINITY;
}
