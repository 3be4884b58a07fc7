// Turns facts, markers and outputs of the domain into records. Together with `from-wire.ts` it is the only bridge.

import type {
  BankMarker,
  CloseExtensionRequested,
  CreditsFinalRequested,
  DayClosed,
  DayFact,
  DayPlanned,
  DayTimeReached,
  DeadlinePassed,
  DispatchOutput,
  EventOutput,
  GateOpeningRequested,
  Marker,
  Release,
  RequestOutput,
  StopOutput,
} from "@sluice/domain";
import { unreachable } from "@sluice/kernel";
import type { AnyDecodedRecord, DecodedRecord } from "../api.ts";
import type { DayTimeKind, OperatorAction } from "../generated/records.ts";
import { uetrFromRecord } from "./payment-received.ts";
import { buildEsmEventId, renderEsmEventBody } from "../messages/render/render-esm-event.ts";
import { type EventColumns, eventColumns, type EventShape, renderEventBody } from "../messages/render/render-event.ts";
import type { MessageSources } from "../messages/render/message-sources.ts";
import { renderDispatchBody } from "../messages/render/render-message.ts";
import { shownState } from "../messages/render/state-table.ts";

/** The facts that the scheduler's background tasks append. */
export type AppendedFact =
  | Release
  | DayClosed
  | DeadlinePassed
  | Exclude<DayFact, CreditsFinalRequested | CloseExtensionRequested | GateOpeningRequested>;

export function recordFromFact(fact: AppendedFact): AnyDecodedRecord {
  switch (fact.kind) {
    case "Release":
      return { name: fact.kind, value: withoutKind(fact) };
    case "DayClosed":
      return { name: fact.kind, value: { day: fact.day } };
    case "DeadlinePassed":
      return { name: fact.kind, value: { deadlineMs: fact.deadlineMs } };
    case "DayPlanned":
      return { name: fact.kind, value: dayPlanned(fact) };
    case "DayTimeReached":
      return { name: fact.kind, value: dayTimeReached(fact) };
    case "PartitionCredits": {
      const { scheme, businessDate, declaration, banksUnresolved } = fact;
      return { name: fact.kind, value: { scheme, businessDate, partition: fact.partition, declaration, banksUnresolved } };
    }
    case "PartitionBankClear": {
      const { scheme, businessDate, declaration, bank } = fact;
      return { name: fact.kind, value: { scheme, businessDate, partition: fact.partition, declaration, bank } };
    }
    default:
      return unreachable(fact);
  }
}

/** Builds one partition's copy of a marker; its id ends with the partition. */
export function recordFromMarker(marker: Marker, partition: number): AnyDecodedRecord {
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

/** Builds one partition's copy of a bank's marker; its id ends with the partition. */
export function recordFromBankMarker(marker: BankMarker, partition: number): AnyDecodedRecord {
  const copy = { id: `${marker.id}:${partition}`, partition };
  return marker.kind === "BankPaused"
    ? { name: marker.kind, value: { ...withoutKind(marker), ...copy } }
    : { name: marker.kind, value: { ...withoutKind(marker), ...copy } };
}

export function dispatchRecord(output: DispatchOutput, sources: MessageSources): DecodedRecord<"Dispatch"> {
  return {
    name: "Dispatch",
    value: {
      messageIdentification: output.messageIdentification,
      uetr: uetrFromRecord(sources.received),
      deliveryKey: output.deliveryKey,
      bank: output.receiver,
      operation: output.operation,
      body: renderDispatchBody(output, sources),
      reconciliationDay: output.reconciliationDay,
      deadlineMs: output.deadlineMs,
      stopsAtMs: output.stopsAtMs,
      causedByOffset: output.causedByOffset,
      madeAtMs: output.madeAtMs,
    },
  };
}

export function dispatchChangeRecord(output: StopOutput, uetr: string): DecodedRecord<"DispatchChange"> {
  const { messageIdentification, deliveryKey, receiver, causedByOffset } = output;
  const who = { stoppedBy: null, confirmedBy: null };
  return {
    name: "DispatchChange",
    value: { messageIdentification, uetr, deliveryKey, bank: receiver, change: "STOP", causedByOffset, ...who },
  };
}

/** Who asked for it: the operator, and the second person where one confirmed it. */
type Requester = Pick<OperatorAction, "operator" | "confirmedBy">;

/**
 * Builds the record of what an operator asked of a delivery (for `dispatch`) or of a posting (for `events`). `by` is
 * that of the request which caused the output.
 */
export function requestRecord(output: RequestOutput, uetr: string, by: Requester | null): DecodedRecord<"DispatchChange"> {
  const { kind, messageIdentification, deliveryKey, receiver, causedByOffset } = output;
  const stopped = kind === "give-up" ? by : null;
  const who = { stoppedBy: stopped?.operator ?? null, confirmedBy: stopped?.confirmedBy ?? null };
  const change = kind === "give-up" ? "GIVE_UP" : "REDRIVE";
  return { name: "DispatchChange", value: { messageIdentification, uetr, deliveryKey, bank: receiver, change, causedByOffset, ...who } };
}

export interface EventOptions extends EventShape {
  /** Milliseconds that a posting is tried. */
  readonly eventDeadlineMs: number;
  /** The bank that receives the posting. */
  readonly bank: string;
  readonly eventClasses: readonly ("TRANSACTION_STATE" | "ESM_STATE")[];
}

/**
 * Builds the event of a state, and after it the one of class ESM_STATE where the bank asks for it. The first is always
 * made: it is how a bank finds what it missed.
 */
export function eventRecords(
  output: EventOutput,
  sources: MessageSources,
  options: EventOptions,
  columns: EventColumns = eventColumns(output, sources),
): readonly (DecodedRecord<"TransactionStateEvent"> | DecodedRecord<"EsmStateEvent">)[] {
  const posting = { bank: options.bank, deadlineMs: output.enteredAtMs + options.eventDeadlineMs };
  const stateEvent = { ...columns, ...posting, body: renderEventBody(output, sources, options) };
  const records: (DecodedRecord<"TransactionStateEvent"> | DecodedRecord<"EsmStateEvent">)[] = [
    { name: "TransactionStateEvent", value: stateEvent },
  ];
  if (options.eventClasses.includes("ESM_STATE")) {
    const { stageVersion: _sequence, type: _type, ...shared } = columns;
    const esm = { ...shared, ...shownState(output, sources), id: buildEsmEventId(columns.uetr, output.stageVersion) };
    records.push({ name: "EsmStateEvent", value: { ...esm, ...posting, body: renderEsmEventBody(output, sources, options) } });
  }
  return records;
}

function dayPlanned(plan: DayPlanned) {
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, windows, cutOffAtMs, reconciliationAtMs } = plan;
  const { nextBusinessDate, creditsFinal } = plan;
  return {
    scheme,
    businessDate,
    zone,
    calendarVersion,
    isWorkingDay,
    windows,
    cutOffAtMs,
    reconciliationAtMs,
    nextBusinessDate,
    creditsFinal,
    partitionCount: plan.partitionCount,
  };
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
