// The pause of a bank ends: all postings that it has parked here are due at once.

import type { BankResumed } from "@sluice/contracts";
import type { LaneDeliveries, MarkerPlace } from "@sluice/delivery";

export function onBankResumed(marker: BankResumed, place: MarkerPlace, lane: LaneDeliveries): void {
  lane.bankResumed(marker, place);
}
