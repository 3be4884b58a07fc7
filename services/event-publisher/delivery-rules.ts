// What the engine is told about postings: how they are acknowledged, and what their end appends.
//
// #1 Any 2xx acknowledges; the bank's duplicate codes do on an attempt that may not be the first.
// #2 Every end writes a receipt, and nothing else: never a fact for the journal (I13).
// #3 What expired is kept as undelivered, as what was refused.

import { headers, outgoingRecord, topics, type EsmStateEvent, type Serde, type TransactionStateEvent } from "@sluice/contracts";
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
  return posting(event, event.stageVersion, place);
}

/** Its place in the log, after the TransactionStateEvent of the same state, is its place in the order; it has no stageVersion. */
export function deliveryOfEsm(event: EsmStateEvent, place: RecordPlace): Delivery {
  return posting(event, null, place);
}

function posting(event: TransactionStateEvent | EsmStateEvent, stageVersion: number | null, place: RecordPlace): Delivery {
  const { id, uetr, bank, body, deadlineMs } = event;
  const limits = { closesWith: null, stopsAtMs: null, deadlineMs };
  return { id, uetr, deliveryKey: uetr, bank, operation: "events", stageVersion, body, ...limits, ...place };
}
