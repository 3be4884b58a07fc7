// Applies one record to a transaction. `decide` is the only place where a transaction changes. Which fact leads where
// from which state is written in two tables: `tables/debit-table.ts` for on-us and off-us debits,
// `tables/credit-table.ts` for credits.
//
// #1 A record at or below `applied` is a replay: it changes nothing and gives its first outputs again.
// #2 Before a fact is decided, the markers below its offset are applied: those that end its business date, then the
//    close. After the fact, the markers are applied that the new state or date makes relevant.
// #3 REPORTED, an off-us ACCEPTED and CREDIT_AUTH_ACCEPTED are passed through: the next state follows with the same
//    record.
// #4 Nothing leaves a terminal state (I5); every path is one of the tables (I6).
// #5 A message that is not the first of its kind is counted, and the last ten are kept.
// #6 Every record above `applied` adds 1 to `version`. Before the first debit, credit, report or dead-lettered record
//    there is no transaction to apply a record to.
// #7 A request of an operator is decided here like every other fact; it counts once and leaves a note
//    (`on-operator.ts`).

import { isUnreadOpen } from "./items.ts";
import { closeMarkerBelow, closeUndated, takeClose } from "./markers/reconciliation-close.ts";
import type { DayClosed, RecordPosition, TransactionFact } from "../fact.ts";
import type { Digest } from "../ids.ts";
import type { PartitionView } from "../partition-view.ts";
import { onDeadlinePassed } from "./facts/on-deadline.ts";
import { onDeliveryEnded } from "./facts/on-delivery-ended.ts";
import { findDroppedAnswer, onFurtherMessage, startTransaction } from "./facts/on-message.ts";
import { onOperatorFact } from "./facts/on-operator.ts";
import {
  isFollowingFact,
  onDeadLettersReplayed,
  onRecordDeadLettered,
  deadLetterFollowing,
  startQuarantined,
  wasDeadLettered,
} from "./facts/on-dead-letters.ts";
import { onDeliveryStop } from "./facts/on-delivery-stop.ts";
import { onItemNote } from "./facts/on-item-note.ts";
import { onRedrive } from "./facts/on-redrive.ts";
import { onRelease } from "./facts/on-release.ts";
import { onReport, startOrphan } from "./facts/on-report.ts";
import { onResolutionConfirmed, onResolutionRejected, onResolutionRequested } from "./facts/on-resolution.ts";
import { onVerdict } from "./facts/on-verdict.ts";
import { onWithdrawal } from "./facts/on-withdrawal.ts";
import type { FactResult, DecideResult } from "./result.ts";
import type { Output } from "./output.ts";
import { buildNoticeOutput, outputsAt } from "./outputs.ts";
import { takeCarryOvers } from "./markers/carry-over.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Applies one record to a transaction (null: nothing is known under this UETR). `uetr` is in lower case; the records of
 * a partition come in the order of their offsets.
 */
export function decide(
  uetr: string,
  transaction: Transaction | null,
  fact: TransactionFact,
  place: RecordPosition,
  partition: PartitionView,
  digest: Digest,
): DecideResult {
  if (transaction !== null && place.offset <= transaction.applied) {
    const outputs = replayOutputs(transaction, fact, place, digest);
    if (wasDeadLettered(transaction, fact, place.offset)) return { decision: "dead-lettered", reason: "quarantined", transaction, outputs };
    return { decision: "replayed", reason: null, transaction, outputs };
  }
  const result = transaction === null ? startWith(uetr, fact, place, partition) : decideFact(transaction, fact, place, partition, digest);
  if (result === null) return { decision: "refused", reason: "nothing-received", transaction: null, outputs: [] };
  const settled = takeMarkers(result.transaction, place, partition, "after");
  const applied = { ...settled, version: settled.version + 1, applied: place.offset };
  return {
    decision: result.decision,
    reason: result.reason,
    transaction: applied,
    outputs: outputsAt(applied, place.offset, digest),
  };
}

/** #1 */
function replayOutputs(transaction: Transaction, fact: TransactionFact, place: RecordPosition, digest: Digest): readonly Output[] {
  const outputs = outputsAt(transaction, place.offset, digest);
  const isMessage = fact.kind === "DirectDebitReceived" || fact.kind === "CreditTransferReceived";
  if (!isMessage || wasDeadLettered(transaction, fact, place.offset)) return outputs;
  const answer = findDroppedAnswer(transaction, fact, place, digest);
  return answer === null ? outputs : [...outputs, buildNoticeOutput(transaction, answer)];
}

