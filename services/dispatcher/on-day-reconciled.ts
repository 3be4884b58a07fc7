// The reconciliation window of a day has closed: no further attempt on its messages. Their stops follow.

import type { DayReconciled } from "@sluice/contracts";
import type { LaneDeliveries } from "@sluice/delivery";

export function onDayReconciled(marker: DayReconciled, lane: LaneDeliveries): void {
  lane.dayReconciled(marker);
}
