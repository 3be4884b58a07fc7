// One record is folded into a transaction. `decide` is the only place where a transaction changes; what follows from which fact in which state
// are the tables: `debit-table.ts` for on-us and off-us debits, `credit-table.ts` for credits.
//
// 1. A record at or below `applied` is a replay: nothing changes, its first outputs again.
// 2. Before a fact is judged, the markers below its offset are taken: those that end its date, then the close; after it, those that the new state or
//    date makes apply.
// 3. REPORTED, an off-us ACCEPTED and CREDIT_AUTH_ACCEPTED never rest: the next state follows in the same turn.
// 4. Nothing leaves a terminal state (I5); every path is one of the tables (I6).
// 5. What is not the first of its kind is counted, and the last ten are kept.
// 6. Every record above `applied` is folded in: `version` + 1. Before the first debit, credit, report or record put aside there is nothing to fold into.
// 7. What an operator asks for is judged here like everything else, counts once and leaves a note (`on-operator.ts`).

import { reconciledBelow, takeClose } from "./closing.ts";
import type { DayClosed, Place, TransactionFact } from "./fact.ts";
import type { Digest } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import { onDeadlinePassed } from "./on-deadline.ts";
import { onDeliveryEnded } from "./on-delivery-ended.ts";
import { onMessageAgain, startOfTransaction } from "./on-message.ts";
import { onOperatorFact } from "./on-operator.ts";
import { isFollowing, onDeadLettersReplayed, onRecordPutAside, putAside, startOfParked, wasPutAside } from "./on-put-aside.ts";
import { onRedrive } from "./on-redrive.ts";
import { onRelease } from "./on-release.ts";
import { onReport, startOfOrphan } from "./on-report.ts";
import { onResolutionConfirmed, onResolutionRequested } from "./on-resolution.ts";
import { onVerdict } from "./on-verdict.ts";
import { onWithdrawal } from "./on-withdrawal.ts";
import type { Judgement, Outcome } from "./outcome.ts";
import { outputsAt } from "./outputs.ts";
import { takeRolls } from "./rolling.ts";
import type { Transaction } from "./transaction.ts";

/** Folds one record into a transaction (null: nothing yet under this UETR). `uetr` in lower case; records of a lane in offset order. */
export function decide(
  uetr: string,
  transaction: Transaction | null,
  fact: TransactionFact,
  place: Place,
  lane: LaneView,
  digest: Digest,
): Outcome {
  if (transaction !== null && place.offset <= transaction.applied) {
    const outputs = outputsAt(transaction, place.offset, digest);
    if (wasPutAside(transaction, fact, place.offset)) return { decision: "put-aside", reason: "parked", transaction, outputs };
    return { decision: "replayed", reason: null, transaction, outputs };
  }
  const judgement = transaction === null ? first(uetr, fact, place, lane) : judge(transaction, fact, place, lane, digest);
  if (judgement === null) return { decision: "refused", reason: "nothing-received", transaction: null, outputs: [] };
  const settled = takeMarkers(judgement.transaction, place, lane, "after");
  const folded = { ...settled, version: settled.version + 1, applied: place.offset };
  return {
    decision: judgement.decision,
    reason: judgement.reason,
    transaction: folded,
    outputs: outputsAt(folded, place.offset, digest),
  };
}

/** Those that end its business date, which it may go on from, then the close. */
function takeMarkers(transaction: Transaction, place: Place, lane: LaneView, moment: "before" | "after"): Transaction {
  return takeClose(takeRolls(transaction, place, lane, moment), place, lane, moment);
}

function first(uetr: string, fact: TransactionFact, place: Place, lane: LaneView): Judgement | null {
  if (fact.kind === "StatusReportReceived") return startOfOrphan(uetr, fact, place, lane);
  if (fact.kind === "RecordPutAside") return startOfParked(uetr, place, lane);
  const isMessage = fact.kind === "DirectDebitReceived" || fact.kind === "CreditTransferReceived";
  return isMessage ? startOfTransaction(uetr, null, fact, place, lane) : null;
}

function judge(before: Transaction, fact: TransactionFact, place: Place, lane: LaneView, digest: Digest): Judgement {
  const transaction = takeMarkers(before, place, lane, "before");
  if (transaction.parked !== null && isFollowing(fact)) return putAside(transaction, fact, place);
  switch (fact.kind) {
    case "DirectDebitReceived":
    case "CreditTransferReceived":
      if (transaction.state === "ORPHAN") return startOfTransaction(transaction.uetr, transaction, fact, place, lane);
      return onMessageAgain(transaction, fact, place, digest);
    case "AccountVerified":
      return onVerdict(transaction, fact, place);
    case "Release":
      return onRelease(transaction, fact, place, lane);
    case "DeliveryEnded":
      return onDeliveryEnded(transaction, fact, place);
    case "StatusReportReceived":
      return onReport(transaction, fact, place, lane);
    case "DayClosed":
      return onDayClosed(before, transaction, fact, place, lane);
    case "DeadlinePassed":
      return onDeadlinePassed(transaction, fact, place);
    case "RecordPutAside":
      return onRecordPutAside(transaction, place);
    case "WithdrawalRequested":
      return onOperatorFact(transaction, fact, place, () => onWithdrawal(transaction, place));
    case "RedriveRequested":
      return onOperatorFact(transaction, fact, place, () => onRedrive(transaction, fact, place, digest));
    case "ItemResolutionRequested":
      return onOperatorFact(transaction, fact, place, () => onResolutionRequested(transaction, fact, place));
    case "ItemResolutionConfirmed":
      return onOperatorFact(transaction, fact, place, () => onResolutionConfirmed(transaction, fact, place));
    case "DeadLettersReplayed":
      return onOperatorFact(transaction, fact, place, () => onDeadLettersReplayed(transaction));
    default:
      throw new Error(`no such fact: ${String(fact satisfies never)}`);
  }
}

/** Only wakes: what is to be done, the marker has done by now. */
function onDayClosed(before: Transaction, transaction: Transaction, fact: DayClosed, place: Place, lane: LaneView): Judgement {
  if (before !== transaction && fact.day === before.closesWith) return { decision: "applied", reason: null, transaction };
  if (fact.day !== transaction.closesWith) {
    const hasLeft = transaction.transitions.some(({ state, closesWith }) => state === "HELD" && closesWith === fact.day);
    return { decision: hasLeft ? "ignored" : "refused", reason: hasLeft ? null : "other-day", transaction };
  }
  if (reconciledBelow(transaction, place, lane) === null) return { decision: "refused", reason: "day-not-reconciled", transaction };
  return { decision: before === transaction ? "ignored" : "applied", reason: null, transaction };
}
