// An operator paused a bank or a connector: no attempt to it begins until it is resumed.

import type { BankPaused } from "@sluice/contracts";
import type { LaneDeliveries } from "@sluice/delivery";

export function onBankPaused(marker: BankPaused, lane: LaneDeliveries): void {
  lane.bankPaused(marker);
}
