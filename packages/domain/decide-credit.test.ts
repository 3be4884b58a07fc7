// The table of credits, cell by cell; then what no row can show alone.

import { expect, test } from "vitest";
import type { CreditColumn, CreditRow } from "./cell.ts";
import { creditColumns, statesOf } from "./cell.ts";
import { creditTable } from "./credit-table.ts";
import type { TransactionFact } from "./fact.ts";
import {
  after,
  bank,
  connector,
  credit,
  creditDelivered,
  creditFailed,
  creditFinal,
  creditPending,
  creditRejected,
  creditReport,
  creditVerdict,
  date,
  dayClosed,
  dayReconciled,
  deadlineMs,
  deadlinePassed,
  ended,
  hex,
  release,
  short,
  tellAll,
} from "./given.ts";
import { answerOf } from "./given-answers.ts";
import type { Step } from "./given.ts";
import { creditCell } from "./table.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

/** How a row is reached; ACCEPTED is passed through and never rests. */
const reachedBy: Readonly<Record<Exclude<CreditRow, "ACCEPTED">, readonly Step[]>> = {
  NONE: [],
  ORPHAN: [creditReport("made", { message: { ...creditReport().message, messageIdentification: "R0" } })],
  RECEIVED: [credit({ deadlineMs })],
  REJECTED: creditRejected,
  DELIVERY_PENDING: creditPending,
  DELIVERED: creditDelivered,
  RESPONSE_ACCEPTED: creditFinal,
  DELIVERY_FAILURE: creditFailed,
  RECONCILIATION: [...creditPending, deadlinePassed()],
};
const rows = Object.keys(reachedBy) as (keyof typeof reachedBy)[];
const cells = rows.flatMap((row) => creditColumns.map((column) => ({ row, column, cell: creditCell(row, column) })));

function factOf(column: CreditColumn): TransactionFact {
  const second = { message: { ...creditReport().message, messageIdentification: `second-${column}` } };
  switch (column) {
    case "message":
      return credit();
    case "accepted":
    case "refused":
      return creditVerdict({ verdict: column });
    case "acknowledged":
    case "stopped":
      return ended("C", column, { anyAnswer: column === "acknowledged" });
    case "declined":
      return ended("C", "refused");
    case "doubtful":
      return ended("C", "refused", { mayHaveBeenTaken: true });
    case "told":
    case "untold":
      return ended("O", column === "told" ? "acknowledged" : "refused");
    case "made":
    case "not-made":
    case "pending":
      return creditReport(column, second);
    case "deadline":
      return deadlinePassed();
    default:
      throw new Error(`no such column: ${String(column satisfies never)}`);
  }
}

test.each(cells)("I6: a credit, $row, $column: $cell", ({ row, column, cell }) => {
  const given = reachedBy[row];
  // The deadline has passed by then: the third record and later.
  const late: readonly Step[] = given.length === 0 ? [] : [release(), release()];
  const before = tellAll(given).transaction;
  const state = row === "NONE" || row === "ORPHAN" ? row : `CREDIT_AUTH_${row}`;
  expect(before?.state ?? "NONE").toBe(state);

  const { transaction, outcomes } = tellAll([...given, ...(column === "deadline" ? late : []), factOf(column)]);

  const path = statesOf("credit", cell) ?? [];
  const entered = (transaction?.transitions ?? []).slice(before?.transitions.length ?? 0).map((entry) => entry.state);
  expect(entered).toEqual(path);
  expect(transaction?.state ?? "NONE").toBe(path.at(-1) ?? (cell === "orphan" ? "ORPHAN" : state));
  expect(outcomes.at(-1)).toMatchObject(answerOf("credit", cell, column, row === "RESPONSE_ACCEPTED" ? "made" : null));
});

