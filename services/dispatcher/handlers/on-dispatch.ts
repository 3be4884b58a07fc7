// A message to deliver.

import type { Dispatch } from "@sluice/contracts";
import type { DeliveryWorker, DeliverySource } from "@sluice/delivery";
import { buildDispatchDelivery } from "../rules.ts";

export function onDispatch(dispatch: Dispatch, place: DeliverySource, worker: DeliveryWorker): Promise<void> {
  return worker.deliver(buildDispatchDelivery(dispatch, place));
}
