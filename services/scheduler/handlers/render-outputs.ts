// Turns the outputs of a decision into finished records: deliveries and stops for `dispatch`, events for `events` and,
// as columns alone, for analysts.

import {
  type AnyDecodedRecord,
  type DecodedRecord,
  dispatchChangeRecord,
  dispatchRecord,
  type EventOptions,
  eventRecords,
  headers,
  type MessageSources,
  outgoingRecord,
  type PaymentReceived,
  type RecordName,
  type Records,
  requestRecord,
  type Serde,
  stateEnteredRecord,
  topics,
} from "@sluice/contracts";
import { findBank } from "@sluice/config";
import type { Output, Transaction } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/kernel";
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
  const traceparent = cause.record.headers[headers.traceparent] ?? document.traceparent ?? undefined;
  const options = { partitionCount, headers: traceparent === undefined ? {} : { [headers.traceparent]: traceparent } };
  const { sources, isErased } = readSources(document, cause, serde);
  const sealed = { ...options, sealUnder: { as: document.acceptedMessage } };
  return outputs.flatMap((output) => {
    switch (output.kind) {
      case "event": {
        const event = eventOptions(document.transaction, context);
        const forAnalysts = stateEnteredRecord(output, sources, { bank: event.bank, journalPartition: cause.record.partition });
        const postings = isErased ? [] : eventRecords(output, sources, event);
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

function readSources(
  { acceptedMessage, verdict, finalReport }: TransactionDocument,
  { decoded }: SourceRecord,
  serde: Serde,
): { readonly sources: MessageSources; readonly isErased: boolean } {
  const sources = {
    received: decodeReceived(serde, acceptedMessage),
    verdict: verdict === null ? null : decodeKept(serde, verdict, "AccountVerified"),
    finalReport: finalReport === null ? null : decodeKept(serde, finalReport, "StatusReportReceived"),
    answered: decoded?.name === "DirectDebitReceived" || decoded?.name === "CreditTransferReceived" ? decoded.value : null,
  };
  const isErased = serde.isErased?.(acceptedMessage) === true || (finalReport !== null && serde.isErased?.(finalReport) === true);
  return { sources, isErased: isErased || decoded?.isErased === true };
}

/**
 * What kept bytes were decoded to, as long as a document has them: a transaction's message is rendered with each of its
 * facts, and the document of the next fact has the same bytes.
 */
const decodedByBytes = new WeakMap<Uint8Array, AnyDecodedRecord>();

function decodeOnce(serde: Serde, bytes: Uint8Array): AnyDecodedRecord {
  const known = decodedByBytes.get(bytes);
  if (known !== undefined) return known;
  const decoded = serde.decode(bytes);
  decodedByBytes.set(bytes, decoded);
  return decoded;
}

function decodeReceived(serde: Serde, bytes: Uint8Array): PaymentReceived {
  const decoded = decodeOnce(serde, bytes);
  assert(decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived", "kept bytes are a debit or a credit");
  return decoded.value;
}

/** Decodes bytes that the document keeps; they were decoded once before, when they came from the journal. */
function decodeKept<N extends RecordName>(serde: Serde, bytes: Uint8Array, name: N): Records[N] {
  const decoded = decodeOnce(serde, bytes);
  assert(hasName(decoded, name), `kept bytes are a ${name}`);
  return decoded.value;
}

function hasName<N extends RecordName>(decoded: { readonly name: RecordName }, name: N): decoded is DecodedRecord<N> {
  return decoded.name === name;
}

/** Defaults for a bank that is no longer configured. */
const eventDefaults = {
  eventDeadlineMs: 72 * 3_600_000,
  eventShape: "full",
  eventClasses: ["TRANSACTION_STATE"],
  eventPayload: "full",
} as const;

/** Finds who gets the postings: the sending bank for an on-us debit, else the bank that the transaction goes to. */
function eventOptions(transaction: Transaction, { configuration }: HandlerContext): EventOptions {
  const bank = transaction.flow === "on-us" ? transaction.message.sender : transaction.bank;
  assert(bank !== null, "only a received message has events");
  const { eventDeadlineMs, eventShape, eventClasses, eventPayload } = findBank(configuration, bank) ?? eventDefaults;
  return { bank, eventDeadlineMs, eventShape, eventClasses, eventPayload };
}
