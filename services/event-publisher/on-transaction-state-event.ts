// An event to post, where its bank takes events.

import type { TransactionStateEvent } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOf } from "./delivery-rules.ts";

export async function onTransactionStateEvent(
  event: TransactionStateEvent,
  place: RecordPlace,
  lane: LaneDeliveries,
  receivers: ReadonlySet<string>,
): Promise<void> {
  if (!receivers.has(event.bank)) return;
  await lane.deliver(deliveryOf(event, place));
}
