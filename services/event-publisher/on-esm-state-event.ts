// An event of class ESM_STATE to post, where its bank takes events. Only banks that ask for the class have any.

import type { EsmStateEvent } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOfEsm } from "./delivery-rules.ts";

export async function onEsmStateEvent(
  event: EsmStateEvent,
  place: RecordPlace,
  lane: LaneDeliveries,
  receivers: ReadonlySet<string>,
): Promise<void> {
  if (!receivers.has(event.bank)) return;
  await lane.deliver(deliveryOfEsm(event, place));
}
