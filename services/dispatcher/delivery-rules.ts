// What the engine is told about Dispatches: how they are acknowledged, and what their end appends.
//
// #1 202 acknowledges, and another 2xx only where it is configured for the receiver; its duplicate codes do on an attempt that may not be the first.
// #2 Acknowledged, refused and stopped are facts for the journal (DeliveryEnded); expired is not: no transition waits for it.
// #3 Every end of a delivery writes a receipt; a stop that met nothing writes none.

import { headers, outgoingRecord, topics, type DeliveryOutcome, type Dispatch, type Serde } from "@sluice/contracts";
import type { Delivery, DeliveryEnd, DeliveryRules, RecordPlace } from "@sluice/delivery";
import { attemptsForJournal, operationNamed, receiptOf } from "@sluice/delivery";
import type { OutgoingRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";

export function dispatchRules(serde: Serde, lanes: number): DeliveryRules {
  return {
    service: "dispatcher",
    isExpiredKept: false,
    acknowledges: ({ acknowledgeCodes, duplicateCodes }, status, mayBeRepeat) =>
      status === 202 || acknowledgeCodes.includes(status) || (mayBeRepeat && duplicateCodes.includes(status)),
    delivery(record, place) {
      const decoded = serde.decode(record);
      if (decoded.name !== "Dispatch") throw new Fault("dispatcher.not-a-dispatch", `a parked ${decoded.name}`, { isRetryable: false });
      return deliveryOf(decoded.value, { ...place, record });
    },
    recordsOf(end) {
      const { uetr, traceparent } = end.subject;
      const options = { lanes, headers: traceparent === null ? {} : { [headers.traceparent]: traceparent } };
      const records: OutgoingRecord[] = [];
      const outcome = factOutcomes[end.outcome];
      const fact = outcome === null ? null : ({ name: "DeliveryEnded", value: deliveryEnded(end, outcome) } as const);
      if (fact !== null) records.push(outgoingRecord(serde, topics.journal, uetr, fact, options));
      if (end.isKnown) records.push(outgoingRecord(serde, topics.receipts, uetr, { name: "Receipt", value: receiptOf(end) }, options));
      return records;
    },
  };
}

export function deliveryOf(dispatch: Dispatch, place: RecordPlace): Delivery {
  const { messageIdentification: id, uetr, deliveryKey, bank, body, closesWith, stopsAtMs, deadlineMs } = dispatch;
  const operation = operationNamed(dispatch.operation);
  if (operation === null) {
    throw new Fault("dispatcher.unknown-operation", "a dispatch for an operation that is not known to this reader", { isRetryable: true });
  }
  return { id, uetr, deliveryKey, bank, operation, body, headers: {}, closesWith, stopsAtMs, deadlineMs, stageVersion: null, ...place };
}

/** #2 */
const factOutcomes: Readonly<Record<DeliveryEnd["outcome"], DeliveryOutcome | null>> = {
  acknowledged: "ACKNOWLEDGED",
  refused: "REFUSED",
  stopped: "STOPPED",
  expired: null,
};

function deliveryEnded(
  { subject, httpStatusCode, progress, stopOffset, isBankPaused, isBreakerOpen }: DeliveryEnd,
  outcome: DeliveryOutcome,
) {
  return {
    messageIdentification: subject.id,
    operation: subject.operation,
    outcome,
    httpStatusCode,
    attempts: progress.attempts,
    anyAnswer: progress.anyAnswer,
    mayHaveBeenTaken: progress.mayHaveBeenTaken,
    recentAttempts: attemptsForJournal(progress),
    breakerOpen: isBreakerOpen,
    bankPaused: isBankPaused,
    stopOffset,
  };
}
