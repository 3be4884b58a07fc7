// A message to deliver.

import type { Dispatch } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOf } from "./delivery-rules.ts";

export async function onDispatch(dispatch: Dispatch, place: RecordPlace, lane: LaneDeliveries): Promise<void> {
  await lane.deliver(deliveryOf(dispatch, place));
}
