// An operator paused a bank: nothing is posted to it until it is resumed.

import type { BankPaused } from "@sluice/contracts";
import type { DeliveryWorker, MarkerPosition } from "@sluice/delivery";

export function onPostingBankPaused(marker: BankPaused, place: MarkerPosition, worker: DeliveryWorker): void {
  worker.pauseReceiver(marker, place);
}
