// Dead letters of a transaction. They quarantine it, whatever its state; the quarantine is not a state.
//
// #1 The first dead-lettered record starts the quarantine. While it lasts, messages and verdicts follow into the dead
//    letters, in order. What Sluice itself appends, and what operators ask for, is decided as always.
// #2 A replay of a dead-lettered record has the same decision again, so that nothing is lost if the process crashed
//    before it wrote the dead letter. Such a record is known by the quarantine and, once that has ended, by the last
//    ten observations.
// #3 Where nothing else is known of the UETR, an ORPHAN is quarantined, which has no state and is never unresolved.

import { recordObservation } from "../entry.ts";
import type {
  AccountVerified,
  CreditTransferReceived,
  DirectDebitReceived,
  RecordPosition,
  StatusReportReceived,
  TransactionFact,
} from "../../fact.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { OperatorResult } from "./on-operator.ts";
import { createOrphan } from "./on-report.ts";
import type { FactResult } from "../result.ts";
import type { Transaction } from "../transaction.ts";

/** The facts that follow earlier records into the dead letters. */
export type FollowingFact = DirectDebitReceived | CreditTransferReceived | StatusReportReceived | AccountVerified;

export function isFollowingFact(fact: TransactionFact): fact is FollowingFact {
  return "message" in fact || fact.kind === "AccountVerified";
}

export function startQuarantined(uetr: string, place: RecordPosition, partition: PartitionView): FactResult {
  return onRecordDeadLettered(createOrphan(uetr, place.appendedAtMs, place, partition), place);
}

export function onRecordDeadLettered(transaction: Transaction, place: RecordPosition): FactResult {
  return { decision: "applied", reason: "quarantined", transaction: countDeadLetter(transaction, place) };
}

export function deadLetterFollowing(transaction: Transaction, fact: FollowingFact, place: RecordPosition): FactResult {
  const message = fact.kind === "AccountVerified" ? fact.validatedMessage : fact.message;
  return {
    decision: "dead-lettered",
    reason: "quarantined",
    transaction: recordObservation(countDeadLetter(transaction, place), place, "dead-lettered", message),
  };
}

/** True if the record at `offset`, which was applied before, was dead-lettered then. */
export function wasDeadLettered({ quarantined, observations }: Transaction, fact: TransactionFact, offset: bigint): boolean {
  if (!isFollowingFact(fact)) return false;
  if (quarantined !== null && offset > quarantined.offset) return true;
  return observations.last.some((entry) => entry.kind === "dead-lettered" && entry.offset === offset);
}

export function onDeadLettersReplayed(transaction: Transaction): OperatorResult {
  if (transaction.quarantined === null) return { decision: "ignored", reason: "not-quarantined", transaction };
  return { decision: "applied", reason: null, transaction: { ...transaction, quarantined: null } };
}

function countDeadLetter(transaction: Transaction, place: RecordPosition): Transaction {
  const { quarantined } = transaction;
  const first = { sinceMs: place.appendedAtMs, offset: place.offset, records: 1 };
  return { ...transaction, quarantined: quarantined === null ? first : { ...quarantined, records: quarantined.records + 1 } };
}
