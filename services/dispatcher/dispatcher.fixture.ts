// Records of the dispatch topic for tests, and the dispatcher in a test environment.

import { topics, type Records } from "@sluice/contracts";
import { createDeliveryTestEnvironment, deliveryDay, type DeliveryTestOptions } from "@sluice/delivery/delivery-environment";
import { startDispatcher } from "./service.ts";

export function createDispatcherEnvironment(options: Omit<DeliveryTestOptions, "start"> = {}) {
  const environment = createDeliveryTestEnvironment({ ...options, start: startDispatcher });
  let causes = 0n;
  const nextCause = (): bigint => (causes += 1n);
  const send = async (headers: Readonly<Record<string, string>>, dispatches: readonly Partial<Records["Dispatch"]>[]) =>
    environment.append(
      topics.dispatch,
      dispatches.map((over) => {
        const value = buildDispatch({ causedByOffset: nextCause(), ...over });
        return { key: value.uetr, decoded: { name: "Dispatch", value } as const, headers };
      }),
    );
  return {
    ...environment,
    dispatch: async (...dispatches: readonly Partial<Records["Dispatch"]>[]) => send({}, dispatches),
    dispatchWith: async (headers: Readonly<Record<string, string>>, ...dispatches: readonly Partial<Records["Dispatch"]>[]) =>
      send(headers, dispatches),
    stop: async (over: Partial<Records["DispatchChange"]>) => {
      const value = { ...change({ causedByOffset: nextCause() }), ...over };
      return environment.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    redrive: async (over: Partial<Records["DispatchChange"]>) => {
      const value = { ...change({ causedByOffset: nextCause(), change: "REDRIVE" }), ...over };
      return environment.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    giveUp: async (over: Partial<Records["DispatchChange"]>) => {
      const by = { stoppedBy: "thandi", confirmedBy: "sipho" };
      const value = { ...change({ causedByOffset: nextCause(), change: "GIVE_UP", ...by }), ...over };
      return environment.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    pause: async (number = 1, bank = "first", untilMs: number | null = null) =>
      environment.bankMarker(topics.dispatch, "BankPaused", number, bank, untilMs),
    resume: async (number = 1, bank = "first") => environment.bankMarker(topics.dispatch, "BankResumed", number, bank),
    dayTimes: async (number: number, reconciliationAtMs: number) =>
      environment.append(
        topics.dispatch,
        markers(
          environment.partitionCount,
          (partition) =>
            ({ name: "DayTimes", value: { ...marker("DayTimes", number, partition), reconciliationAtMs, calendarVersion: "1" } }) as const,
        ),
      ),
    dayReconciled: async () =>
      environment.append(
        topics.dispatch,
        markers(
          environment.partitionCount,
          (partition) => ({ name: "DayReconciled", value: marker("DayReconciled", 1, partition) }) as const,
        ),
      ),
    /** Puts partition 0 back to an older position, as a restored store does. */
    async restoreTo(position: bigint): Promise<void> {
      const { partitions } = environment.store;
      const [document] = await environment.during(partitions.list("dispatcher"));
      await environment.during(partitions.lock("dispatcher", 0, { id: "restore", untilMs: 0 }));
      await environment.during(partitions.switchTo("dispatcher", 0, "restore", { build: 0, position, state: document?.state ?? null }));
    },
    ended: () => environment.records(topics.journal, "DeliveryEnded"),
    receipts: () => environment.records(topics.receipts, "Receipt"),
    endedIds: () => new Set(environment.records(topics.journal, "DeliveryEnded").map(({ messageIdentification }) => messageIdentification)),
  };
}

export type DispatcherEnvironment = ReturnType<typeof createDispatcherEnvironment>;

const scheme = deliveryDay.slice(0, deliveryDay.indexOf(":"));
const businessDate = deliveryDay.slice(deliveryDay.indexOf(":") + 1);

export function dispatchUetr(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/**
 * A or R: a report; D: the debit; C: the credit; S: a report of the outcome; O1: an outcome report to the connector.
 */
export type MessageLetter = "A" | "R" | "D" | "C" | "S" | "O1";

/** Builds the identification of a message of that UETR. */
export function dispatchMessageId(number: number, letter: MessageLetter = "A"): string {
  return `${dispatchUetr(number).replaceAll("-", "")}${letter}`;
}

export function buildDispatch(over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  const id = over.messageIdentification ?? dispatchMessageId(1);
  const of = over.uetr ?? dispatchUetr(Number(id.slice(20, 32)));
  return {
    messageIdentification: id,
    uetr: of,
    deliveryKey: of,
    bank: "first",
    operation: operations[id.slice(32)] ?? "outboundDirectDebitResponse",
    body: new TextEncoder().encode(`{"id":"${id}","value":1250.50}`),
    reconciliationDay: deliveryDay,
    deadlineMs: null,
    stopsAtMs: null,
    causedByOffset: 0n,
    madeAtMs: 0,
    ...over,
  };
}

const operations: Readonly<Record<string, string>> = {
  D: "inboundDirectDebit",
  C: "inboundCreditTransferAuthorization",
  O1: "inboundDirectDebitResponse",
};

/** Builds a credit to the creditor's bank, with a deadline of its own at which attempts stop. */
export function buildCreditDispatch(number: number, stopsAtMs: number, over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  return buildDispatch({ messageIdentification: dispatchMessageId(number, "C"), reconciliationDay: null, stopsAtMs, ...over });
}

/** Builds an outcome report to a connector, which is sent until it is acknowledged. */
export function buildOutcomeDispatch(number: number, over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  return buildDispatch({ messageIdentification: dispatchMessageId(number, "O1"), bank: "clearing", reconciliationDay: null, ...over });
}

function change(over: Partial<Records["DispatchChange"]>): Records["DispatchChange"] {
  return {
    messageIdentification: dispatchMessageId(1),
    uetr: dispatchUetr(1),
    deliveryKey: dispatchUetr(1),
    bank: "first",
    change: "STOP",
    stoppedBy: null,
    confirmedBy: null,
    causedByOffset: 0n,
    ...over,
  };
}

/** Builds the change that stops a message. */
export function buildStop(number: number, letter: MessageLetter = "A") {
  return { messageIdentification: dispatchMessageId(number, letter), uetr: dispatchUetr(number), deliveryKey: dispatchUetr(number) };
}

function marker(kind: string, number: number, partition: number) {
  return { id: `${deliveryDay}:${kind}:${number}:${partition}`, scheme, businessDate, number, partition };
}

function markers<D>(partitionCount: number, decoded: (partition: number) => D): { key: string; decoded: D; partition: number }[] {
  return Array.from({ length: partitionCount }, (_, partition) => ({ key: deliveryDay, decoded: decoded(partition), partition }));
}
