// Records of a transaction that lie in the dead letters: a mark beside the state, not a state.
//
// 1. The first record put aside sets the mark; while it stands, messages and verdicts follow it into the dead letters, in order. What Sluice itself
//    appends, and what operators ask for, is judged as always.
// 2. A replay of a record that was put aside says so again, so that a crash before its dead letter was written loses nothing. It is known by the mark
//    and, once that is gone, by the remark, as far as the last ten reach.
// 3. Before anything else is known of the UETR the mark stands on an ORPHAN, which has no state and is never unresolved.

import { remark } from "./entry.ts";
import type { AccountVerified, CreditTransferReceived, DirectDebitReceived, Place, StatusReportReceived, TransactionFact } from "./fact.ts";
import type { LaneView } from "./lane.ts";
import type { OperatorJudgement } from "./on-operator.ts";
import { emptyOrphan } from "./on-report.ts";
import type { Judgement } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";

/** What is not judged while records before it are put aside. */
export type Following = DirectDebitReceived | CreditTransferReceived | StatusReportReceived | AccountVerified;

export function isFollowing(fact: TransactionFact): fact is Following {
  return "message" in fact || fact.kind === "AccountVerified";
}

export function startOfParked(uetr: string, place: Place, lane: LaneView): Judgement {
  return onRecordPutAside(emptyOrphan(uetr, place.appendedAtMs, place, lane), place);
}

export function onRecordPutAside(transaction: Transaction, place: Place): Judgement {
  return { decision: "applied", reason: "parked", transaction: withOneMore(transaction, place) };
}

export function putAside(transaction: Transaction, fact: Following, place: Place): Judgement {
  const message = fact.kind === "AccountVerified" ? fact.judged : fact.message;
  return { decision: "put-aside", reason: "parked", transaction: remark(withOneMore(transaction, place), place, "put-aside", message) };
}

/** The record at `offset`, folded in before, was put aside in its turn. */
export function wasPutAside({ parked, remarks }: Transaction, fact: TransactionFact, offset: bigint): boolean {
  if (!isFollowing(fact)) return false;
  if (parked !== null && offset > parked.offset) return true;
  return remarks.last.some((entry) => entry.kind === "put-aside" && entry.offset === offset);
}

export function onDeadLettersReplayed(transaction: Transaction): OperatorJudgement {
  if (transaction.parked === null) return { decision: "ignored", reason: "nothing-parked", transaction };
  return { decision: "applied", reason: null, transaction: { ...transaction, parked: null } };
}

function withOneMore(transaction: Transaction, place: Place): Transaction {
  const { parked } = transaction;
  const first = { sinceMs: place.appendedAtMs, offset: place.offset, records: 1 };
  return { ...transaction, parked: parked === null ? first : { ...parked, records: parked.records + 1 } };
}
