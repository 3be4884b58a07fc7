// Reads the backlog of one receiver again from the store after its addresses have changed, so that each of its messages
// has the endpoint of its operation. The pages of other receivers are not touched.
//
// #1 Retries under way go on; when they end, their message is found by its id.
// #2 The receiver spills until its backlog is read, so no message of it is tried before an older one.

import { drainReceiver } from "../backlog/drain.ts";
import type { EngineContext } from "../context.ts";
import { updateSpilling, type DeliveryPartition } from "./delivery-partition.ts";

export function rereadBacklog(context: EngineContext, partition: DeliveryPartition, receiverId: string): void {
  const queue = partition.queues.get(receiverId);
  if (queue === undefined || !partition.lease.isOpen) return;
  // The endpoints are new, and know nothing of a spilling that began before them.
  if (queue.isSpilling) for (const { slots } of context.endpoints.forReceiver(receiverId)) slots.changeSpilling(1);
  queue.page.retain(() => false);
  queue.page.setCoveredBelow(0n);
  // A running scan has found entries of the former endpoints.
  queue.scan = null;
  queue.probes.clear();
  partition.nextScanMs = Math.min(partition.nextScanMs, context.time.monotonicMs());
  updateSpilling(context, partition, queue);
  drainReceiver(context, partition, queue);
}
