// Dead letters of a transaction. They quarantine it, whatever its state; the quarantine is not a state.
//
// #1 The first dead-lettered record starts the quarantine. While it lasts, messages and verdicts follow into the dead
//    letters, in order. What Sluice itself appends, and what operators ask for, is decided as always.
// #2 A replay of a dead-lettered record has the same decision again, so that nothing is lost if the process crashed
//    before it wrote the dead letter. Such a record is known by the quarantine and, once that has ended, by the last
//    ten observations.
// #3 Where nothing else is known of the UETR, an ORPHAN is quarantined, which has no state and is never unresolved. If
//    the header of a dead-lettered record says debit or credit, the orphan keeps that: the next reconciliation close
//    makes an item of row 4, and until then a credit keeps the gates closed.

import { recordObservation } from "../entry.ts";
import type {
  AccountVerified,
  CreditTransferReceived,
  DirectDebitReceived,
  RecordDeadLettered,
  RecordPosition,
  StatusReportReceived,
  TransactionFact,
} from "../../fact.ts";
import { closesAhead } from "../markers/closes-ahead.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { OperatorResult } from "./on-operator.ts";
import { createOrphan } from "./on-report.ts";
import type { FactResult } from "../result.ts";
import type { Transaction, UnreadMessage } from "../transaction.ts";

/** The facts that follow earlier records into the dead letters. */
export type FollowingFact = DirectDebitReceived | CreditTransferReceived | StatusReportReceived | AccountVerified;

export function isFollowingFact(fact: TransactionFact): fact is FollowingFact {
  return "message" in fact || fact.kind === "AccountVerified";
}

export function startQuarantined(uetr: string, fact: RecordDeadLettered, place: RecordPosition, partition: PartitionView): FactResult {
  return onRecordDeadLettered(createOrphan(uetr, place.appendedAtMs, place, partition), fact, place, partition);
}

export function onRecordDeadLettered(
  transaction: Transaction,
  { holds }: RecordDeadLettered,
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  const counted = countDeadLetter(transaction, place);
  return { decision: "applied", reason: "quarantined", transaction: keepUnread(counted, holds, place, partition) };
}

export function deadLetterFollowing(
  transaction: Transaction,
  fact: FollowingFact,
  place: RecordPosition,
  partition: PartitionView,
): FactResult {
  const message = fact.kind === "AccountVerified" ? fact.validatedMessage : fact.message;
  const counted = keepUnread(countDeadLetter(transaction, place), followingKinds[fact.kind], place, partition);
  return { decision: "dead-lettered", reason: "quarantined", transaction: recordObservation(counted, place, "dead-lettered", message) };
}

const followingKinds = {
  DirectDebitReceived: "debit",
  CreditTransferReceived: "credit",
  StatusReportReceived: null,
  AccountVerified: null,
} as const satisfies Readonly<Record<FollowingFact["kind"], UnreadMessage["kind"] | null>>;

/** #3 */
function keepUnread(
  transaction: Transaction,
  kind: UnreadMessage["kind"] | null,
  place: RecordPosition,
  partition: PartitionView,
): Transaction {
  if (transaction.flow !== null || kind === null) return transaction;
  const known = transaction.unreadMessage;
  const isKnown = known !== null && (known.kind !== "debit" || kind === "debit");
  const unreadMessage = isKnown ? known : { kind, offset: place.offset };
  return { ...transaction, unreadMessage, reconciliationDay: closesAhead(place, partition)[0]?.day ?? transaction.reconciliationDay };
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
