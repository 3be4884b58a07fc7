// An event to post, where its bank takes events.

import type { TransactionStateEvent } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOf } from "./delivery-rules.ts";

export function onTransactionStateEvent(
  event: TransactionStateEvent,
  place: RecordPlace,
  lane: LaneDeliveries,
  receivers: ReadonlySet<string>,
): Promise<void> | null {
  return receivers.has(event.bank) ? lane.deliver(deliveryOf(event, place)) : null;
}
