// An operator paused a bank: no event is posted to it until it is resumed. Deadlines of postings go on.

import type { BankPaused } from "@sluice/contracts";
import type { LaneDeliveries, MarkerPlace } from "@sluice/delivery";

export function onBankPaused(marker: BankPaused, place: MarkerPlace, lane: LaneDeliveries): void {
  lane.bankPaused(marker, place);
}
