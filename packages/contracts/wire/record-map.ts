// Lists the writers and readers of each record. avro/README.md and the registered subjects come from this table. A
// record without a writer is unused, and the schema compatibility test fails on it.

import { topics } from "./topics.ts";

export interface RecordUse {
  readonly topic: string;
  readonly record: string;
  readonly writtenBy: readonly string[];
  readonly readBy: readonly string[];
}

const { journal, dispatch, events, receipts, transactions, stateEvents, items, days, deadLetters, proposals, audit } = topics;
const readers = ["validator", "scheduler", "dispatcher", "event-publisher"] as const;

export const recordMap = [
  use(journal, "DirectDebitReceived", ["ingress"], ["validator", "scheduler"]),
  use(journal, "CreditTransferReceived", ["ingress"], ["validator", "scheduler"]),
  use(journal, "CreditsFinalRequested", ["ingress", "console"], ["scheduler"]),
  use(journal, "StatusReportReceived", ["ingress"], ["scheduler"]),
  use(journal, "AccountVerified", ["validator"], ["scheduler"]),
  use(journal, "Release", ["scheduler"], ["scheduler"]),
  use(journal, "DeliveryEnded", ["dispatcher"], ["scheduler"]),
  use(journal, "DeadlinePassed", ["scheduler"], ["scheduler"]),
  use(journal, "DayClosed", ["scheduler"], ["scheduler"]),
  use(journal, "DayPlanned", ["scheduler"], ["scheduler"]),
  use(journal, "DayTimeReached", ["scheduler"], ["scheduler"]),
  use(journal, "PartitionCredits", ["scheduler"], ["scheduler"]),
  use(journal, "PartitionBankClear", ["scheduler"], ["scheduler"]),
  use(journal, "DayTimes", ["scheduler"], ["scheduler"]),
  use(journal, "DayVoid", ["scheduler"], ["scheduler"]),
  use(journal, "WindowOpened", ["scheduler"], ["scheduler"]),
  use(journal, "WindowClosed", ["scheduler"], ["scheduler"]),
  use(journal, "CreditsDeclared", ["scheduler"], ["scheduler"]),
  use(journal, "GateOpened", ["scheduler"], ["scheduler"]),
  use(journal, "DayReconciled", ["scheduler"], ["scheduler"]),
  use(journal, "WithdrawalRequested", ["console"], ["scheduler"]),
  use(journal, "RedriveRequested", ["console"], ["scheduler"]),
  use(journal, "DeliveryStopRequested", ["console"], ["scheduler"]),
  use(journal, "ItemResolutionRequested", ["console"], ["scheduler"]),
  use(journal, "ItemResolutionConfirmed", ["console"], ["scheduler"]),
  use(journal, "ItemResolutionRejected", ["console"], ["scheduler"]),
  use(journal, "ItemNoteRequested", ["console"], ["scheduler"]),
  use(journal, "DeadLettersReplayed", ["console"], ["scheduler"]),
  use(journal, "CloseExtensionRequested", ["console"], ["scheduler"]),
  use(journal, "GateOpeningRequested", ["console"], ["scheduler"]),
  use(journal, "BankPauseRequested", ["console"], ["scheduler"]),
  use(journal, "BankResumeRequested", ["console"], ["scheduler"]),
  use(journal, "BankPaused", ["scheduler"], ["scheduler"]),
  use(journal, "BankResumed", ["scheduler"], ["scheduler"]),
  use(journal, "SealedRecord", ["ingress"], ["validator", "scheduler"]),
  use(dispatch, "SealedRecord", ["scheduler"], ["dispatcher"]),
  use(events, "SealedRecord", ["scheduler"], ["event-publisher"]),
  use(dispatch, "Dispatch", ["scheduler"], ["dispatcher"]),
  use(dispatch, "DispatchChange", ["scheduler"], ["dispatcher"]),
  use(dispatch, "DayTimes", ["scheduler"], ["dispatcher"]),
  use(dispatch, "DayReconciled", ["scheduler"], ["dispatcher"]),
  use(dispatch, "BankPaused", ["scheduler"], ["dispatcher"]),
  use(dispatch, "BankResumed", ["scheduler"], ["dispatcher"]),
  use(dispatch, "EndpointCheckRequested", ["console"], ["dispatcher"]),
  use(events, "TransactionStateEvent", ["scheduler"], ["event-publisher"]),
  use(events, "EsmStateEvent", ["scheduler"], ["event-publisher"]),
  use(events, "DispatchChange", ["scheduler"], ["event-publisher"]),
  use(events, "BankPaused", ["scheduler"], ["event-publisher"]),
  use(events, "BankResumed", ["scheduler"], ["event-publisher"]),
  use(events, "EndpointCheckRequested", ["console"], ["event-publisher"]),
  use(receipts, "Receipt", ["dispatcher", "event-publisher"], ["timeline", "analysts"]),
  use(transactions, "TransactionSnapshot", ["scheduler"], ["analysts"]),
  use(stateEvents, "StateEntered", ["scheduler"], ["analysts"]),
  use(items, "ReconciliationItem", ["scheduler"], ["analysts"]),
  use(days, "BusinessDay", ["scheduler"], ["analysts"]),
  use(deadLetters, "DeadLetter", [...readers, "console"], ["operators", ...readers]),
  use(proposals, "DecisionProposed", ["console"], ["console"]),
  use(proposals, "DecisionConfirmed", ["console"], ["console"]),
  use(proposals, "DecisionRejected", ["console"], ["console"]),
  use(proposals, "DecisionRetracted", ["console"], ["console"]),
  use(audit, "AuditEntry", ["ingress", "console"], ["console", "auditors"]),
  use(audit, "AuditSeal", ["console"], ["console", "auditors"]),
] as const satisfies readonly RecordUse[];

function use<N extends string>(topic: string, record: N, writtenBy: readonly string[], readBy: readonly string[]) {
  return { topic, record, writtenBy, readBy };
}
