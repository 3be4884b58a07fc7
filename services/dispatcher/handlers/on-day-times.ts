// The planned close of a day, at planning and at each extension: attempts on its messages end when the broker clock
// passes it.

import type { DayTimes } from "@sluice/contracts";
import type { DeliveryWorker } from "@sluice/delivery";

export function onDayTimes(marker: DayTimes, worker: DeliveryWorker): void {
  worker.planDay(marker);
}
