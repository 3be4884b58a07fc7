// What follows from a decision, as finished records: deliveries and stops to `dispatch`, events to `events`.

import { dispatchChangeRecord, dispatchRecord, eventRecord, headers, outgoingRecord, topics } from "@sluice/contracts";
import type { Decoded, EventOptions, MessageSources, RecordName, Records, Serde } from "@sluice/contracts";
import type { Output, Transaction } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/runtime";
import type { TransactionDocument } from "@sluice/store";
import type { JournalRecord, Surroundings } from "./handler.ts";

/** In the order of the outputs. Each carries the trace of the record that caused it. */
export function renderOutputs(
  outputs: readonly Output[],
  document: TransactionDocument,
  cause: JournalRecord,
  surroundings: Surroundings,
): readonly OutgoingRecord[] {
  if (outputs.length === 0) return [];
  const { serde, lanes } = surroundings;
  const { uetr } = document.transaction;
  const traceparent = cause.record.headers[headers.traceparent];
  const options = { lanes, headers: traceparent === undefined ? {} : { [headers.traceparent]: traceparent } };
  const sources = sourcesOf(document, cause, serde);
  return outputs.map((output) => {
    switch (output.kind) {
      case "event": {
        const record = eventRecord(output, sources, eventOptions(document.transaction, surroundings));
        return outgoingRecord(serde, topics.events, uetr, record, options);
      }
      case "dispatch":
        return outgoingRecord(serde, topics.dispatch, uetr, dispatchRecord(output, sources), options);
      case "stop":
        return outgoingRecord(serde, topics.dispatch, uetr, dispatchChangeRecord(output, uetr), options);
      default:
        throw new Error(`no such output: ${String(output satisfies never)}`);
    }
  });
}

function sourcesOf(
  { acceptedMessage, verdict, finalReport }: TransactionDocument,
  { decoded }: JournalRecord,
  serde: Serde,
): MessageSources {
  return {
    received: message(serde, acceptedMessage, "DirectDebitReceived"),
    verdict: verdict === null ? null : message(serde, verdict, "AccountVerified"),
    finalReport: finalReport === null ? null : message(serde, finalReport, "StatusReportReceived"),
    answered: decoded.name === "DirectDebitReceived" ? decoded.value : null,
  };
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

const eventDefaults = { eventDeadlineMs: 72 * 3_600_000, eventShape: "full" } as const;

/** The postings of a debit go to the bank that sent it; on-us that is the bank that it is sent to as well. */
function eventOptions({ message: accepted }: Transaction, { configuration }: Surroundings): EventOptions {
  const bank = accepted?.sender ?? "";
  const { eventDeadlineMs, eventShape } = configuration.banks.find(({ id }) => id === bank) ?? eventDefaults;
  return { bank, eventDeadlineMs, eventShape };
}
