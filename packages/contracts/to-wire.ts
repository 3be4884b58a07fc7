// Facts, markers and outputs in the domain's words → records. With `from-wire.ts` the only bridge.

import type {
  BankMarker,
  CloseExtensionRequested,
  CreditsFinalRequested,
  DayClosed,
  DayFact,
  DayTimeReached,
  DeadlinePassed,
  DispatchOutput,
  EventOutput,
  GateOpeningRequested,
  Marker,
  RedriveOutput,
  Release,
  StopOutput,
} from "@sluice/domain";
import { unreachable } from "@sluice/runtime";
import type { AnyDecoded, Decoded } from "./api.ts";
import type { DayTimeKind } from "./generated/records.ts";
import { uetrOf } from "./received-message.ts";
import { esmEventId, renderEsmEventBody } from "./render-esm-event.ts";
import { eventColumns, renderEventBody } from "./render-event.ts";
import type { EventShape } from "./render-event.ts";
import { renderDispatchBody } from "./render-message.ts";
import type { MessageSources } from "./render-message.ts";
import { shownState } from "./state-table.ts";

/** Facts that the scheduler's standing tasks append. */
export type AppendedFact =
  | Release
  | DayClosed
  | DeadlinePassed
  | Exclude<DayFact, CreditsFinalRequested | CloseExtensionRequested | GateOpeningRequested>;

export function recordFromFact(fact: AppendedFact): AnyDecoded {
  switch (fact.kind) {
    case "Release":
      return { name: fact.kind, value: withoutKind(fact) };
    case "DayClosed":
      return { name: fact.kind, value: { day: fact.day } };
    case "DeadlinePassed":
      return { name: fact.kind, value: { deadlineMs: fact.deadlineMs } };
    case "DayPlanned":
      return { name: fact.kind, value: withoutKind(fact) };
    case "DayTimeReached":
      return { name: fact.kind, value: dayTimeReached(fact) };
    case "LaneCredits":
      return { name: fact.kind, value: withoutKind(fact) };
    case "LaneBankClear":
      return { name: fact.kind, value: withoutKind(fact) };
    default:
      return unreachable(fact);
  }
}

/** One partition's copy of a marker: its id ends with the partition. */
export function recordFromMarker(marker: Marker, partition: number): AnyDecoded {
  const id = `${marker.id}:${partition}`;
  switch (marker.kind) {
    case "DayTimes":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "DayVoid":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "WindowOpened":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "WindowClosed":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "CreditsDeclared":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "GateOpened":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    case "DayReconciled":
      return { name: marker.kind, value: { ...withoutKind(marker), id, partition } };
    default:
      return unreachable(marker);
  }
}

/** One partition's copy of a bank's marker: its id ends with the partition. */
export function recordFromBankMarker(marker: BankMarker, partition: number): AnyDecoded {
  const copy = { id: `${marker.id}:${partition}`, partition };
  return marker.kind === "BankPaused"
    ? { name: marker.kind, value: { ...withoutKind(marker), ...copy } }
    : { name: marker.kind, value: { ...withoutKind(marker), ...copy } };
}

export function dispatchRecord(output: DispatchOutput, sources: MessageSources): Decoded<"Dispatch"> {
  return {
    name: "Dispatch",
    value: {
      messageIdentification: output.messageIdentification,
      uetr: uetrOf(sources.received),
      deliveryKey: output.deliveryKey,
      bank: output.receiver,
      operation: output.operation,
      body: renderDispatchBody(output, sources),
      closesWith: output.closesWith,
      deadlineMs: output.deadlineMs,
      stopsAtMs: output.stopsAtMs,
      causedByOffset: output.causedByOffset,
      madeAtMs: output.madeAtMs,
    },
  };
}

export function dispatchChangeRecord(output: StopOutput, uetr: string): Decoded<"DispatchChange"> {
  const { messageIdentification, deliveryKey, receiver, causedByOffset } = output;
  return { name: "DispatchChange", value: { messageIdentification, uetr, deliveryKey, bank: receiver, change: "STOP", causedByOffset } };
}

/** For `dispatch`, or of a posting for `events`. */
export function redriveRecord(output: RedriveOutput, uetr: string): Decoded<"DispatchChange"> {
  const { messageIdentification, deliveryKey, receiver, causedByOffset } = output;
  return { name: "DispatchChange", value: { messageIdentification, uetr, deliveryKey, bank: receiver, change: "REDRIVE", causedByOffset } };
}

export interface EventOptions extends EventShape {
  /** How long a posting is tried. */
  readonly eventDeadlineMs: number;
  /** Bank that receives the posting. */
  readonly bank: string;
  readonly eventClasses: readonly ("TRANSACTION_STATE" | "ESM_STATE")[];
}

/** The event of a state, and after it the one of class ESM_STATE where the bank asks for it. The first is always made: the topic is read by analysts too. */
export function eventRecords(
  output: EventOutput,
  sources: MessageSources,
  options: EventOptions,
): readonly (Decoded<"TransactionStateEvent"> | Decoded<"EsmStateEvent">)[] {
  const posting = { bank: options.bank, deadlineMs: output.enteredAtMs + options.eventDeadlineMs };
  const columns = eventColumns(output, sources);
  const stateEvent = { ...columns, ...posting, body: renderEventBody(output, sources, options) };
  const records: (Decoded<"TransactionStateEvent"> | Decoded<"EsmStateEvent">)[] = [{ name: "TransactionStateEvent", value: stateEvent }];
  if (options.eventClasses.includes("ESM_STATE")) {
    const { stageVersion: _sequence, type: _type, ...shared } = columns;
    const esm = { ...shared, ...shownState(output, sources), id: esmEventId(columns.uetr, output.stageVersion) };
    records.push({ name: "EsmStateEvent", value: { ...esm, ...posting, body: renderEsmEventBody(output, sources, options) } });
  }
  return records;
}

function dayTimeReached({ scheme, businessDate, time, number }: DayTimeReached) {
  return { scheme, businessDate, kind: dayTimeKinds[time], number };
}

const dayTimeKinds: Readonly<Record<DayTimeReached["time"], DayTimeKind>> = {
  "window-opens": "WINDOW_OPENS",
  "window-closes": "WINDOW_CLOSES",
  reconciliation: "RECONCILIATION",
};

function withoutKind<T extends { readonly kind: string }>(value: T): Omit<T, "kind"> {
  const { kind: _name, ...rest } = value;
  return rest;
}
