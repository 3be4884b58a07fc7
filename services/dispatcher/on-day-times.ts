// The planned close of a day, at planning and at each put-back: attempts on its messages end when it has passed by agreed time.

import type { DayTimes } from "@sluice/contracts";
import type { LaneDeliveries } from "@sluice/delivery";

export function onDayTimes(marker: DayTimes, lane: LaneDeliveries): void {
  lane.dayPlanned(marker);
}
