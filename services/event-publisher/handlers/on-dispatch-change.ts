// REDRIVE retries a posting that was given up (refused, or past its deadline) with the same id and bytes. A change that
// only a newer writer knows stops the partition until this reader knows it too.

import type { DispatchChange } from "@sluice/contracts";
import type { DeliveryWorker } from "@sluice/delivery";
import { Fault } from "@sluice/kernel";

/** Applies a redrive; the key of a posting is its UETR. */
export async function onPostingRedrive(change: DispatchChange, appendedAtMs: number, worker: DeliveryWorker): Promise<void> {
  if (change.change !== "REDRIVE") {
    throw new Fault("event-publisher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const { messageIdentification: id, uetr, bank, causedByOffset } = change;
  await worker.redrive({ subject: { id, uetr, receiverId: bank }, deliveryKey: uetr, causedByOffset, appendedAtMs });
}
