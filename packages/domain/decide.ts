// All that can happen to a direct debit: states × facts. `decide` is the only place where a transaction changes.
//
// A cell says the states entered, in order; `=` already so (safe twice); `-` refused; a small word: recorded beside the state (`cell.ts`).
// accepted, refused: the verdict. made, not-made, pending: the bank's report. close: the marker DayReconciled of `closesWith`.
// acknowledged, declined (a not-recoverable answer), stopped: of the delivery that the state waits for (A in ACCEPTED, R in REJECTED, D in
// RELEASED; in RECONCILIATION the one that the close stopped). Of another that was sent: `=`, and a declined one, which stays parked
// until it is told otherwise, is stopped again. Of one never sent: `-`.
//
// 1. A record at or below `applied` is a replay: nothing changes, its first outputs again.
// 2. Before a fact is judged, the close's marker below its offset is taken; after it, the one that the new state or date makes apply.
// 3. REPORTED never rests: HELD follows in the same turn.
// 4. Nothing leaves a terminal state (I5); every path is one of this table (I6).
// 5. What is not the first of its kind is counted, and the last ten are kept.
// 6. Every record above `applied` is folded in: `version` + 1. Before the first debit or report there is nothing to fold into.

import type { Cell, Column, Row } from "./cell.ts";
import { columns } from "./cell.ts";
import { reconciledBelow, takeClose } from "./closing.ts";
import type { DayClosed, Place, TransactionFact } from "./fact.ts";
import type { Digest } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import { onDebitAgain, startOfDebit } from "./on-debit.ts";
import { onDeliveryEnded } from "./on-delivery-ended.ts";
import { onRelease } from "./on-release.ts";
import { onReport, startOfOrphan } from "./on-report.ts";
import { onVerdict } from "./on-verdict.ts";
import type { Judgement, Outcome } from "./outcome.ts";
import { outputsAt } from "./outputs.ts";
import type { Transaction } from "./transaction.ts";

type Cells = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell];

// prettier-ignore
export const table: Readonly<Record<Row, Cells>> = {
  //                   debit       accepted    refused     release     acknowledged          declined  stopped  made                   not-made            pending          close
  NONE:               ["RECEIVED", "-",        "-",        "-",        "-",                  "-",      "-",     "orphan",              "orphan",           "orphan",        "-"],
  ORPHAN:             ["RECEIVED", "-",        "-",        "-",        "-",                  "-",      "-",     "orphan",              "orphan",           "orphan",        "-"],
  RECEIVED:           ["again",    "ACCEPTED", "REJECTED", "-",        "-",                  "-",      "-",     "early",               "early",            "early",         "RECONCILIATION"],
  ACCEPTED:           ["again",    "=",        "=",        "-",        "REPORTED HELD",      "row 3",  "-",     "early",               "early",            "early",         "RECONCILIATION"],
  REJECTED:           ["again",    "=",        "=",        "-",        "REJECTION_REPORTED", "row 3",  "-",     "contradicting",       "contradicting",    "contradicting", "RECONCILIATION"],
  REJECTION_REPORTED: ["again",    "=",        "=",        "-",        "=",                  "=",      "=",     "contradicting",       "contradicting",    "contradicting", "="],
  REPORTED:           ["again",    "=",        "=",        "-",        "=",                  "=",      "=",     "early",               "early",            "early",         "RECONCILIATION"],
  HELD:               ["again",    "=",        "=",        "RELEASED", "=",                  "=",      "=",     "early",               "early",            "early",         "RECONCILIATION"],
  RELEASED:           ["again",    "=",        "=",        "=",        "DELIVERED",          "row 3",  "-",     "DELIVERED COMPLETED", "DELIVERED UNPAID", "DELIVERED",     "RECONCILIATION"],
  DELIVERED:          ["again",    "=",        "=",        "=",        "=",                  "=",      "=",     "COMPLETED",           "UNPAID",           "pending",       "RECONCILIATION"],
  COMPLETED:          ["again",    "=",        "=",        "=",        "=",                  "=",      "=",     "repeat",              "contradicting",    "late",          "="],
  UNPAID:             ["again",    "=",        "=",        "=",        "=",                  "=",      "=",     "contradicting",       "repeat",           "late",          "="],
  RECONCILIATION:     ["again",    "=",        "=",        "-",        "late",               "late",   "row",   "late",                "late",             "late",          "="],
};

export function cellOf(row: Row, column: Column): Cell {
  const cell = table[row][columns.indexOf(column)];
  if (cell === undefined) throw new Error(`no cell ${row} ${column}`);
  return cell;
}

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
  if (fact.kind === "DirectDebitReceived") return startOfDebit(uetr, null, fact, place, lane);
  if (fact.kind === "StatusReportReceived") return startOfOrphan(uetr, fact, place, lane);
  return null;
}

function judge(before: Transaction, fact: TransactionFact, place: Place, lane: LaneView, digest: Digest): Judgement {
  const transaction = takeClose(before, place, lane, "before");
  const { state } = transaction;
  switch (fact.kind) {
    case "DirectDebitReceived":
      if (state === "ORPHAN") return startOfDebit(transaction.uetr, transaction, fact, place, lane);
      return onDebitAgain(transaction, fact, place, digest);
    case "AccountVerified":
      return onVerdict(transaction, fact, place, cellOf(state, fact.verdict));
    case "Release":
      return onRelease(transaction, fact, place, lane, cellOf(state, "release"));
    case "DeliveryEnded":
      return onDeliveryEnded(transaction, fact, place, cellOf(state, fact.outcome === "refused" ? "declined" : fact.outcome));
    case "StatusReportReceived":
      return onReport(transaction, fact, place, cellOf(state, fact.outcome));
    case "DayClosed":
      return onDayClosed(before, transaction, fact, place, lane);
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
