// The rules of the delivery engine for Dispatch records: what acknowledges them, what their end appends, and what a
// change does.
//
// #1 202 acknowledges; another 2xx only if it is configured for the receiver; the receiver's duplicate codes
//    acknowledge an attempt that may not be the first.
// #2 Acknowledged, refused and stopped are facts for the journal (DeliveryEnded); expired and given up are not: no
//    transition waits for them.
// #3 Every end of a delivery writes a receipt; a stop that found no delivery writes none.
// #4 A change that only a newer writer knows stops the partition until this reader knows it too.

import {
  outgoingRecord,
  topics,
  traceHeaders,
  type DeliveryOutcome,
  type Dispatch,
  type DispatchChange,
  type Serde,
} from "@sluice/contracts";
import {
  attemptsForJournal,
  buildReceipt,
  type Delivery,
  type DeliveryEnd,
  type DeliveryRules,
  type DeliverySource,
  type DeliveryWorker,
  readOperatorStop,
  type Operation,
  parseOperation,
  readDeliverySource,
} from "@sluice/delivery";
import type { OutgoingRecord, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";

export function createDispatchRules(serde: Serde, partitionCount: number): DeliveryRules {
  return {
    service: "dispatcher",
    isExpiredKept: false,
    acknowledges: ({ acknowledgeCodes, duplicateCodes }, status, mayBeRepeat) =>
      status === 202 || acknowledgeCodes.includes(status) || (mayBeRepeat && duplicateCodes.includes(status)),
    readDelivery(record, place) {
      const decoded = serde.decode(record);
      if (decoded.isErased === true)
        throw new Fault("dispatcher.erased", "the key of a parked message was destroyed", { isRetryable: false });
      if (decoded.name !== "Dispatch") throw new Fault("dispatcher.not-a-dispatch", `a parked ${decoded.name}`, { isRetryable: false });
      return buildDispatchDelivery(decoded.value, { ...place, record });
    },
    buildEndRecords(end) {
      const { uetr, traceparent } = end.subject;
      const options = { partitionCount, headers: traceHeaders(traceparent) };
      const records: OutgoingRecord[] = [];
      const outcome = factOutcomes[end.outcome];
      const fact = outcome === null ? null : ({ name: "DeliveryEnded", value: deliveryEnded(end, outcome) } as const);
      if (fact !== null) records.push(outgoingRecord(serde, topics.journal, uetr, fact, options));
      if (end.isKnown) records.push(outgoingRecord(serde, topics.receipts, uetr, { name: "Receipt", value: buildReceipt(end) }, options));
      return records;
    },
  };
}

export function buildDispatchDelivery(dispatch: Dispatch, place: DeliverySource): Delivery {
  const { messageIdentification: id, uetr, deliveryKey, bank, body, reconciliationDay, stopsAtMs, deadlineMs } = dispatch;
  const operation = parseOperation(dispatch.operation);
  if (operation === null) {
    throw new Fault("dispatcher.unknown-operation", "a dispatch for an operation that is not known to this reader", { isRetryable: true });
  }
  return {
    id,
    uetr,
    deliveryKey,
    receiverId: bank,
    operation,
    body,
    headers: {},
    reconciliationDay,
    stopsAtMs,
    deadlineMs,
    stageVersion: null,
    ...place,
  };
}

/** The outcome in the journal; null means no fact (#2). */
const factOutcomes: Readonly<Record<DeliveryEnd["outcome"], DeliveryOutcome | null>> = {
  acknowledged: "ACKNOWLEDGED",
  refused: "REFUSED",
  stopped: "STOPPED",
  expired: null,
  "given-up": null,
};

function deliveryEnded(
  { subject, httpStatusCode, progress, stopOffset, isReceiverPaused, isBreakerOpen }: DeliveryEnd,
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
    isBreakerOpen,
    isReceiverPaused,
    stopOffset,
  };
}

/** STOP ends a delivery, GIVE_UP has it tried no more until a REDRIVE, which also retries a refused one. */
export async function applyDispatchChange(change: DispatchChange, record: ReceivedRecord, worker: DeliveryWorker): Promise<void> {
  const { messageIdentification: id, uetr, bank, deliveryKey, causedByOffset } = change;
  const { appendedAtMs } = record;
  if (change.change === "REDRIVE")
    return worker.redrive({ subject: { id, uetr, receiverId: bank }, deliveryKey, causedByOffset, appendedAtMs });
  if (change.change === "GIVE_UP")
    return worker.giveUp({ subject: { id, uetr, receiverId: bank }, deliveryKey, stop: readOperatorStop(change) });
  if (change.change !== "STOP") {
    // #4
    throw new Fault("dispatcher.unknown-change", "a change of a kind that is not known to this reader", { isRetryable: true });
  }
  const { sequence, traceparent } = readDeliverySource(record);
  const subject = { id, uetr, receiverId: bank, operation: operationFromId(id), stageVersion: null, traceparent };
  await worker.stop({ subject, deliveryKey, causedByOffset, sequence, appendedAtMs });
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
