// What follows from a decision, as finished records: deliveries and stops to `dispatch`, events to `events`.

import { dispatchChangeRecord, dispatchRecord, eventRecords, headers, outgoingRecord, redriveRecord, topics } from "@sluice/contracts";
import type { Decoded, EventOptions, MessageSources, Received, RecordName, Records, Serde } from "@sluice/contracts";
import type { Output, Transaction } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/runtime";
import type { TransactionDocument } from "@sluice/store";
import type { Cause, Surroundings } from "./handler.ts";

/** In the order of the outputs. Each carries the trace of the record that caused it. */
export function renderOutputs(
  outputs: readonly Output[],
  document: TransactionDocument,
  cause: Cause,
  surroundings: Surroundings,
): readonly OutgoingRecord[] {
  if (outputs.length === 0) return [];
  const { serde, lanes } = surroundings;
  const { uetr } = document.transaction;
  const traceparent = cause.record.headers[headers.traceparent];
  const options = { lanes, headers: traceparent === undefined ? {} : { [headers.traceparent]: traceparent } };
  const sources = sourcesOf(document, cause, serde);
  return outputs.flatMap((output) => {
    switch (output.kind) {
      case "event": {
        const records = eventRecords(output, sources, eventOptions(document.transaction, surroundings));
        return records.map((record) => outgoingRecord(serde, topics.events, uetr, record, options));
      }
      case "dispatch":
        return [outgoingRecord(serde, topics.dispatch, uetr, dispatchRecord(output, sources), options)];
      case "stop":
        return [outgoingRecord(serde, topics.dispatch, uetr, dispatchChangeRecord(output, uetr), options)];
      case "redrive": {
        const topic = output.target === "posting" ? topics.events : topics.dispatch;
        return [outgoingRecord(serde, topic, uetr, redriveRecord(output, uetr), options)];
      }
      default:
        throw new Error(`no such output: ${String(output satisfies never)}`);
    }
  });
}

function sourcesOf({ acceptedMessage, verdict, finalReport }: TransactionDocument, { decoded }: Cause, serde: Serde): MessageSources {
  return {
    received: received(serde, acceptedMessage),
    verdict: verdict === null ? null : message(serde, verdict, "AccountVerified"),
    finalReport: finalReport === null ? null : message(serde, finalReport, "StatusReportReceived"),
    answered: decoded?.name === "DirectDebitReceived" || decoded?.name === "CreditTransferReceived" ? decoded.value : null,
  };
}

function received(serde: Serde, bytes: Uint8Array): Received {
  const decoded = serde.decode(bytes);
  assert(decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived", "kept bytes are a debit or a credit");
  return decoded.value;
}

/** Kept bytes were decoded when they came from the journal. */
function message<N extends RecordName>(serde: Serde, bytes: Uint8Array, name: N): Records[N] {
  const decoded = serde.decode(bytes);
  assert(isOf(decoded, name), `kept bytes are a ${name}`);
  return decoded.value;
}

function isOf<N extends RecordName>(decoded: { readonly name: RecordName }, name: N): decoded is Decoded<N> {
  return decoded.name === name;
}

/** Of a bank that is not configured any more. */
const eventDefaults = {
  eventDeadlineMs: 72 * 3_600_000,
  eventShape: "full",
  eventClasses: ["TRANSACTION_STATE"],
  eventPayload: "full",
} as const;

/** Who gets the postings: of an on-us debit the bank that sent it, else the bank that it goes to. */
function eventOptions({ flow, message: accepted, bank: to }: Transaction, { configuration }: Surroundings): EventOptions {
  const bank = (flow === "on-us" ? accepted?.sender : to) ?? "";
  const { eventDeadlineMs, eventShape, eventClasses, eventPayload } = configuration.banks.find(({ id }) => id === bank) ?? eventDefaults;
  return { bank, eventDeadlineMs, eventShape, eventClasses, eventPayload };
}