/** First the markers that end its business date, from which it may be carried over, then the close. */
function takeMarkers(transaction: Transaction, place: RecordPosition, partition: PartitionView, moment: "before" | "after"): Transaction {
  return takeClose(takeCarryOvers(transaction, place, partition, moment), place, partition, moment);
}

function startWith(uetr: string, fact: TransactionFact, place: RecordPosition, partition: PartitionView): FactResult | null {
  if (fact.kind === "StatusReportReceived") return startOrphan(uetr, fact, place, partition);
  if (fact.kind === "RecordDeadLettered") return startQuarantined(uetr, fact, place, partition);
  const isMessage = fact.kind === "DirectDebitReceived" || fact.kind === "CreditTransferReceived";
  return isMessage ? startTransaction(uetr, null, fact, place, partition) : null;
}

function decideFact(
  before: Transaction,
  fact: TransactionFact,
  place: RecordPosition,
  partition: PartitionView,
  digest: Digest,
): FactResult {
  const transaction = takeMarkers(before, place, partition, "before");
  if (transaction.quarantined !== null && isFollowingFact(fact)) return deadLetterFollowing(transaction, fact, place, partition);
  switch (fact.kind) {
    case "DirectDebitReceived":
    case "CreditTransferReceived":
      if (transaction.state === "ORPHAN") return startTransaction(transaction.uetr, transaction, fact, place, partition);
      return onFurtherMessage(transaction, fact, place, digest);
    case "AccountVerified":
      return onVerdict(transaction, fact, place, partition);
    case "Release":
      return onRelease(transaction, fact, place, partition);
    case "DeliveryEnded":
      return onDeliveryEnded(transaction, fact, place);
    case "StatusReportReceived":
      return onReport(transaction, fact, place, partition);
    case "DayClosed":
      return onDayClosed(before, transaction, fact, place, partition);
    case "DeadlinePassed":
      return onDeadlinePassed(transaction, fact, place);
    case "RecordDeadLettered":
      return onRecordDeadLettered(transaction, fact, place, partition);
    case "WithdrawalRequested":
      return onOperatorFact(transaction, fact, place, () => onWithdrawal(transaction, place));
    case "RedriveRequested":
      return onOperatorFact(transaction, fact, place, () => onRedrive(transaction, fact, place, digest));
    case "DeliveryStopRequested":
      return onOperatorFact(transaction, fact, place, () => onDeliveryStop(transaction, fact, place, digest));
    case "ItemResolutionRequested":
      return onOperatorFact(transaction, fact, place, () => onResolutionRequested(transaction, fact, place));
    case "ItemResolutionConfirmed":
      return onOperatorFact(transaction, fact, place, () => onResolutionConfirmed(transaction, fact, place));
    case "ItemResolutionRejected":
      return onOperatorFact(transaction, fact, place, () => onResolutionRejected(transaction, fact));
    case "ItemNoteRequested":
      return onOperatorFact(transaction, fact, place, () => onItemNote(transaction, fact, place));
    case "DeadLettersReplayed":
      return onOperatorFact(transaction, fact, place, () => onDeadLettersReplayed(transaction));
    default:
      throw new Error(`no such fact: ${String(fact satisfies never)}`);
  }
}

/** DayClosed only wakes the transaction: the marker has already done what there is to do. */
function onDayClosed(
  before: Transaction,
  transaction: Transaction,
  fact: DayClosed,
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  if (transaction.flow === null && transaction.reconciliationDay === null && isUnreadOpen(transaction)) {
    const closed = closeUndated(transaction, fact.day, place, partition);
    return { decision: closed === transaction ? "ignored" : "applied", reason: null, transaction: closed };
  }
  if (before !== transaction && fact.day === before.reconciliationDay) return { decision: "applied", reason: null, transaction };
  if (fact.day !== transaction.reconciliationDay) {
    const hasLeft = transaction.transitions.some(({ state, reconciliationDay }) => state === "HELD" && reconciliationDay === fact.day);
    return { decision: hasLeft ? "ignored" : "refused", reason: hasLeft ? null : "other-day", transaction };
  }
  if (closeMarkerBelow(transaction, place, partition) === null) return { decision: "refused", reason: "day-not-reconciled", transaction };
  return { decision: before === transaction ? "ignored" : "applied", reason: null, transaction };
}
