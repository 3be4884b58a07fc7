// The events of a transaction as its bank received them.

import { expect } from "vitest";
import { receivedBy, transactionOf, until } from "./evidence.ts";
import type { Received } from "./evidence.ts";
import type { Case } from "./flows.ts";
import type { World } from "./world.ts";

/** `DIRECT_DEBIT_` and the state; of a credit the state alone. */
export function eventTypeOf({ flow }: Pick<Case, "flow">, state: string): string {
  return flow === "credit" ? state : `DIRECT_DEBIT_${state}`;
}

/** Of class TRANSACTION_STATE, each once, in the order of their first receipt. */
export function stateEventsOf(world: World, { bank, uetr }: Pick<Case, "bank" | "uetr">): readonly Received[] {
  return eventsOf(world, { bank, uetr }, "TRANSACTION_STATE");
}

export function eventsOf(world: World, { bank, uetr }: Pick<Case, "bank" | "uetr">, eventClass: string): readonly Received[] {
  return firstsOf(receivedBy(world, bank, "events", uetr)).filter(({ message }) => message["class"] === eventClass);
}

/** Without repeats, in the order of their first receipt. */
export function firstsOf(received: readonly Received[]): readonly Received[] {
  return received.filter(({ webhookId }, index) => received.findIndex((other) => other.webhookId === webhookId) === index);
}

/** Until the bank received an event for every state entered, in order. */
export async function untilAllEvents(world: World, about: Case): Promise<readonly Received[]> {
  return await until(async () => {
    const { transitions } = await transactionOf(world, about.uetr);
    const events = stateEventsOf(world, about);
    expect(events.map(({ message }) => [message["stageVersion"], message["type"]])).toEqual(
      transitions.map(({ stageVersion, state }) => [stageVersion, eventTypeOf(about, state)]),
    );
    return events;
  });
}

/** With the members of both tables of the interface, and the headers that every posting has. */
export function expectWholeEvent({ message, headers, webhookId }: Received, { flow, uetr }: Case, businessDate: string): void {
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

/** Of class ESM_STATE, beside the event of the other class whose state is given. */
export function expectEsmEvent({ message }: Received, { flow, uetr, branch }: Case, businessDate: string, state: unknown): void {
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
