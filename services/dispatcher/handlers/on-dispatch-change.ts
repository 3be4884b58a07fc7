// A delivery changes: STOP ends it, REDRIVE retries a refused one. A change that only a newer writer knows stops the
// partition until this reader knows it too.

import type { DispatchChange } from "@sluice/contracts";
import type { DeliveryWorker, Operation, DeliverySource } from "@sluice/delivery";
import { Fault } from "@sluice/kernel";

export type ChangeSource = Pick<DeliverySource, "sequence" | "traceparent"> & { readonly appendedAtMs: number };

export async function onDispatchChange(change: DispatchChange, place: ChangeSource, worker: DeliveryWorker): Promise<void> {
  const { messageIdentification: id, uetr, bank, deliveryKey, causedByOffset } = change;
  const { sequence, traceparent, appendedAtMs } = place;
  if (change.change === "REDRIVE")
    return worker.redrive({ subject: { id, uetr, receiverId: bank }, deliveryKey, causedByOffset, appendedAtMs });
  if (change.change !== "STOP") {
    throw new Fault("dispatcher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const operation = operationFromId(id);
  await worker.stop({
    subject: { id, uetr, receiverId: bank, operation, stageVersion: null, traceparent },
    deliveryKey,
    causedByOffset,
    sequence,
    appendedAtMs,
  });
}

/**
 * Reads the operation of a message that is not parked here, from its identification: 32 hex digits of the UETR, then
 * `D` for a debit, `C` for a credit, `O` and a digit for an outcome report (on a debit or a credit); all others are
 * reports.
 */
function operationFromId(messageIdentification: string): Operation {
  const letter = /^[0-9a-f]{32}([DCO])\d?$/i.exec(messageIdentification)?.[1]?.toUpperCase();
  if (letter === "D") return "inboundDirectDebit";
  if (letter === "C") return "inboundCreditTransferAuthorization";
  return letter === "O" ? "inboundDirectDebitResponse" : "outboundDirectDebitResponse";
}
