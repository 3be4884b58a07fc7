// An event of class ESM_STATE to post, if its bank takes events. Only banks that ask for the class have any.

import type { EsmStateEvent } from "@sluice/contracts";
import type { DeliveryWorker, DeliverySource } from "@sluice/delivery";
import { buildEsmPostingDelivery } from "../rules.ts";

export function onEsmStateEvent(
  event: EsmStateEvent,
  place: DeliverySource,
  worker: DeliveryWorker,
  receivers: ReadonlySet<string>,
): Promise<void> | null {
  return receivers.has(event.bank) ? worker.deliver(buildEsmPostingDelivery(event, place)) : null;
}
