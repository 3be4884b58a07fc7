// The table of credits, cell by cell; then what no single cell shows.

import { expect, test } from "vitest";
import { type CreditColumn, creditColumns, type CreditRow, parsePath } from "./tables/cell.ts";
import { creditTable } from "./tables/credit-table.ts";
import type { TransactionFact } from "../fact.ts";
import {
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
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
} from "../given.fixture.ts";
import { expectedResult } from "./answers.fixture.ts";
import { creditCell } from "./tables/find-cell.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

/** The steps that lead to each row. ACCEPTED is only passed through. */
const reachedBy: Readonly<Record<Exclude<CreditRow, "ACCEPTED">, readonly SequenceStep[]>> = {
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

function buildFact(column: CreditColumn): TransactionFact {
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
    case "outcome-acked":
    case "outcome-refused":
      return ended("O", column === "outcome-acked" ? "acknowledged" : "refused");
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
  // From the third record on the deadline has passed.
  const late: readonly SequenceStep[] = given.length === 0 ? [] : [release(), release()];
  const before = runSteps(given).transaction;
  const state = row === "NONE" || row === "ORPHAN" ? row : `CREDIT_AUTH_${row}`;
  expect(before?.state ?? "NONE").toBe(state);

  const { transaction, outcomes } = runSteps([...given, ...(column === "deadline" ? late : []), buildFact(column)]);

  const path = parsePath("credit", cell) ?? [];
  const entered = (transaction?.transitions ?? []).slice(before?.transitions.length ?? 0).map((entry) => entry.state);
  expect(entered).toEqual(path);
  expect(transaction?.state ?? "NONE").toBe(path.at(-1) ?? (cell === "orphan" ? "ORPHAN" : state));
  expect(outcomes.at(-1)).toMatchObject(expectedResult("credit", cell, column, row === "RESPONSE_ACCEPTED" ? "made" : null));
});

test("I5: the deadline column agrees with the terminal and the unresolved states, and nothing leaves a terminal state", () => {
  for (const row of Object.keys(creditTable) as CreditRow[]) {
    const state = `CREDIT_AUTH_${row}`;
    const paths = creditColumns.map((column) => parsePath("credit", creditCell(row, column)));
    expect(creditCell(row, "deadline") === "RECONCILIATION").toBe(isUnresolved(state));
    expect(paths.some((path) => path !== null)).toBe(!isTerminal(state));
  }
});

test("I6: a good credit goes through its states in order, is forwarded to the bank, and the connector gets its outcome report [D7.28]", () => {
  const { outcomes, transaction } = runSteps([...creditFinal, ended("O")]);
  expect(outcomes.map((outcome) => outcome.outputs.map(shortName))).toEqual([
    ["CREDIT_AUTH_RECEIVED"],
    ["CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_DELIVERY_PENDING", "send:C"],
    ["CREDIT_AUTH_DELIVERED"],
    ["CREDIT_AUTH_RESPONSE_ACCEPTED", "send:O1"],
    [],
  ]);
  expect(transaction).toMatchObject({
    flow: "credit",
    bank,
    reconciliationDay: null,
    deadlineMs,
    outcomeReport: { number: 1, acknowledgedAtMs: 5_000 },
  });
});

test("each event of a credit shows the message, its time and the status code of its moment, and all are inbound [6 content] [D8 direction]", () => {
  const events = runSteps(creditFinal).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
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

test("the credit goes to the creditor's bank until its deadline, the outcome report to the connector without a deadline [D4 identifications]", () => {
  const sent = runSteps(creditFinal).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    {
      operation: "inboundCreditTransferAuthorization",
      form: "inbound-credit",
      state: "CREDIT_AUTH_DELIVERY_PENDING",
      messageIdentification: `${hex}C`,
      receiver: bank,
      reconciliationDay: null,
      deadlineMs: null,
      stopsAtMs: deadlineMs,
    },
    {
      operation: "inboundCreditTransferAuthorizationResponse",
      form: "outcome-report",
      state: "CREDIT_AUTH_RESPONSE_ACCEPTED",
      messageIdentification: `${hex}O1`,
      receiver: connector,
      reconciliationDay: null,
      deadlineMs: null,
      stopsAtMs: null,
    },
  ]);
});

test("a refused credit is never sent to the bank: the connector is sent RJCT, which is the message of its event [D7 CREDIT_AUTH_REJECTED]", () => {
  const { last } = stateAfter(...creditRejected);
  expect(last.outputs.map(shortName)).toEqual(["CREDIT_AUTH_REJECTED", "send:O1"]);
  expect(last.outputs).toMatchObject([
    { payload: "outcome-report", messageIdentification: `${hex}O1`, messageMadeAtMs: 2_000, httpStatusCode: null },
    { form: "outcome-report", state: "CREDIT_AUTH_REJECTED", receiver: connector },
  ]);
});

