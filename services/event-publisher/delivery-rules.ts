// What the engine is told about postings: how they are acknowledged, and what their end appends.
//
// #1 Any 2xx acknowledges; the bank's duplicate codes do on an attempt that may not be the first.
// #2 Every end writes a receipt, and nothing else: never a fact for the journal (I13).
// #3 What expired is kept as undelivered, as what was refused.
// #4 A posting says its place among the events of its UETR: `sluice-sequence`, the stageVersion, and `sluice-previous-id`, the webhook-id
//    of the one before. Both follow from UETR and stageVersion, so a repeat after any restart says the same. ESM_STATE has no place.

import { createHash } from "node:crypto";
import { headers, outgoingRecord, topics, type EsmStateEvent, type Serde, type TransactionStateEvent } from "@sluice/contracts";
import { eventId } from "@sluice/domain";
import { receiptOf, type Delivery, type DeliveryRules, type RecordPlace } from "@sluice/delivery";
import { Fault } from "@sluice/runtime";

export function postingRules(serde: Serde, lanes: number): DeliveryRules {
  return {
    service: "event-publisher",
    isExpiredKept: true,
    acknowledges: ({ duplicateCodes }, status, mayBeRepeat) =>
      (status >= 200 && status < 300) || (mayBeRepeat && duplicateCodes.includes(status)),
    delivery(record, place) {
      const decoded = serde.decode(record);
      if (decoded.name === "TransactionStateEvent") return deliveryOf(decoded.value, { ...place, record });
      if (decoded.name === "EsmStateEvent") return deliveryOfEsm(decoded.value, { ...place, record });
      throw new Fault("event-publisher.not-an-event", `a parked ${decoded.name}`, { isRetryable: false });
    },
    recordsOf(end) {
      const { uetr, traceparent } = end.subject;
      const options = { lanes, headers: traceparent === null ? {} : { [headers.traceparent]: traceparent } };
      return [outgoingRecord(serde, topics.receipts, uetr, { name: "Receipt", value: receiptOf(end) }, options)];
    },
  };
}

export function deliveryOf(event: TransactionStateEvent, place: RecordPlace): Delivery {
  const { stageVersion } = event;
  return { ...posting(event, place), stageVersion, headers: sequenceHeaders(event) };
}

/** Its place in the log, after the TransactionStateEvent of the same state, is its place in the order; it has no stageVersion. */
export function deliveryOfEsm(event: EsmStateEvent, place: RecordPlace): Delivery {
  return posting(event, place);
}

function posting(event: TransactionStateEvent | EsmStateEvent, place: RecordPlace): Delivery {
  const { id, uetr, bank, body, deadlineMs } = event;
  const limits = { closesWith: null, stopsAtMs: null, deadlineMs };
  return { id, uetr, deliveryKey: uetr, bank, operation: "events", stageVersion: null, headers: {}, body, ...limits, ...place };
}

/** #4 */
function sequenceHeaders({ uetr, stageVersion }: TransactionStateEvent): Readonly<Record<string, string>> {
  const sequence = { "sluice-sequence": String(stageVersion) };
  return stageVersion <= 1 ? sequence : { ...sequence, "sluice-previous-id": eventId(uetr, stageVersion - 1, sha256) };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