test("I5: the deadline column agrees with what is terminal and what is unresolved, and nothing leaves what is terminal", () => {
  for (const row of Object.keys(creditTable) as CreditRow[]) {
    const state = `CREDIT_AUTH_${row}`;
    const paths = creditColumns.map((column) => statesOf("credit", creditCell(row, column)));
    expect(creditCell(row, "deadline") === "RECONCILIATION").toBe(isUnresolved(state));
    expect(paths.some((path) => path !== null)).toBe(!isTerminal(state));
  }
});

test("I6: a good credit goes through its states in order, is forwarded to the bank, and its outcome is told to the connector", () => {
  const { outcomes, transaction } = tellAll([...creditFinal, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(short))).toEqual([
    ["CREDIT_AUTH_RECEIVED"],
    ["CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING", "send:C"],
    ["CREDIT_AUTH_DELIVERED"],
    ["CREDIT_AUTH_RESPONSE_ACCEPTED", "send:O1"],
    [],
  ]);
  expect(transaction).toMatchObject({ flow: "credit", bank, closesWith: "", deadlineMs, outcome: { number: 1, acknowledgedAtMs: 5_000 } });
});

test("each event of a credit carries what was true at its moment: message, time it was made, code; all are inbound [6 content] [D8 direction]", () => {
  const events = tellAll(creditFinal).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
  const shown = events.map(({ state, payload, messageIdentification, messageMadeAtMs, httpStatusCode, direction, flow }) => [
    state.replace("CREDIT_AUTH_", ""),
    payload,
    messageIdentification.slice(-6),
    messageMadeAtMs,
    httpStatusCode,
    direction,
    flow,
  ]);
  expect(shown).toEqual([
    ["RECEIVED", "credit-received", "M1", 1_000, 202, "INBOUND", "credit"],
    ["ACCEPTED", "credit-received", "M1", 2_000, null, "INBOUND", "credit"],
    ["DELIVERY_PENDING", "inbound-credit", "b2c3dC", 2_000, null, "INBOUND", "credit"],
    ["DELIVERED", "inbound-credit", "b2c3dC", 2_000, 202, "INBOUND", "credit"],
    ["RESPONSE_ACCEPTED", "final-report", "R-made", 4_000, 202, "INBOUND", "credit"],
  ]);
  expect(events.every((event) => event.businessDate === date)).toBe(true);
});

test("the credit goes to the creditor's bank until its own deadline, the outcome to the connector without one [D4 identifications]", () => {
  const sent = tellAll(creditFinal).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    {
      operation: "inboundCreditTransferAuthorization",
      form: "inbound-credit",
      state: "CREDIT_AUTH_DELIVERY_PENDING",
      messageIdentification: `${hex}C`,
      receiver: bank,
      closesWith: null,
      deadlineMs: null,
      stopsAtMs: deadlineMs,
    },
    {
      operation: "inboundCreditTransferAuthorizationResponse",
      form: "outcome-report",
      state: "CREDIT_AUTH_RESPONSE_ACCEPTED",
      messageIdentification: `${hex}O1`,
      receiver: connector,
      closesWith: null,
      deadlineMs: null,
      stopsAtMs: null,
    },
  ]);
});

test("a refused credit is never sent to the bank: the connector is told RJCT, and that is the message its event shows [D7 CREDIT_AUTH_REJECTED]", () => {
  const { last } = after(...creditRejected);
  expect(last.outputs.map(short)).toEqual(["CREDIT_AUTH_REJECTED", "send:O1"]);
  expect(last.outputs).toMatchObject([
    { payload: "outcome-report", messageIdentification: `${hex}O1`, messageMadeAtMs: 2_000, httpStatusCode: null },
    { form: "outcome-report", state: "CREDIT_AUTH_REJECTED", receiver: connector },
  ]);
});

