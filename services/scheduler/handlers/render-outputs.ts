// Turns the outputs of a decision into finished records: deliveries and stops for `dispatch`, events for `events` and,
// as columns alone, for analysts.

import {
  dispatchChangeRecord,
  dispatchRecord,
  eventColumns,
  eventOptionsOf,
  eventRecords,
  hasErasedMessage,
  outgoingRecord,
  readKeptMessages,
  readTrace,
  requestRecord,
  stateEnteredRecord,
  topics,
  traceHeaders,
} from "@sluice/contracts";
import { findBank } from "@sluice/config";
import type { Output } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import type { SourceRecord, HandlerContext } from "./handler.ts";

/**
 * Renders the outputs in their order. Each record carries the trace of the record that caused it. A fact of our own,
 * such as a release, has none: there it is the trace of the message that began the transaction. What says something of
 * a person is sealed as that message is. Of an erased message or report no body can be made again.
 */
export function renderOutputs(
  outputs: readonly Output[],
  document: TransactionDocument,
  cause: SourceRecord,
  context: HandlerContext,
): readonly OutgoingRecord[] {
  if (outputs.length === 0) return [];
  const { serde, partitionCount } = context;
  const { uetr } = document.transaction;
  const options = { partitionCount, headers: traceHeaders(readTrace(cause.record.headers) ?? document.traceparent) };
  const { decoded } = cause;
  const answered = decoded?.name === "DirectDebitReceived" || decoded?.name === "CreditTransferReceived" ? decoded.value : null;
  const sources = { ...readKeptMessages(serde, document), answered };
  const isErased = hasErasedMessage(serde, document) || decoded?.isErased === true;
  const sealed = { ...options, sealUnder: { as: document.acceptedMessage } };
  return outputs.flatMap((output) => {
    switch (output.kind) {
      case "event": {
        const event = eventOptionsOf(document.transaction, (bank) => findBank(context.configuration, bank));
        const columns = eventColumns(output, sources);
        const place = { bank: event.bank, journalPartition: cause.record.partition };
        const forAnalysts = stateEnteredRecord(output, sources, place, columns);
        const postings = isErased ? [] : eventRecords(output, sources, event, columns);
        return [
          ...postings.map((record) => outgoingRecord(serde, topics.events, uetr, record, sealed)),
          outgoingRecord(serde, topics.stateEvents, uetr, forAnalysts, options),
        ];
      }
      case "dispatch":
        return isErased ? [] : [outgoingRecord(serde, topics.dispatch, uetr, dispatchRecord(output, sources), sealed)];
      case "stop":
        return [outgoingRecord(serde, topics.dispatch, uetr, dispatchChangeRecord(output, uetr), options)];
      case "redrive":
      case "give-up": {
        const topic = output.target === "posting" ? topics.events : topics.dispatch;
        const by = cause.decoded?.name === "DeliveryStopRequested" ? cause.decoded.value.action : null;
        return [outgoingRecord(serde, topic, uetr, requestRecord(output, uetr, by), options)];
      }
      default:
        throw new Error(`no such output: ${String(output satisfies never)}`);
    }
  });
}
