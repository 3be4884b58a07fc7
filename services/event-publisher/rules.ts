// The rules of the delivery engine for postings: what acknowledges them, what their end appends, and what a change
// does.
//
// #1 Any 2xx acknowledges; the bank's duplicate codes acknowledge an attempt that may not be the first.
// #2 Every end writes a receipt, and nothing else: never a fact for the journal (I13).
// #3 An expired posting is kept as undelivered, like a refused one and one that an operator has stopped.
// #4 A posting names its place among the events of its UETR: `sluice-sequence` is the stageVersion, and
//    `sluice-previous-id` is the webhook-id of the posting before it. Both follow from UETR and stageVersion, so a
//    repeat after any restart carries the same values. ESM_STATE has no place.
// #5 A change that only a newer writer knows stops the partition until this reader knows it too.

import { hash } from "node:crypto";
import {
  type DispatchChange,
  type EsmStateEvent,
  type EventHeaders,
  outgoingRecord,
  type Serde,
  topics,
  traceHeaders,
  type TransactionStateEvent,
} from "@sluice/contracts";
import { eventId } from "@sluice/domain";
import {
  buildReceipt,
  type Delivery,
  type DeliveryRules,
  type DeliverySource,
  type DeliveryWorker,
  readOperatorStop,
} from "@sluice/delivery";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";

export function createPostingRules(serde: Serde, partitionCount: number): DeliveryRules {
  return {
    service: "event-publisher",
    isExpiredKept: true,
    acknowledges: ({ duplicateCodes }, status, mayBeRepeat) =>
      (status >= 200 && status < 300) || (mayBeRepeat && duplicateCodes.includes(status)),
    readDelivery(record, place) {
      const decoded = serde.decode(record);
      if (decoded.isErased === true)
        throw new Fault("event-publisher.erased", "the key of a parked message was destroyed", { isRetryable: false });
      if (decoded.name === "TransactionStateEvent") return buildPostingDelivery(decoded.value, { ...place, record });
      if (decoded.name === "EsmStateEvent") return buildEsmPostingDelivery(decoded.value, { ...place, record });
      throw new Fault("event-publisher.not-an-event", `a parked ${decoded.name}`, { isRetryable: false });
    },
    buildEndRecords(end) {
      const { uetr, traceparent } = end.subject;
      const options = { partitionCount, headers: traceHeaders(traceparent) };
      return [outgoingRecord(serde, topics.receipts, uetr, { name: "Receipt", value: buildReceipt(end) }, options)];
    },
  };
}

export function buildPostingDelivery(event: TransactionStateEvent, place: DeliverySource): Delivery {
  return posting(event, place, event.stageVersion, sequenceHeaders(event));
}

/** An ESM_STATE posting has no stageVersion: it follows the TransactionStateEvent of the same state in the topic. */
export function buildEsmPostingDelivery(event: EsmStateEvent, place: DeliverySource): Delivery {
  return posting(event, place, null, {});
}

function posting(
  { id, uetr, bank, body, deadlineMs }: TransactionStateEvent | EsmStateEvent,
  place: DeliverySource,
  stageVersion: number | null,
  own: Delivery["headers"],
): Delivery {
  return {
    ...place,
    id,
    uetr,
    deliveryKey: uetr,
    receiverId: bank,
    operation: "events",
    stageVersion,
    headers: own,
    body,
    reconciliationDay: null,
    stopsAtMs: null,
    deadlineMs,
  };
}

/** REDRIVE retries a posting that was given up, GIVE_UP has one tried no more. The key of a posting is its UETR. */
export async function applyPostingChange(
  change: DispatchChange,
  { appendedAtMs }: Pick<ReceivedRecord, "appendedAtMs">,
  worker: DeliveryWorker,
): Promise<void> {
  const { messageIdentification: id, uetr, bank, causedByOffset } = change;
  const subject = { id, uetr, receiverId: bank };
  if (change.change === "GIVE_UP") return worker.giveUp({ subject, deliveryKey: uetr, stop: readOperatorStop(change) });
  if (change.change !== "REDRIVE") {
    // #5
    throw new Fault("event-publisher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  await worker.redrive({ subject, deliveryKey: uetr, causedByOffset, appendedAtMs });
}

/** The place of the posting among the events of its UETR (#4). */
function sequenceHeaders({ uetr, stageVersion }: TransactionStateEvent): EventHeaders {
  const sequence = { "sluice-sequence": String(stageVersion) };
  return stageVersion <= 1 ? sequence : { ...sequence, "sluice-previous-id": eventId(uetr, stageVersion - 1, sha256) };
}

function sha256(text: string): string {
  return hash("sha256", text);
}
