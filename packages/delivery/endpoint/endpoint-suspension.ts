// Applies the suspension and the release of an endpoint to the backlogs of all partitions.
//
// #1 While an endpoint is suspended, its parked messages are looked at only when their attempts end or a `Retry-After`
//    admits them; new messages are parked untried.
// #2 On release its messages are due, and the receiver's queue drains, oldest first, before a new message of it is
//    tried.
// #3 A probe is the first message of a key in the partition that has not sent one for longest. Otherwise one message
//    that the receiver chokes on would keep the others away as long as it is tried (ADR 18).

import type { EngineContext } from "../context.ts";
import type { Endpoint, EndpointEvents } from "./endpoint.ts";
import { drainReceiver, startProbe } from "../backlog/drain.ts";
import { startDraining, type ReceiverQueue, type DeliveryPartition } from "../partition/delivery-partition.ts";

export function createEndpointSuspension(
  context: () => EngineContext,
  partitions: () => readonly DeliveryPartition[],
): Omit<EndpointEvents, "changed"> {
  return {
    suspended(endpoint) {
      for (const { partition, queue } of findQueues(partitions(), endpoint)) {
        queue.page.rearm();
        drainReceiver(context(), partition, queue);
      }
    },
    released(endpoint, isAllDue) {
      const nowMs = context().time.monotonicMs();
      for (const { partition, queue } of findQueues(partitions(), endpoint)) {
        if (isAllDue) hasten(queue, nowMs, endpoint);
        else queue.page.rearm();
        queue.probes.delete(endpoint);
        startDraining(context(), partition, queue);
        drainReceiver(context(), partition, queue);
      }
    },
    // #3
    probe(endpoint) {
      if (context().isStopping()) return false;
      const candidates = findQueues(partitions(), endpoint).filter(
        ({ partition, queue }) => partition.isCaughtUp && !partition.pauses.isPaused(queue.receiverId),
      );
      const leastRecent = candidates.toSorted((a, b) => lastProbeMs(a.queue, endpoint) - lastProbeMs(b.queue, endpoint));
      return leastRecent.some(({ partition, queue }) => startProbe(context(), partition, queue, endpoint));
    },
  };
}

/** Makes the endpoint's messages due, including those that a running scan has read or remembered. */
function hasten({ page, scan }: ReceiverQueue, nowMs: number, endpoint: Endpoint): void {
  page.makeDue(nowMs, (entry) => entry.endpoint === endpoint);
  for (const entry of [...(scan?.found ?? []), ...(scan?.arrivals ?? [])]) {
    if (entry.endpoint === endpoint) entry.dueMs = Math.min(entry.dueMs, nowMs);
  }
}

interface PartitionQueue {
  readonly partition: DeliveryPartition;
  readonly queue: ReceiverQueue;
}

function findQueues(partitions: readonly DeliveryPartition[], { receiverId }: Endpoint): readonly PartitionQueue[] {
  return partitions.flatMap((partition) => {
    const queue = partition.queues.get(receiverId);
    return queue === undefined || !partition.lease.isOpen ? [] : [{ partition, queue }];
  });
}

function lastProbeMs({ probes }: ReceiverQueue, endpoint: Endpoint): number {
  return probes.get(endpoint)?.atMs ?? Number.NEGATIVE_INFINITY;
}
