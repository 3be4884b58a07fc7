// Lists what each record is to its reader: a fact about a transaction, a day or a bank, a marker that every partition
// applies, or none of these. The domain says which aggregate decides about a fact.

import { aggregateByFactKind } from "@sluice/domain";
import type { AnyDecodedRecord, DecodedRecord } from "../api.ts";
import type { RecordName } from "../generated/records.ts";

export type RecordKind = "transaction" | "day" | "bank" | "day-marker" | "bank-marker" | "none";

/** RecordDeadLettered is a fact without a record: the scheduler makes it of a record that it cannot read. */
const { RecordDeadLettered: _withoutRecord, ...facts } = aggregateByFactKind;

export const recordKinds = {
  ...facts,
  DayTimes: "day-marker",
  DayVoid: "day-marker",
  WindowOpened: "day-marker",
  WindowClosed: "day-marker",
  CreditsDeclared: "day-marker",
  GateOpened: "day-marker",
  DayReconciled: "day-marker",
  BankPaused: "bank-marker",
  BankResumed: "bank-marker",
  TransactionSnapshot: "none",
  Dispatch: "none",
  DispatchChange: "none",
  TransactionStateEvent: "none",
  EsmStateEvent: "none",
  StateEntered: "none",
  ReconciliationItem: "none",
  BusinessDay: "none",
  Receipt: "none",
  DeadLetter: "none",
  DecisionProposed: "none",
  DecisionConfirmed: "none",
  DecisionRejected: "none",
  DecisionRetracted: "none",
  EndpointCheckRequested: "none",
  AuditEntry: "none",
  AuditSeal: "none",
  SealedRecord: "none",
} as const satisfies Readonly<Record<RecordName, RecordKind>>;

export type RecordOfKind<K extends RecordKind> = {
  [N in RecordName]: (typeof recordKinds)[N] extends K ? DecodedRecord<N> : never;
}[RecordName];

export function isOfKind<const K extends RecordKind>(decoded: AnyDecodedRecord, ...kinds: readonly K[]): decoded is RecordOfKind<K> {
  return kinds.some((kind) => kind === recordKinds[decoded.name]);
}
