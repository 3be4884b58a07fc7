// A delivery changes: STOP ends it, REDRIVE has a refused one tried again. A change that only a newer writer knows stops the lane until this
// reader knows it too.

import type { DispatchChange } from "@sluice/contracts";
import type { LaneDeliveries, Operation, RecordPlace } from "@sluice/delivery";
import { Fault } from "@sluice/runtime";

export type ChangePlace = Pick<RecordPlace, "sequence" | "traceparent"> & { readonly appendedAtMs: number };

export async function onDispatchChange(change: DispatchChange, place: ChangePlace, lane: LaneDeliveries): Promise<void> {
  const { messageIdentification: id, uetr, bank, deliveryKey, causedByOffset } = change;
  const { sequence, traceparent, appendedAtMs } = place;
  if (change.change === "REDRIVE") return lane.redrive({ subject: { id, uetr, bank }, deliveryKey, causedByOffset, appendedAtMs });
  if (change.change !== "STOP") {
    throw new Fault("dispatcher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const operation = operationOf(id);
  await lane.stop({
    subject: { id, uetr, bank, operation, stageVersion: null, traceparent },
    deliveryKey,
    causedByOffset,
    sequence,
    appendedAtMs,
  });
}

/**
 * For a message that is not parked here any more, or never was. Identifications say what they identify: 32 hex digits of the UETR and
 * `D` a debit, `C` a credit, `O` and a digit an outcome (on a debit or on a credit); all others are reports.
 */
function operationOf(messageIdentification: string): Operation {
  const letter = /^[0-9a-f]{32}([DCO])\d?$/i.exec(messageIdentification)?.[1]?.toUpperCase();
  if (letter === "D") return "inboundDirectDebit";
  if (letter === "C") return "inboundCreditTransferAuthorization";
  return letter === "O" ? "inboundDirectDebitResponse" : "outboundDirectDebitResponse";
}
