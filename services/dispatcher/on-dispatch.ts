// A message to deliver.

import type { Dispatch } from "@sluice/contracts";
import type { LaneDeliveries, RecordPlace } from "@sluice/delivery";
import { deliveryOf } from "./delivery-rules.ts";

export function onDispatch(dispatch: Dispatch, place: RecordPlace, lane: LaneDeliveries): Promise<void> {
  return lane.deliver(deliveryOf(dispatch, place));
}
