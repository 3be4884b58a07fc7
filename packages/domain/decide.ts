// One record is folded into a transaction. `decide` is the only place where a transaction changes; what follows from which fact in which state
// are the tables: `debit-table.ts` for on-us and off-us debits, `credit-table.ts` for credits.
//
// 1. A record at or below `applied` is a replay: nothing changes, its first outputs again.
// 2. Before a fact is judged, the close's marker below its offset is taken; after it, the one that the new state or date makes apply.
// 3. REPORTED, an off-us ACCEPTED and CREDIT_AUTH_ACCEPTED never rest: the next state follows in the same turn.
// 4. Nothing leaves a terminal state (I5); every path is one of the tables (I6).
// 5. What is not the first of its kind is counted, and the last ten are kept.
// 6. Every record above `applied` is folded in: `version` + 1. Before the first debit, credit or report there is nothing to fold into.

import { reconciledBelow, takeClose } from "./closing.ts";
import type { DayClosed, Place, TransactionFact } from "./fact.ts";
import type { Digest } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import { onDeadlinePassed } from "./on-deadline.ts";
import { onDeliveryEnded } from "./on-delivery-ended.ts";
import { onMessageAgain, startOfTransaction } from "./on-message.ts";
import { onRelease } from "./on-release.ts";
import { onReport, startOfOrphan } from "./on-report.ts";
import { onVerdict } from "./on-verdict.ts";
import type { Judgement, Outcome } from "./outcome.ts";
import { outputsAt } from "./outputs.ts";
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
    return { decision: "replayed", reason: null, transaction, outputs: outputsAt(transaction, place.offset, digest) };
  }
  const judgement = transaction === null ? first(uetr, fact, place, lane) : judge(transaction, fact, place, lane, digest);
  if (judgement === null) return { decision: "refused", reason: "nothing-received", transaction: null, outputs: [] };
  const settled = takeClose(judgement.transaction, place, lane, "after");
  const folded = { ...settled, version: settled.version + 1, applied: place.offset };
  return {
    decision: judgement.decision,
    reason: judgement.reason,
    transaction: folded,
    outputs: outputsAt(folded, place.offset, digest),
  };
}

function first(uetr: string, fact: TransactionFact, place: Place, lane: LaneView): Judgement | null {
  if (fact.kind === "StatusReportReceived") return startOfOrphan(uetr, fact, place, lane);
  const isMessage = fact.kind === "DirectDebitReceived" || fact.kind === "CreditTransferReceived";
  return isMessage ? startOfTransaction(uetr, null, fact, place, lane) : null;
}

function judge(before: Transaction, fact: TransactionFact, place: Place, lane: LaneView, digest: Digest): Judgement {
  const transaction = takeClose(before, place, lane, "before");
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
    case "WithdrawalRequested":
    case "RedriveRequested":
    case "ItemResolutionRequested":
    case "ItemResolutionConfirmed":
    case "DeadLettersReplayed":
    case "RecordPutAside":
      return { decision: "refused", reason: "not-in-this-state", transaction };
    default:
      throw new Error(`no such fact: ${String(fact satisfies never)}`);
  }
}

/** Only wakes: what is to be done, the marker has done by now. */
function onDayClosed(before: Transaction, transaction: Transaction, fact: DayClosed, place: Place, lane: LaneView): Judgement {
  if (fact.day !== transaction.closesWith) return { decision: "refused", reason: "other-day", transaction };
  if (reconciledBelow(transaction, place, lane) === null) return { decision: "refused", reason: "day-not-reconciled", transaction };
  return { decision: before === transaction ? "ignored" : "applied", reason: null, transaction };
}
