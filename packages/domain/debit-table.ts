// All that can happen to a direct debit: states × facts.
//
// A cell says the states entered, in order; `=` already so (safe twice); `-` refused; a small word: recorded beside the state (`cell.ts`).
// message: a debit or credit under this UETR. accepted, refused: the verdict. made, not-made, pending: the bank's report. withdrawn: an operator
// takes it back before it was sent. over: the marker after which the business date releases nothing more, its last WindowClosed or its DayVoid; HELD
// is entered again, for the next business date, as far as it may roll (`rolling.ts`). close: the marker DayReconciled of `closesWith`.
// acknowledged, declined (a not-recoverable answer), stopped: of the delivery that the state waits for. On-us: A in ACCEPTED, R in REJECTED,
// D in RELEASED; off-us: D in RELEASED; in RECONCILIATION the one that the close stopped.
// told, untold: off-us, the connector acknowledged or declined the outcome (O) of REJECTED, COMPLETED or UNPAID, which nothing stops.
// Of another delivery that was sent: `=`, and a declined one, which stays parked until it is told otherwise, is stopped again. Of one never
// sent: `-`; so on-us nothing is told, and off-us nothing but D is acknowledged.
// Beside the states and so without a column: a delivery redriven (`on-redrive.ts`), an item resolved and the connector told (`on-resolution.ts`),
// records put aside, while message, accepted, refused, made, not-made and pending are not judged (`on-put-aside.ts`).

import type { Cell, DebitRow } from "./cell.ts";

type Cells = readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell];

// prettier-ignore
export const debitTable: Readonly<Record<DebitRow, Cells>> = {
  //                   message     accepted         refused     release     acknowledged          declined  stopped  told                  untold   made                   not-made            pending          withdrawn         over    close
  NONE:               ["RECEIVED", "-",             "-",        "-",        "-",                  "-",      "-",     "-",                  "-",     "orphan",              "orphan",           "orphan",        "-",              "-",    "-"],
  ORPHAN:             ["RECEIVED", "-",             "-",        "-",        "-",                  "-",      "-",     "-",                  "-",     "orphan",              "orphan",           "orphan",        "-",              "-",    "-"],
  "RECEIVED on-us":   ["again",    "ACCEPTED",      "REJECTED", "-",        "-",                  "-",      "-",     "-",                  "-",     "early",               "early",            "early",         "-",              "=",    "RECONCILIATION"],
  "RECEIVED off-us":  ["again",    "ACCEPTED HELD", "REJECTED", "-",        "-",                  "-",      "-",     "-",                  "-",     "early",               "early",            "early",         "-",              "=",    "RECONCILIATION"],
  ACCEPTED:           ["again",    "=",             "=",        "-",        "REPORTED HELD",      "row 3",  "-",     "-",                  "-",     "early",               "early",            "early",         "RECONCILIATION", "=",    "RECONCILIATION"], // off-us it never rests
  REJECTED:           ["again",    "=",             "=",        "-",        "REJECTION_REPORTED", "row 3",  "-",     "REJECTION_REPORTED", "row 3", "contradicting",       "contradicting",    "contradicting", "-",              "=",    "RECONCILIATION"],
  REJECTION_REPORTED: ["again",    "=",             "=",        "-",        "=",                  "=",      "=",     "=",                  "=",     "contradicting",       "contradicting",    "contradicting", "-",              "=",    "="],
  REPORTED:           ["again",    "=",             "=",        "-",        "=",                  "=",      "=",     "-",                  "-",     "early",               "early",            "early",         "RECONCILIATION", "=",    "RECONCILIATION"], // on-us alone, never rests
  HELD:               ["again",    "=",             "=",        "RELEASED", "=",                  "=",      "=",     "-",                  "-",     "early",               "early",            "early",         "RECONCILIATION", "HELD", "RECONCILIATION"],
  RELEASED:           ["again",    "=",             "=",        "=",        "DELIVERED",          "row 3",  "-",     "-",                  "-",     "DELIVERED COMPLETED", "DELIVERED UNPAID", "DELIVERED",     "-",              "=",    "RECONCILIATION"],
  DELIVERED:          ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "-",                  "-",     "COMPLETED",           "UNPAID",           "pending",       "-",              "=",    "RECONCILIATION"],
  COMPLETED:          ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "told",               "row 3", "second",              "second",           "late",          "-",              "=",    "undelivered"],
  UNPAID:             ["again",    "=",             "=",        "=",        "=",                  "=",      "=",     "told",               "row 3", "second",              "second",           "late",          "-",              "=",    "undelivered"],
  RECONCILIATION:     ["again",    "=",             "=",        "-",        "late",               "late",   "row",   "late",               "late",  "late",                "late",             "late",          "-",              "=",    "="],
};