test("a refusal by the bank with every attempt answered ends the credit: the connector is sent RJCT and the parked delivery is stopped [D7 CREDIT_AUTH_DELIVERY_FAILURE]", () => {
  const { last, transaction } = stateAfter(...creditFailed);
  expect(last.outputs.map(shortName)).toEqual(["CREDIT_AUTH_DELIVERY_FAILURE", "send:O1", "stop:C"]);
  expect(last).toMatchObject({ decision: "applied", reason: "refused-by-bank" });
  expect(transaction.transitions.at(-1)).toMatchObject({ httpStatusCode: 400, messageIdentification: `${hex}C` });
  expect(transaction.items).toEqual([]);
  const noCode = stateAfter(...creditPending, ended("C", "refused", { httpStatusCode: null }));
  expect(noCode.transaction.transitions.at(-1)).toMatchObject({ state: "CREDIT_AUTH_DELIVERY_FAILURE", httpStatusCode: null });
});

test("a refusal after an attempt that the bank may have accepted ends nothing: an item of row 3 is shown, and nobody is sent RJCT [7.3] [D3 not-recoverable]", () => {
  const doubtful = ended("C", "refused", { mayHaveBeenTaken: true });
  const { last, transaction, states } = stateAfter(...creditPending, doubtful);
  expect(last.outputs).toEqual([]);
  expect(states.at(-1)).toBe("CREDIT_AUTH_DELIVERY_PENDING");
  expect(transaction.items).toMatchObject([{ row: 3, day: `ZA_EFT:${date}`, evidence: { httpStatusCode: 400 }, settledAtMs: null }]);
  const redriven = stateAfter(...creditPending, doubtful, ended("C", "refused"));
  expect(redriven.states.at(-1)).toBe("CREDIT_AUTH_DELIVERY_PENDING");
  const acknowledged = stateAfter(...creditPending, doubtful, ended("C"));
  expect(acknowledged.transaction).toMatchObject({ state: "CREDIT_AUTH_DELIVERED", items: [{ row: 3, settledAtMs: 4_000 }] });
});

test("a report in DELIVERY_PENDING proves the delivery: DELIVERED, then RESPONSE_ACCEPTED, and the delivery stops; with either outcome the credit is final", () => {
  for (const outcome of ["made", "not-made"] as const) {
    const { last, transaction } = stateAfter(...creditPending, creditReport(outcome));
    expect(last.outputs.map(shortName)).toEqual(["CREDIT_AUTH_DELIVERED", "stop:C", "CREDIT_AUTH_RESPONSE_ACCEPTED", "send:O1"]);
    expect(transaction).toMatchObject({ finalOutcome: outcome, finalReport: { messageIdentification: `R-${outcome}` } });
    expect(transaction.transitions.map((entry) => entry.httpStatusCode)).toEqual([202, null, null, null, 202]);
  }
  const { last } = stateAfter(...creditPending, creditReport("pending"));
  expect(last.outputs.map(shortName)).toEqual(["CREDIT_AUTH_DELIVERED", "stop:C"]);
});

test("PDNG from the bank leaves DELIVERED, and the report that follows it is applied [D6 PDNG]", () => {
  const pending = stateAfter(...creditDelivered, creditReport("pending"));
  expect(pending.last).toMatchObject({ decision: "recorded", reason: "report-pending", outputs: [] });
  expect(pending.states.at(-1)).toBe("CREDIT_AUTH_DELIVERED");
  expect(stateAfter(...creditDelivered, creditReport("pending"), creditReport()).states.at(-1)).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
});

test("the verdict replaces the provisional date and deadline of a credit, but not the bank that was known on receipt", () => {
  const { transaction } = stateAfter(
    credit({ businessDate: "2026-11-19" }),
    creditVerdict({ businessDate: date, deadlineMs: 99, bank: "bank-b" }),
  );
  expect(transaction).toMatchObject({ businessDate: date, deadlineMs: 99, bank });
  expect(transaction.transitions.map((entry) => entry.businessDate)).toEqual(["2026-11-19", date, date]);
});

test("no window, gate or close of a day changes a credit [D7.28]", () => {
  expect(stateAfter(...creditPending, release()).last).toMatchObject({ decision: "refused", reason: "not-in-this-state" });
  expect(stateAfter(...creditPending, dayReconciled(), dayClosed()).last).toMatchObject({ decision: "refused", reason: "other-day" });
  expect(stateAfter(credit()).transaction.reconciliationDay).toBeNull();
  expect(stateAfter(dayReconciled(), ...creditFinal).states.at(-1)).toBe("CREDIT_AUTH_RESPONSE_ACCEPTED");
});
