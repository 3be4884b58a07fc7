// Records of the dispatch topic for tests, and the dispatcher in a small world.

import { topics, type Records } from "@sluice/contracts";
import { createWorld, day, type WorldOptions } from "@sluice/delivery/delivery-world";
import { startDispatcher } from "./service.ts";

export function dispatcherWorld(options: Omit<WorldOptions, "start"> = {}) {
  const world = createWorld({ ...options, start: startDispatcher });
  let causes = 0n;
  const nextCause = (): bigint => (causes += 1n);
  const send = async (headers: Readonly<Record<string, string>>, dispatches: readonly Partial<Records["Dispatch"]>[]) =>
    world.append(
      topics.dispatch,
      dispatches.map((over) => {
        const value = dispatch({ causedByOffset: nextCause(), ...over });
        return { key: value.uetr, decoded: { name: "Dispatch", value } as const, headers };
      }),
    );
  return {
    ...world,
    dispatch: async (...dispatches: readonly Partial<Records["Dispatch"]>[]) => send({}, dispatches),
    dispatchWith: async (headers: Readonly<Record<string, string>>, ...dispatches: readonly Partial<Records["Dispatch"]>[]) =>
      send(headers, dispatches),
    stop: async (over: Partial<Records["DispatchChange"]>) => {
      const value = { ...change({ causedByOffset: nextCause() }), ...over };
      return world.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    redrive: async (over: Partial<Records["DispatchChange"]>) => {
      const value = { ...change({ causedByOffset: nextCause(), change: "REDRIVE" }), ...over };
      return world.append(topics.dispatch, [{ key: value.uetr, decoded: { name: "DispatchChange", value } }]);
    },
    pause: async (number = 1, bank = "first", untilMs: number | null = null) =>
      world.bankMarker(topics.dispatch, "BankPaused", number, bank, untilMs),
    resume: async (number = 1, bank = "first") => world.bankMarker(topics.dispatch, "BankResumed", number, bank),
    dayTimes: async (number: number, reconciliationAtMs: number) =>
      world.append(
        topics.dispatch,
        markers(
          world.lanes,
          (partition) =>
            ({ name: "DayTimes", value: { ...marker("DayTimes", number, partition), reconciliationAtMs, calendarVersion: "1" } }) as const,
        ),
      ),
    dayReconciled: async () =>
      world.append(
        topics.dispatch,
        markers(world.lanes, (partition) => ({ name: "DayReconciled", value: marker("DayReconciled", 1, partition) }) as const),
      ),
    ended: () => world.records(topics.journal, "DeliveryEnded"),
    receipts: () => world.records(topics.receipts, "Receipt"),
    endedIds: () => new Set(world.records(topics.journal, "DeliveryEnded").map(({ messageIdentification }) => messageIdentification)),
  };
}

export type DispatcherWorld = ReturnType<typeof dispatcherWorld>;

const scheme = day.slice(0, day.indexOf(":"));
const businessDate = day.slice(day.indexOf(":") + 1);

export function uetr(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** A or R a report, D the debit, C the credit, S a report of the outcome, O1 an outcome told to the connector. */
export type Letter = "A" | "R" | "D" | "C" | "S" | "O1";

/** Identification of a message of that UETR. */
export function messageId(number: number, letter: Letter = "A"): string {
  return `${uetr(number).replaceAll("-", "")}${letter}`;
}

export function dispatch(over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  const id = over.messageIdentification ?? messageId(1);
  const of = over.uetr ?? uetr(Number(id.slice(20, 32)));
  return {
    messageIdentification: id,
    uetr: of,
    deliveryKey: of,
    bank: "first",
    operation: operations[id.slice(32)] ?? "outboundDirectDebitResponse",
    body: new TextEncoder().encode(`{"id":"${id}","value":1250.50}`),
    closesWith: day,
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

/** To the creditor's bank, with a time of its own at which attempts stop. */
export function credit(number: number, stopsAtMs: number, over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  return dispatch({ messageIdentification: messageId(number, "C"), closesWith: null, stopsAtMs, ...over });
}

/** To a connector: told until it is acknowledged. */
export function outcome(number: number, over: Partial<Records["Dispatch"]> = {}): Records["Dispatch"] {
  return dispatch({ messageIdentification: messageId(number, "O1"), bank: "clearing", closesWith: null, ...over });
}

function change(over: Partial<Records["DispatchChange"]>): Records["DispatchChange"] {
  return {
    messageIdentification: messageId(1),
    uetr: uetr(1),
    deliveryKey: uetr(1),
    bank: "first",
    change: "STOP",
    causedByOffset: 0n,
    ...over,
  };
}

/** What stops a message. */
export function stopOf(number: number, letter: Letter = "A") {
  return { messageIdentification: messageId(number, letter), uetr: uetr(number), deliveryKey: uetr(number) };
}

function marker(kind: string, number: number, partition: number) {
  return { id: `${day}:${kind}:${number}:${partition}`, scheme, businessDate, number, partition };
}

function markers<D>(lanes: number, decoded: (partition: number) => D): { key: string; decoded: D; partition: number }[] {
  return Array.from({ length: lanes }, (_, partition) => ({ key: day, decoded: decoded(partition), partition }));
}