test("a refusal by the bank with no attempt left unanswered ends the credit: told RJCT, and the parked delivery is stopped [D7 CREDIT_AUTH_DELIVERY_FAILURE]", () => {
  const { last, transaction } = after(...creditFailed);
  expect(last.outputs.map(short)).toEqual(["CREDIT_AUTH_DELIVERY_FAILURE", "send:O1", "stop:C"]);
  expect(last).toMatchObject({ decision: "applied", reason: "refused-by-bank" });
  expect(transaction.transitions.at(-1)).toMatchObject({ httpStatusCode: 400, messageIdentification: `${hex}C` });
  expect(transaction.items).toEqual([]);
  const noCode = after(...creditPending, ended("C", "refused", { httpStatusCode: null }));
  expect(noCode.transaction.transitions.at(-1)).toMatchObject({ state: "CREDIT_AUTH_DELIVERY_FAILURE", httpStatusCode: null });
});

test("a refusal after an attempt that may have been taken ends nothing: an item, row 3, is shown, and nobody is told RJCT [7.3] [D3 not-recoverable]", () => {
  const doubtful = ended("C", "refused", { mayHaveBeenTaken: true });
  const { last, transaction, states } = after(...creditPending, doubtful);
  expect(last.outputs).toEqual([]);
  expect(states.at(-1)).toBe("CREDIT_AUTH_DELIVERY_PENDING");
  expect(transaction.items).toMatchObject([{ row: 3, day: `ZA_EFT:${date}`, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
  const redriven = after(...creditPending, doubtful, ended("C", "refused"));
  expect(redriven.states.at(-1)).toBe("CREDIT_AUTH_DELIVERY_PENDING");
  const acknowledged = after(...creditPending, doubtful, ended("C"));
  expect(acknowledged.transaction).toMatchObject({ state: "CREDIT_AUTH_DELIVERED", items: [{ row: 3, settledAtMs: 4_000 }] });
});

test("a report in DELIVERY_PENDING proves delivery: DELIVERED, then RESPONSE_ACCEPTED, and the delivery stops; either way the credit is final", () => {
  for (const outcome of ["made", "not-made"] as const) {
    const { last, transaction } = after(...creditPending, creditReport(outcome));
    expect(last.outputs.map(short)).toEqual(["CREDIT_AUTH_DELIVERED", "stop:C", "CREDIT_AUTH_RESPONSE_ACCEPTED", "send:O1"]);
    expect(transaction).toMatchObject({ finalOutcome: outcome, finalReport: { messageIdentification: `R-${outcome}` } });
    expect(transaction.transitions.map((entry) => entry.httpStatusCode)).toEqual([202, null, null, null, 202]);
  }
  const { last } = after(...creditPending, creditReport("pending"));
  expect(last.outputs.map(short)).toEqual(["CREDIT_AUTH_DELIVERED", "stop:C"]);
});

test("PDNG from the bank leaves DELIVERED, and the report that follows it is applied [D6 PDNG]", () => {
  const pending = after(...creditDelivered, creditReport("pending"));
  expect(pending.last).toMatchObject({ decision: "remarked", reason: "report-pending", outputs: [] });
  expect(pending.states.at(-1)).toBe("CREDIT_AUTH_DELIVERED");
  expect(after(...creditDelivered, creditReport("pending"), creditReport()).states.at(-1)).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
});

test("the verdict replaces the provisional date and deadline of a credit; the bank that was known on receipt stays", () => {
  const { transaction } = after(
    credit({ businessDate: "2026-11-19" }),
    creditVerdict({ businessDate: date, deadlineMs: 99, bank: "bank-b" }),
  );
  expect(transaction).toMatchObject({ businessDate: date, deadlineMs: 99, bank });
  expect(transaction.transitions.map((entry) => entry.businessDate)).toEqual(["2026-11-19", date, date]);
});

test("no window, gate or close of a day means anything to a credit", () => {
  expect(after(...creditPending, release()).last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(after(...creditPending, dayReconciled(), dayClosed()).last).toMatchObject({ decision: "refused", reason: "other-day" });
  expect(after(credit()).transaction.closesWith).toBe("");
  expect(after(dayReconciled(), ...creditFinal).states.at(-1)).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
});
