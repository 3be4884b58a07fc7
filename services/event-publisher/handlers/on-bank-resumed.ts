// The pause of a bank ends: everything parked for it is due at once.

import type { BankResumed } from "@sluice/contracts";
import type { DeliveryWorker, MarkerPosition } from "@sluice/delivery";

export function onPostingBankResumed(marker: BankResumed, place: MarkerPosition, worker: DeliveryWorker): void {
  worker.resumeReceiver(marker, place);
}
