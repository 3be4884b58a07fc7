// The pause of a bank ends: all postings that it has parked here are due at once.

import type { BankResumed } from "@sluice/contracts";
import type { LaneDeliveries } from "@sluice/delivery";

export function onBankResumed(marker: BankResumed, appendedAtMs: number, lane: LaneDeliveries): void {
  lane.bankResumed(marker, appendedAtMs);
}
