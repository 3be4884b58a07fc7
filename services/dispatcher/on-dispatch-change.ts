// A delivery changes. STOP is the only change yet; one that a newer writer knows stops the lane until this reader knows it too.

import type { DispatchChange } from "@sluice/contracts";
import type { LaneDeliveries, Operation } from "@sluice/delivery";
import { Fault } from "@sluice/runtime";

export async function onDispatchChange(change: DispatchChange, traceparent: string | null, lane: LaneDeliveries): Promise<void> {
  if (change.change !== "STOP") {
    throw new Fault("dispatcher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const { messageIdentification: id, uetr, bank, deliveryKey, causedByOffset } = change;
  const operation = operationOf(id);
  await lane.stop({ subject: { id, uetr, bank, operation, stageVersion: null, traceparent }, deliveryKey, causedByOffset });
}

/** Identifications say what they identify: 32 hex digits and `D` are a debit; all others are reports. */
function operationOf(messageIdentification: string): Operation {
  return /^[0-9a-f]{32}D$/i.test(messageIdentification) ? "inboundDirectDebit" : "outboundDirectDebitResponse";
}
