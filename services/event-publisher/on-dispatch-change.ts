// REDRIVE: a posting that was given up (refused, or past its deadline) is tried again with the same id and bytes. A change that only a
// newer writer knows stops the lane until this reader knows it too.

import type { DispatchChange } from "@sluice/contracts";
import type { LaneDeliveries } from "@sluice/delivery";
import { Fault } from "@sluice/runtime";

/** Postings of a UETR have the UETR as their key. */
export async function onDispatchChange(change: DispatchChange, appendedAtMs: number, lane: LaneDeliveries): Promise<void> {
  if (change.change !== "REDRIVE") {
    throw new Fault("event-publisher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const { messageIdentification: id, uetr, bank, causedByOffset } = change;
  await lane.redrive({ subject: { id, uetr, bank }, deliveryKey: uetr, causedByOffset, appendedAtMs });
}
