// Everything that can happen to a credit: a row for each state (without `CREDIT_AUTH_`), a column for each fact.
//
// A cell names the states that are entered, in order. `=` means ignored (it is so already), `-` refused, and a word in
// small letters something that is recorded and changes no state (`cell.ts`).
//
//   message                          a further debit or credit under this UETR
//   accepted, refused                the verdict
//   acknowledged, declined, stopped  the end of the delivery of the credit to the bank;
//                                  declined is a not-recoverable answer
//   doubtful                         declined, but the bank may have accepted some attempt and booked the credit
//   outcome-acked, outcome-refused   the connector's answer to the outcome report of a terminal state
//   made, not-made, pending          the bank's report: settled, rejected, still working
//   deadline                         DeadlinePassed of the credit's deadline, not before that time
//
// The delivery columns hold in DELIVERY_PENDING, and in RECONCILIATION if it came from there. For any other delivery
// that was sent the cell is `=`; if such a delivery is declined it is stopped again, because it stays parked until a
// change arrives. For a delivery that was never sent the cell is `-`. Nothing stops an outcome report.
//
// #1 The connector is sent RJCT only where the credit cannot have been booked: REJECTED, DELIVERY_FAILURE, or the
//    bank's own report. RECONCILIATION sends PDNG.
// #2 A credit is never held, and no close of a day changes it.

import type { Cell, CreditRow } from "./cell.ts";

type Cells = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell];

// prettier-ignore
export const creditTable: Readonly<Record<CreditRow, Cells>> = {
  //                  message     accepted                     refused     acknowledged  declined            doubtful  stopped  outcome-acked  outcome-refused  made                           not-made                       pending          deadline
  NONE:              ["RECEIVED", "-",                         "-",        "-",          "-",                "-",      "-",     "-",           "-",             "orphan",                      "orphan",                      "orphan",        "-"],
  ORPHAN:            ["RECEIVED", "-",                         "-",        "-",          "-",                "-",      "-",     "-",           "-",             "orphan",                      "orphan",                      "orphan",        "-"],
  RECEIVED:          ["again",    "ACCEPTED DELIVERY_PENDING", "REJECTED", "-",          "-",                "-",      "-",     "-",           "-",             "early",                       "early",                       "early",         "RECONCILIATION"],
  ACCEPTED:          ["again",    "=",                         "=",        "-",          "-",                "-",      "-",     "-",           "-",             "early",                       "early",                       "early",         "RECONCILIATION"], // passed through
  REJECTED:          ["again",    "=",                         "=",        "-",          "-",                "-",      "-",     "acked",       "row 3",         "contradicting",               "contradicting",               "contradicting", "undelivered"],
  DELIVERY_PENDING:  ["again",    "=",                         "=",        "DELIVERED",  "DELIVERY_FAILURE", "row 3",  "-",     "-",           "-",             "DELIVERED RESPONSE_ACCEPTED", "DELIVERED RESPONSE_ACCEPTED", "DELIVERED",     "RECONCILIATION"],
  DELIVERED:         ["again",    "=",                         "=",        "=",          "=",                "=",      "=",     "-",           "-",             "RESPONSE_ACCEPTED",           "RESPONSE_ACCEPTED",           "pending",       "RECONCILIATION"],
  RESPONSE_ACCEPTED: ["again",    "=",                         "=",        "=",          "=",                "=",      "=",     "acked",       "row 3",         "second",                      "second",                      "late",          "undelivered"],
  DELIVERY_FAILURE:  ["again",    "=",                         "=",        "=",          "=",                "=",      "=",     "acked",       "row 3",         "contradicting",               "contradicting",               "contradicting", "undelivered"],
  RECONCILIATION:    ["again",    "=",                         "=",        "late",       "late",             "late",   "row",   "acked",       "row 3",         "late",                        "late",                        "late",          "="],
};
