// Applies the suspension and the release of an endpoint to the backlogs of all partitions.
//
// #1 While an endpoint is suspended, its parked messages are looked at only when their attempts end or a `Retry-After`
//    admits them; new messages are parked untried.
// #2 On release its messages are due, and the receiver's untried ones drain, oldest first, before a new message of it
//    is tried. Those that fail often are due within `failingReleasedWithinMs`.
// #3 A probe is the first message of a key: in turn the newest of all partitions that was tried least, and the next in
//    rotation of the partition that has not sent one for longest. So no number of messages that the receiver chokes on
//    keeps the others away (ADR 24).

import type { EngineContext } from "../context.ts";
import type { Endpoint, EndpointEvents } from "./endpoint.ts";
import { hasten } from "../backlog/backlog-entry.ts";
import { drainReceiver, startProbe, type ProbeKind } from "../backlog/drain.ts";
import { failingReleasedWithinMs, startDraining, type ReceiverQueue, type DeliveryPartition } from "../partition/delivery-partition.ts";

export function createEndpointSuspension(
  context: () => EngineContext,
  partitions: () => readonly DeliveryPartition[],
): Omit<EndpointEvents, "changed"> {
  /** Endpoints whose probe waits until the process has room for it. */
  const waiting = new Set<Endpoint>();
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
        if (isAllDue) hastenAll(partition, queue, nowMs, endpoint);
        else queue.page.rearm();
        queue.probes.delete(endpoint);
        startDraining(context(), partition, queue);
        drainReceiver(context(), partition, queue);
      }
    },
    // #3
    probe(endpoint) {
      const { probeLimit } = context();
      if (context().isStopping() || waiting.has(endpoint)) return false;
      if (!probeLimit.take()) {
        waiting.add(endpoint);
        probeLimit.wait(() => {
          waiting.delete(endpoint);
          endpoint.probeIfDue();
        });
        return false;
      }
      const candidates = findQueues(partitions(), endpoint).filter(
        ({ partition, queue }) => partition.isCaughtUp && !partition.attempts.isHandedOver && !partition.pauses.isPaused(queue.receiverId),
      );
      const kinds: readonly ProbeKind[] = endpoint.isProbeFresh ? ["fresh", "rotating"] : ["rotating", "fresh"];
      const isStarted = kinds.some((kind) =>
        sortForProbe(candidates, endpoint, kind).some(({ partition, queue }) =>
          startProbe(context(), { partition, queue, endpoint, kind }),
        ),
      );
      if (!isStarted) probeLimit.giveBack();
      return isStarted;
    },
  };
}

/** Makes the endpoint's messages due, including those that were parked during a read of the store. */
function hastenAll({ scan }: DeliveryPartition, { page }: ReceiverQueue, nowMs: number, endpoint: Endpoint): void {
  page.makeDue(nowMs, endpoint, failingReleasedWithinMs);
  for (const entry of scan.arrivals) if (entry.endpoint === endpoint) hasten(entry, nowMs, failingReleasedWithinMs);
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

/** #3 */
function sortForProbe(queues: readonly PartitionQueue[], endpoint: Endpoint, kind: ProbeKind): readonly PartitionQueue[] {
  if (kind === "rotating") return queues.toSorted((a, b) => lastProbeMs(a.queue, endpoint) - lastProbeMs(b.queue, endpoint));
  const parked = queues.flatMap((one) => {
    const freshest = one.queue.page.findFreshProbe(endpoint);
    return freshest === null ? [] : [{ ...one, freshest }];
  });
  return parked.toSorted((a, b) => a.freshest.attempts - b.freshest.attempts || b.freshest.dueMs - a.freshest.dueMs);
}

function lastProbeMs({ probes }: ReceiverQueue, endpoint: Endpoint): number {
  return probes.get(endpoint)?.atMs ?? Number.NEGATIVE_INFINITY;
}
