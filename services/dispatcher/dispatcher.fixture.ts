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

/** Identification of a message of that UETR: A or R a report, D the debit. */
export function messageId(number: number, letter: "A" | "R" | "D" = "A"): string {
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
    operation: id.endsWith("D") ? "inboundDirectDebit" : "outboundDirectDebitResponse",
    body: new TextEncoder().encode(`{"id":"${id}","value":1250.50}`),
    closesWith: day,
    deadlineMs: null,
    stopsAtMs: null,
    causedByOffset: 0n,
    madeAtMs: 0,
    ...over,
  };
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
export function stopOf(number: number, letter: "A" | "R" | "D" = "A") {
  return { messageIdentification: messageId(number, letter), uetr: uetr(number), deliveryKey: uetr(number) };
}

function marker(kind: string, number: number, partition: number) {
  return { id: `${day}:${kind}:${number}:${partition}`, scheme, businessDate, number, partition };
}

function markers<D>(lanes: number, decoded: (partition: number) => D): { key: string; decoded: D; partition: number }[] {
  return Array.from({ length: lanes }, (_, partition) => ({ key: day, decoded: decoded(partition), partition }));
}
