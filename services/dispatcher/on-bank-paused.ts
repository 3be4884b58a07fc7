// An operator paused a bank or a connector: no attempt to it begins until it is resumed.

import type { BankPaused } from "@sluice/contracts";
import type { LaneDeliveries, MarkerPlace } from "@sluice/delivery";

export function onBankPaused(marker: BankPaused, place: MarkerPlace, lane: LaneDeliveries): void {
  lane.bankPaused(marker, place);
}
