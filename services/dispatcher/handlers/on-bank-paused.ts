// An operator paused a receiver: no attempt to it begins until it is resumed.

import type { BankPaused } from "@sluice/contracts";
import type { DeliveryWorker, MarkerPosition } from "@sluice/delivery";

export function onDispatchBankPaused(marker: BankPaused, place: MarkerPosition, worker: DeliveryWorker): void {
  worker.pauseReceiver(marker, place);
}
