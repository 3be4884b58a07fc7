// Finds and checks the events of a transaction as its bank received them.

import { expect } from "vitest";
import { findReceived, loadTransaction, type RecordedMessage, untilHolds } from "./evidence.ts";
import type { E2eCase } from "../parties/flows.ts";
import type { E2eEnvironment } from "../environment/environment.ts";

/** Returns `DIRECT_DEBIT_` and the state for a debit, and the state alone for a credit. */
function expectedEventType({ flow }: Pick<E2eCase, "flow">, state: string): string {
  return flow === "credit" ? state : `DIRECT_DEBIT_${state}`;
}

/** Finds the events of class TRANSACTION_STATE, each once, in the order of their first receipt. */
export function findStateEvents(environment: E2eEnvironment, { bank, uetr }: Pick<E2eCase, "bank" | "uetr">): readonly RecordedMessage[] {
  return findEventsOfClass(environment, { bank, uetr }, "TRANSACTION_STATE");
}

export function findEventsOfClass(
  environment: E2eEnvironment,
  { bank, uetr }: Pick<E2eCase, "bank" | "uetr">,
  eventClass: string,
): readonly RecordedMessage[] {
  return withoutRepeats(findReceived(environment, bank, "events", uetr)).filter(({ message }) => message["class"] === eventClass);
}

/** Removes repeats and keeps the order of the first receipts. */
export function withoutRepeats(received: readonly RecordedMessage[]): readonly RecordedMessage[] {
  return received.filter(({ webhookId }, index) => received.findIndex((other) => other.webhookId === webhookId) === index);
}

/** Waits until the bank has received an event for every entered state, in order. */
export async function untilAllEvents(environment: E2eEnvironment, about: E2eCase): Promise<readonly RecordedMessage[]> {
  return await untilHolds(async () => {
    const { transitions } = await loadTransaction(environment, about.uetr);
    const events = findStateEvents(environment, about);
    expect(events.map(({ message }) => [message["stageVersion"], message["type"]])).toEqual(
      transitions.map(({ stageVersion, state }) => [stageVersion, expectedEventType(about, state)]),
    );
    return events;
  });
}

/** Expects the members of both tables of the interface, and the headers that every posting has. */
export function expectWholeEvent({ message, headers, webhookId }: RecordedMessage, { flow, uetr }: E2eCase, businessDate: string): void {
  expect(message).toMatchObject({
    name: `TRANSACTION_STATE_${String(message["type"])}`,
    apiVersion: "1.0.0",
    class: "TRANSACTION_STATE",
    actionDate: businessDate,
    creationDateTime: expect.stringMatching(/Z$/),
    tranInfo: { tranUetr: uetr, paymentScheme: "ZA_EFT", service: flow === "credit" ? "EFT_CREDIT" : "EFT_DIRECT_DEBIT" },
    messageInfo: { messageIdentification: expect.any(String), creationDateTime: expect.any(String) },
    identifiers: { uetr },
    state: { financialTransactionState: expect.any(String), transactionState: expect.any(String) },
    transactionInfo: { direction: flow === "on-us" ? "ON_US" : "INBOUND", recordType: "PAYMENT" },
  });
  expect(headers).toMatchObject({
    "webhook-id": webhookId,
    "idempotency-key": webhookId,
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
    "sluice-sequence": String(message["stageVersion"]),
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
  });
}

/** Expects an event of class ESM_STATE that belongs to the event of the other class with the given state. */
export function expectEsmEvent({ message }: RecordedMessage, { flow, uetr, branch }: E2eCase, businessDate: string, state: unknown): void {
  const kind = flow === "credit" ? "CREDIT" : "DEBIT";
  expect(message).not.toHaveProperty("stageVersion");
  expect(message).toMatchObject({
    actionDate: businessDate,
    eftDataRecord: { schema: "PaymentRecord", recordIdentifier: kind, amount: 125_050, homingBranch: branch },
    identifiers: { uetr, matchingKey: expect.stringMatching(/^[0-9a-f]{64}$/) },
    state,
    transactionInfo: { paymentType: kind },
  });
}
