// Appends the messages that will wait to the topic of dispatches, in place of the scheduler.

import { partitionCountDefault, outgoingRecord, topics } from "@sluice/contracts";
import type { DeliveryFeedPorts } from "../delivery/feed.ts";
import { waitingBody, waitingMessage } from "./plan.ts";

/** Appends the messages with numbers `from` (inclusive) to `to` (exclusive), and returns `to`. */
export async function appendWaiting(bank: string, from: number, to: number, ports: DeliveryFeedPorts): Promise<number> {
  const { producer, serde, businessDate, time, signal } = ports;
  signal.throwIfAborted();
  const records = Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    const { id, uetr, place } = waitingMessage(number);
    const message = { messageIdentification: id, uetr, deliveryKey: uetr, bank, operation: "inboundDirectDebit" };
    const limits = { reconciliationDay: `ZA_EFT:${businessDate}`, deadlineMs: null, stopsAtMs: null };
    const value = { ...message, body: waitingBody(number), ...limits, causedByOffset: BigInt(place), madeAtMs: time.nowMs() };
    return outgoingRecord(serde, topics.dispatch, uetr, { name: "Dispatch", value }, { partitionCount: partitionCountDefault });
  });
  await producer.send(records);
  return to;
}
