// Events for tests, and the event-publisher in a small world.

import { topics, type Records } from "@sluice/contracts";
import { createWorld, startAtMs, type WorldOptions } from "@sluice/delivery/delivery-world";
import { startEventPublisher } from "./service.ts";

export const hourMs = 3_600_000;

export function publisherWorld(options: Omit<WorldOptions, "start"> = {}) {
  const world = createWorld({ ...options, start: startEventPublisher });
  return {
    ...world,
    publish: async (...events: readonly Partial<Records["TransactionStateEvent"]>[]) =>
      world.append(
        topics.events,
        events.map((over) => transactionState(event(over))),
      ),
    /** Each with the one of class ESM_STATE after it, as they lie in the log. */
    publishBoth: async (...events: readonly Partial<Records["TransactionStateEvent"]>[]) =>
      world.append(
        topics.events,
        events.flatMap((over) => {
          const value = event(over);
          return [transactionState(value), esmState(value)];
        }),
      ),
    redrive: async (number: number, stageVersion: number, causedByOffset: bigint) => {
      const change = { uetr: uetr(number), deliveryKey: uetr(number), bank: "first", change: "REDRIVE", causedByOffset } as const;
      const value = { ...change, messageIdentification: eventId(number, stageVersion) };
      return world.append(topics.events, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    pause: async (number = 1, bank = "first", untilMs: number | null = null) =>
      world.bankMarker(topics.events, "BankPaused", number, bank, untilMs),
    resume: async (number = 1, bank = "first") => world.bankMarker(topics.events, "BankResumed", number, bank),
    receipts: () => world.records(topics.receipts, "Receipt"),
    outcomes: () => new Map(world.records(topics.receipts, "Receipt").map(({ webhookId, outcome }) => [webhookId, outcome])),
  };
}

export const uetr = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
export const eventId = (number: number, stageVersion: number): string =>
  `${String(number).padStart(16, "0")}${String(stageVersion).padStart(16, "0")}`;

function event(over: Partial<Records["TransactionStateEvent"]>): Records["TransactionStateEvent"] {
  const { stageVersion = 1, uetr: of = uetr(1) } = over;
  const id = eventId(Number(of.slice(-12)), stageVersion);
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
    enteredAtMs: startAtMs,
    causedByOffset: 0n,
    deadlineMs: startAtMs + 72 * hourMs,
    body: new TextEncoder().encode(`{"id":"${id}"}`),
    ...over,
  };
}

function transactionState(value: Records["TransactionStateEvent"]) {
  return { key: value.uetr, decoded: { name: "TransactionStateEvent", value } as const };
}

export const esmId = (number: number, stageVersion: number): string => `e${eventId(number, stageVersion).slice(1)}`;

function esmState({ stageVersion, type: _type, ...event }: Records["TransactionStateEvent"]) {
  const id = esmId(Number(event.uetr.slice(-12)), stageVersion);
  const states = { financialTransactionState: "IN_PROGRESS", transactionState: "RECEIVE_PENDING" };
  const value = { ...event, ...states, id, body: new TextEncoder().encode(`{"id":"${id}"}`) };
  return { key: event.uetr, decoded: { name: "EsmStateEvent", value } as const };
}

export const stages = (number: number, count: number): Partial<Records["TransactionStateEvent"]>[] =>
  Array.from({ length: count }, (_, index) => ({ uetr: uetr(number), stageVersion: index + 1 }));
