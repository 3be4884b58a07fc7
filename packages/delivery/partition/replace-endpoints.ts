// Gives a receiver's backlog in one partition the endpoints that it has after its configuration changed. The pages of
// other receivers are not touched.
//
// #1 Attempts under way go on. What is in hand waits for its slot at the former endpoint, and then goes to the new
//    address.
// #2 What was parked during a read of the store, and is not in a page yet, gets its new endpoint too.

import type { BacklogEntry } from "../backlog/backlog-entry.ts";
import { drainReceiver } from "../backlog/drain.ts";
import type { EngineContext } from "../context.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { DeliveryPartition } from "./delivery-partition.ts";

export function replaceEndpoints(context: EngineContext, partition: DeliveryPartition, receiverId: string): void {
  const queue = partition.queues.get(receiverId);
  if (queue === undefined || !partition.lease.isOpen) return;
  const { endpoints } = context;
  const endpointOf = ({ operation }: BacklogEntry): Endpoint => endpoints.forOperation(receiverId, operation);
  queue.page.replaceEndpoints(endpoints.forReceiver(receiverId), endpointOf);
  // #2
  for (const entry of partition.scan.arrivals) if (entry.endpoint.receiverId === receiverId) entry.endpoint = endpointOf(entry);
  for (const known of [queue.refillFromMs, queue.refilled, queue.probes, queue.placeWaits]) known.clear();
  // The endpoints are new, and know nothing of a spilling that began before them.
  if (queue.isSpilling) for (const { slots } of endpoints.forReceiver(receiverId)) slots.changeSpilling(1);
  drainReceiver(context, partition, queue);
}
