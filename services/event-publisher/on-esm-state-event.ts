// An event of class ESM_STATE to post, where its bank takes events. Only banks that ask for the class have any.

import type { EsmStateEvent } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOfEsm } from "./delivery-rules.ts";

export function onEsmStateEvent(
  event: EsmStateEvent,
  place: RecordPlace,
  lane: LaneDeliveries,
  receivers: ReadonlySet<string>,
): Promise<void> | null {
  return receivers.has(event.bank) ? lane.deliver(deliveryOfEsm(event, place)) : null;
}
