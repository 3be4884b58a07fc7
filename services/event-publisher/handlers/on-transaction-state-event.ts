// An event to post, if its bank takes events.

import type { TransactionStateEvent } from "@sluice/contracts";
import type { DeliveryWorker, DeliverySource } from "@sluice/delivery";
import { buildPostingDelivery } from "../rules.ts";

export function onTransactionStateEvent(
  event: TransactionStateEvent,
  place: DeliverySource,
  worker: DeliveryWorker,
  receivers: ReadonlySet<string>,
): Promise<void> | null {
  return receivers.has(event.bank) ? worker.deliver(buildPostingDelivery(event, place)) : null;
}
