// Everything that can happen to a direct debit: a row for each state, a column for each fact.
//
// A cell names the states that are entered, in order. `=` means ignored (it is so already), `-` refused, and a word in
// small letters something that is recorded and changes no state (`cell.ts`).
//
//   message                          a further debit or credit under this UETR
//   accepted, refused                the verdict
//   release                          the debit's turn has come, in an open window and behind an open gate
//   acknowledged, declined, stopped  the end of the delivery that the state waits for;
//                                  declined is a not-recoverable answer
//   outcome-acked, outcome-refused   off-us: the connector's answer to the outcome report
//                                  of REJECTED, COMPLETED or UNPAID
//   made, not-made, pending          the bank's report: settled, rejected, still working
//   withdrawn                        an operator withdraws the debit before it was sent
//   last-close                       the marker after which the business date releases nothing:
//                                  its last WindowClosed, or its DayVoid
//   close                            the marker DayReconciled of `reconciliationDay`
//
// The delivery that a state waits for is, on-us, the accepted report in ACCEPTED, the rejected report in REJECTED and
// the inbound debit in RELEASED; off-us it is the inbound debit in RELEASED. In RECONCILIATION it is the delivery that
// the close stopped. For any other delivery that was sent the cell is `=`; if such a delivery is declined it is stopped
// again, because it stays parked until a change arrives. For a delivery that was never sent the cell is `-`: on-us
// there is no outcome report to a connector, and off-us nothing but the inbound debit is acknowledged.
//
// By `last-close` HELD is entered again for the next business date, as often as the debit may be carried over
// (`carry-over.ts`). No close stops an outcome report.
//
// What changes no state has no column: a redrive (`on-redrive.ts`), the resolution of an item (`on-resolution.ts`), and
// records in the dead letters (`on-dead-letters.ts`). While a transaction is quarantined, the columns message,
// accepted, refused, made, not-made and pending do not apply: those records follow into the dead letters.

import type { Cell, DebitRow } from "./cell.ts";

type Cells = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell];

// prettier-ignore
export const debitTable: Readonly<Record<DebitRow, Cells>> = {
  //                   message     accepted         refused     release     acknowledged          declined  stopped  outcome-acked         outcome-refused  made                   not-made            pending          withdrawn         last-close  close
  NONE:               ["RECEIVED", "-",             "-",        "-",        "-",                  "-",      "-",     "-",                  "-",             "orphan",              "orphan",           "orphan",        "-",              "-",        "-"],
  ORPHAN:             ["RECEIVED", "-",             "-",        "-",        "-",                  "-",      "-",     "-",                  "-",             "orphan",              "orphan",           "orphan",        "-",              "-",        "-"],
  "RECEIVED on-us":   ["again",    "ACCEPTED",      "REJECTED", "-",        "-",                  "-",      "-",     "-",                  "-",             "early",               "early",            "early",         "-",              "=",        "RECONCILIATION"],
  "RECEIVED off-us":  ["again",    "ACCEPTED HELD", "REJECTED", "-",        "-",                  "-",      "-",     "-",                  "-",             "early",               "early",            "early",         "-",              "=",        "RECONCILIATION"],
  ACCEPTED:           ["again",    "=",             "=",        "-",        "REPORTED HELD",      "row 3",  "-",     "-",                  "-",             "early",               "early",            "early",         "RECONCILIATION", "=",        "RECONCILIATION"], // off-us it is passed through
  REJECTED:           ["again",    "=",             "=",        "-",        "REJECTION_REPORTED", "row 3",  "-",     "REJECTION_REPORTED", "row 3",         "contradicting",       "contradicting",    "contradicting", "-",              "=",        "RECONCILIATION"],
  REJECTION_REPORTED: ["again",    "=",             "=",        "-",        "=",                  "=",      "=",     "=",                  "=",             "contradicting",       "contradicting",    "contradicting", "-",              "=",        "="],
  REPORTED:           ["again",    "=",             "=",        "-",        "=",                  "=",      "=",     "-",                  "-",             "early",               "early",            "early",         "RECONCILIATION", "=",        "RECONCILIATION"], // on-us only, passed through
  HELD:               ["again",    "=",             "=",        "RELEASED", "=",                  "=",      "=",     "-",                  "-",             "early",               "early",            "early",         "RECONCILIATION", "HELD",     "RECONCILIATION"],
  RELEASED:           ["again",    "=",             "=",        "=",        "DELIVERED",          "row 3",  "-",     "-",                  "-",             "DELIVERED COMPLETED", "DELIVERED UNPAID", "DELIVERED",     "-",              "=",        "RECONCILIATION"],
  DELIVERED:          ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "-",                  "-",             "COMPLETED",           "UNPAID",           "pending",       "-",              "=",        "RECONCILIATION"],
  COMPLETED:          ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "acked",              "row 3",         "second",              "second",           "late",          "-",              "=",        "undelivered"],
  UNPAID:             ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "acked",              "row 3",         "second",              "second",           "late",          "-",              "=",        "undelivered"],
  RECONCILIATION:     ["again",    "=",             "=",        "-",        "late",               "late",   "row",   "late",               "late",          "late",                "late",             "late",          "-",              "=",        "="],
};
