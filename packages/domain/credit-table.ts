// All that can happen to a credit: states × facts. States stand without `CREDIT_AUTH_`.
//
// A cell says the states entered, in order; `=` already so (safe twice); `-` refused; a small word: recorded beside the state (`cell.ts`).
// message: a debit or credit under this UETR. accepted, refused: the verdict. made, not-made, pending: the bank's report. deadline:
// DeadlinePassed of the credit's own deadline, not before it.
// acknowledged, declined (a not-recoverable answer), stopped: of the credit (C) sent to the bank, in DELIVERY_PENDING, and in RECONCILIATION if
// it came from there. doubtful: declined, but some attempt may have been taken, so the bank may have booked it.
// told, untold: the connector acknowledged or declined the outcome (O) of a terminal state, which nothing stops.
// Of another delivery that was sent: `=`, and a declined one, which stays parked until it is told otherwise, is stopped again. Of one never sent: `-`.
//
// 1. The connector is told RJCT only where the credit cannot have been booked: REJECTED, DELIVERY_FAILURE, or the bank's own report.
//    RECONCILIATION tells PDNG.
// 2. A credit is never held, and no close of a day changes it.

import type { Cell, CreditRow } from "./cell.ts";

type Cells = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell];

// prettier-ignore
export const creditTable: Readonly<Record<CreditRow, Cells>> = {
  //                   message     accepted                     refused     acknowledged declined            doubtful stopped  told    untold   made                           not-made                       pending          deadline
  NONE:              ["RECEIVED", "-",                         "-",        "-",         "-",                "-",     "-",     "-",    "-",     "orphan",                      "orphan",                      "orphan",        "-"],
  ORPHAN:            ["RECEIVED", "-",                         "-",        "-",         "-",                "-",     "-",     "-",    "-",     "orphan",                      "orphan",                      "orphan",        "-"],
  RECEIVED:          ["again",    "ACCEPTED DELIVERY_PENDING", "REJECTED", "-",         "-",                "-",     "-",     "-",    "-",     "early",                       "early",                       "early",         "RECONCILIATION"],
  ACCEPTED:          ["again",    "=",                         "=",        "-",         "-",                "-",     "-",     "-",    "-",     "early",                       "early",                       "early",         "RECONCILIATION"], // never rests
  REJECTED:          ["again",    "=",                         "=",        "-",         "-",                "-",     "-",     "told", "row 3", "contradicting",               "contradicting",               "contradicting", "undelivered"],
  DELIVERY_PENDING:  ["again",    "=",                         "=",        "DELIVERED", "DELIVERY_FAILURE", "row 3", "-",     "-",    "-",     "DELIVERED RESPONSE_ACCEPTED", "DELIVERED RESPONSE_ACCEPTED", "DELIVERED",     "RECONCILIATION"],
  DELIVERED:         ["again",    "=",                         "=",        "=",         "=",                "=",     "=",     "-",    "-",     "RESPONSE_ACCEPTED",           "RESPONSE_ACCEPTED",           "pending",       "RECONCILIATION"],
  RESPONSE_ACCEPTED: ["again",    "=",                         "=",        "=",         "=",                "=",     "=",     "told", "row 3", "second",                      "second",                      "late",          "undelivered"],
  DELIVERY_FAILURE:  ["again",    "=",                         "=",        "=",         "=",                "=",     "=",     "told", "row 3", "contradicting",               "contradicting",               "contradicting", "undelivered"],
  RECONCILIATION:    ["again",    "=",                         "=",        "late",      "late",             "late",  "row",   "told", "row 3", "late",                        "late",                        "late",          "="],
};
