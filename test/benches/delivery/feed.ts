// Fills the topic of a delivering service as the scheduler would: the same records, keys and partitions.

import { type AnyDecodedRecord, headers, outgoingRecord, partitionCountDefault, type Serde, topics } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";
import { bankId } from "../environment.ts";
import { benchMessage, type BenchMessage, buildTraceparent } from "../messages.ts";

export type DeliveringService = "dispatcher" | "event-publisher";

export interface BenchFeedPorts {
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly nowMs: number;
}

const chunkRecords = 1_000;
const dayMs = 86_400_000;
const businessDate = "2026-11-20";

export async function feedTopic(
  service: DeliveringService,
  run: string,
  messages: number,
  { messaging, serde, nowMs }: BenchFeedPorts,
): Promise<void> {
  const producer = await messaging.producer("bench-feed");
  try {
    for (let from = 0; from < messages; from += chunkRecords) {
      const chunk = Array.from({ length: Math.min(chunkRecords, messages - from) }, (_, index) => benchMessage(run, from + index));
      const records = chunk.map((message) => {
        const decoded = service === "dispatcher" ? buildDispatch(message, nowMs) : buildEvent(message, nowMs);
        const topic = service === "dispatcher" ? topics.dispatch : topics.events;
        const carried = { [headers.traceparent]: buildTraceparent(message) };
        return outgoingRecord(serde, topic, message.uetr, decoded, { partitionCount: partitionCountDefault, headers: carried });
      });
      await producer.send(records);
    }
  } finally {
    await producer.close();
  }
}

export function buildDispatch({ id, uetr, body }: BenchMessage, nowMs: number, bank = bankId): AnyDecodedRecord {
  const value = {
    messageIdentification: id,
    uetr,
    deliveryKey: uetr,
    bank,
    operation: "outboundDirectDebitResponse",
    body,
    reconciliationDay: `ZA_EFT:${businessDate}`,
    deadlineMs: null,
    causedByOffset: 0n,
    madeAtMs: nowMs,
    stopsAtMs: null,
  };
  return { name: "Dispatch", value };
}

function buildEvent({ id, uetr, place, body }: BenchMessage, nowMs: number): AnyDecodedRecord {
  const value = {
    id,
    uetr,
    stageVersion: place,
    state: "HELD",
    type: "DIRECT_DEBIT_HELD",
    bank: bankId,
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate,
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: nowMs,
    causedByOffset: 0n,
    deadlineMs: nowMs + dayMs,
    body,
  };
  return { name: "TransactionStateEvent", value };
}
