// Events for tests, and the event publisher in a test environment.

import { topics, type Records } from "@sluice/contracts";
import { createDeliveryTestEnvironment, deliveryStartMs, type DeliveryTestOptions } from "@sluice/delivery/delivery-environment";
import { startEventPublisher } from "./service.ts";

export const publisherHourMs = 3_600_000;

export function createPublisherEnvironment(options: Omit<DeliveryTestOptions, "start"> = {}) {
  const environment = createDeliveryTestEnvironment({ ...options, start: startEventPublisher });
  return {
    ...environment,
    publish: async (...events: readonly Partial<Records["TransactionStateEvent"]>[]) =>
      environment.append(
        topics.events,
        events.map((over) => transactionState(event(over))),
      ),
    /** Publishes each event with the one of class ESM_STATE after it, in the order of the topic. */
    publishBoth: async (...events: readonly Partial<Records["TransactionStateEvent"]>[]) =>
      environment.append(
        topics.events,
        events.flatMap((over) => {
          const value = event(over);
          return [transactionState(value), esmState(value)];
        }),
      ),
    redrive: async (number: number, stageVersion: number, causedByOffset: bigint) =>
      environment.append(topics.events, [request(number, stageVersion, { change: "REDRIVE", causedByOffset })]),
    giveUp: async (number: number, stageVersion: number, causedByOffset: bigint) =>
      environment.append(topics.events, [
        request(number, stageVersion, { change: "GIVE_UP", causedByOffset, stoppedBy: "thandi", confirmedBy: null }),
      ]),
    pause: async (number = 1, bank = "first", untilMs: number | null = null) =>
      environment.bankMarker(topics.events, "BankPaused", number, bank, untilMs),
    resume: async (number = 1, bank = "first") => environment.bankMarker(topics.events, "BankResumed", number, bank),
    receipts: () => environment.records(topics.receipts, "Receipt"),
    outcomes: () => new Map(environment.records(topics.receipts, "Receipt").map(({ webhookId, outcome }) => [webhookId, outcome])),
  };
}

export const eventUetr = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
export const stateEventId = (number: number, stageVersion: number): string =>
  `${String(number).padStart(16, "0")}${String(stageVersion).padStart(16, "0")}`;

function request(
  number: number,
  stageVersion: number,
  over: Pick<Records["DispatchChange"], "change" | "causedByOffset"> & Partial<Records["DispatchChange"]>,
) {
  const of = { uetr: eventUetr(number), deliveryKey: eventUetr(number), bank: "first", stoppedBy: null, confirmedBy: null };
  const value = { ...of, messageIdentification: stateEventId(number, stageVersion), ...over };
  return { key: value.uetr, decoded: { name: "DispatchChange", value } } as const;
}

function event(over: Partial<Records["TransactionStateEvent"]>): Records["TransactionStateEvent"] {
  const { stageVersion = 1, uetr: of = eventUetr(1) } = over;
  const id = stateEventId(Number(of.slice(-12)), stageVersion);
  return {
    id,
    uetr: of,
    stageVersion,
    state: "RECEIVED",
    type: "DIRECT_DEBIT_RECEIVED",
    bank: "first",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate: "2026-11-20",
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: deliveryStartMs,
    causedByOffset: 0n,
    deadlineMs: deliveryStartMs + 72 * publisherHourMs,
    body: new TextEncoder().encode(`{"id":"${id}"}`),
    ...over,
  };
}

function transactionState(value: Records["TransactionStateEvent"]) {
  return { key: value.uetr, decoded: { name: "TransactionStateEvent", value } as const };
}

export const esmStateEventId = (number: number, stageVersion: number): string => `e${stateEventId(number, stageVersion).slice(1)}`;

function esmState({ stageVersion, type: _type, ...event }: Records["TransactionStateEvent"]) {
  const id = esmStateEventId(Number(event.uetr.slice(-12)), stageVersion);
  const states = { financialTransactionState: "IN_PROGRESS", transactionState: "RECEIVE_PENDING" };
  const value = { ...event, ...states, id, body: new TextEncoder().encode(`{"id":"${id}"}`) };
  return { key: event.uetr, decoded: { name: "EsmStateEvent", value } as const };
}

export const buildStages = (number: number, count: number): Partial<Records["TransactionStateEvent"]>[] =>
  Array.from({ length: count }, (_, index) => ({ uetr: eventUetr(number), stageVersion: index + 1 }));
