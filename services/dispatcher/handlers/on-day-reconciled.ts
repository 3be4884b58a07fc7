// The reconciliation window of a day has closed: no further attempt on its messages begins. Their stops follow.

import type { DayReconciled } from "@sluice/contracts";
import type { DeliveryWorker } from "@sluice/delivery";

export function onDayReconciled(marker: DayReconciled, worker: DeliveryWorker): void {
  worker.reconcileDay(marker);
}
