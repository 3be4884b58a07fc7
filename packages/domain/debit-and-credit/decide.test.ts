// The table of debits, cell by cell; then what no single cell shows.

import { expect, test } from "vitest";
import { type Cell, type DebitColumn, debitColumns, type DebitRow, parsePath } from "./tables/cell.ts";
import { debitTable } from "./tables/debit-table.ts";
import type { TransactionFact } from "../fact.ts";
import {
  acceptedSteps,
  completedSteps,
  date,
  dayClosed,
  dayReconciled,
  debit,
  deliveredSteps,
  ended,
  heldSteps,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  offUsVerdict,
  openDay,
  rejectedSteps,
  release,
  releasedSteps,
  report,
  runSteps,
  type SequenceStep,
  shortName,
  stateAfter,
  stepPosition,
  today,
  tomorrow,
  verdict,
} from "../given.fixture.ts";
import { expectedResult } from "./answers.fixture.ts";
import { dayVoid, withdrawal } from "./decisions.fixture.ts";
import { debitCell } from "./tables/find-cell.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

/** The steps that lead to each row. REPORTED is only passed through. */
const reachedBy: Readonly<Record<Exclude<DebitRow, "REPORTED">, readonly SequenceStep[]>> = {
  NONE: [],
  ORPHAN: [report("made", { message: { ...report().message, messageIdentification: "R0" } })],
  "RECEIVED on-us": [debit()],
  "RECEIVED off-us": [offUsDebit()],
  ACCEPTED: acceptedSteps,
  REJECTED: rejectedSteps,
  REJECTION_REPORTED: [...rejectedSteps, ended("R")],
  HELD: [...heldSteps, ...openDay],
  RELEASED: releasedSteps,
  DELIVERED: deliveredSteps,
  COMPLETED: completedSteps,
  UNPAID: [...deliveredSteps, report("not-made")],
  RECONCILIATION: [...releasedSteps, dayReconciled(), dayClosed()],
};
/** The same off-us, where ACCEPTED is only passed through too. */
const reachedOffUsBy: Readonly<Partial<Record<DebitRow, readonly SequenceStep[]>>> = {
  "RECEIVED off-us": [offUsDebit()],
  REJECTED: offUsRejected,
  REJECTION_REPORTED: [...offUsRejected, ended("O")],
  HELD: [...offUsHeld, ...openDay],
  RELEASED: offUsReleased,
  DELIVERED: offUsDelivered,
  COMPLETED: offUsCompleted,
  UNPAID: [...offUsDelivered, report("not-made")],
  RECONCILIATION: [...offUsReleased, dayReconciled(), dayClosed()],
};
const cases = [
  ...(Object.keys(reachedBy) as (keyof typeof reachedBy)[]).map((row) => ({ flow: rowFlow(row), row, given: reachedBy[row] })),
  ...(Object.keys(reachedOffUsBy) as DebitRow[]).map((row) => ({ flow: "off-us" as const, row, given: reachedOffUsBy[row] ?? [] })),
];
const cells = cases.flatMap((one) => debitColumns.map((column) => ({ ...one, column, cell: debitCell(one.row, column) })));

function rowFlow(row: DebitRow): "on-us" | "off-us" {
  return row === "RECEIVED off-us" ? "off-us" : "on-us";
}

/** The letter of the delivery that the state waits for, or waited for last. */
function awaitedLetter(flow: "on-us" | "off-us", row: DebitRow): "A" | "R" | "D" {
  if (flow === "off-us") return "D";
  if (row === "ACCEPTED" || row === "HELD") return "A";
  return row === "REJECTED" || row === "REJECTION_REPORTED" ? "R" : "D";
}

function buildFact(flow: "on-us" | "off-us", row: DebitRow, column: DebitColumn): TransactionFact {
  const second = { message: { ...report().message, messageIdentification: `second-${column}` } };
  const isOnUs = flow === "on-us";
  switch (column) {
    case "message":
      return isOnUs ? debit() : offUsDebit();
    case "accepted":
    case "refused":
      return isOnUs ? verdict({ verdict: column }) : offUsVerdict({ verdict: column });
    case "release":
      return release();
    case "acknowledged":
    case "stopped":
      return ended(awaitedLetter(flow, row), column);
    case "declined":
      return ended(awaitedLetter(flow, row), "refused");
    case "outcome-acked":
    case "outcome-refused":
      return ended("O", column === "outcome-acked" ? "acknowledged" : "refused");
    case "made":
    case "not-made":
    case "pending":
      return report(column, second);
    case "withdrawn":
      return withdrawal();
    case "last-close":
    case "close":
      return dayClosed();
    default:
      throw new Error(`no such column: ${String(column satisfies never)}`);
  }
}

/**
 * True for a delivery that this flow never sends up to this row: it is refused, whatever the cell says for the other
 * flow.
 */
function isNeverSent(flow: "on-us" | "off-us", row: DebitRow, column: DebitColumn): boolean {
  if (column === "outcome-acked" || column === "outcome-refused") {
    return flow === "on-us" || !["REJECTED", "REJECTION_REPORTED", "COMPLETED", "UNPAID"].includes(row);
  }
  const isOfDelivery = column === "acknowledged" || column === "declined" || column === "stopped";
  return isOfDelivery && flow === "off-us" && ["RECEIVED off-us", "REJECTED", "REJECTION_REPORTED", "HELD"].includes(row);
}

function reportedOutcome(row: DebitRow): string | null {
  if (row === "COMPLETED") return "made";
  return row === "UNPAID" ? "not-made" : null;
}

test.each(cells)("I6: $flow, $row, $column: $cell", ({ flow, row, column, cell, given }) => {
  const markers: Readonly<Partial<Record<DebitColumn, SequenceStep>>> = { close: dayReconciled(), "last-close": dayVoid() };
  const steps = [...given, ...[markers[column] ?? []].flat()];
  const before = runSteps(given).transaction;
  const state = row.replace(/ .*/, "");
  expect(before?.state ?? "NONE").toBe(state);

  const { transaction, outcomes } = runSteps([...steps, buildFact(flow, row, column)]);

  const expected: Cell = isNeverSent(flow, row, column) ? "-" : cell;
  const path = parsePath(flow, expected) ?? [];
  const entered = (transaction?.transitions ?? []).slice(before?.transitions.length ?? 0).map((entry) => entry.state);
  expect(entered).toEqual(path);
  expect(transaction?.state ?? "NONE").toBe(path.at(-1) ?? (expected === "orphan" ? "ORPHAN" : state));
  expect(outcomes.at(-1)).toMatchObject(expectedResult(flow, expected, column, reportedOutcome(row)));
});

test("I5: the close column agrees with the terminal and the unresolved states, and nothing leaves a terminal state", () => {
  for (const row of Object.keys(debitTable) as DebitRow[]) {
    const state = row.replace(/ .*/, "");
    const paths = debitColumns.map((column) => parsePath("on-us", debitCell(row, column)));
    expect(debitCell(row, "close") === "RECONCILIATION").toBe(isUnresolved(state));
    expect(paths.some((path) => path !== null)).toBe(!isTerminal(state));
  }
});

test("I6: a good on-us debit goes through its seven states in order, each with its outputs [3 seven-events] [D7.10]", () => {
  expect(runSteps(completedSteps).outcomes.map((outcome) => outcome.outputs.map(shortName))).toEqual([
    ["RECEIVED"],
    ["ACCEPTED", "send:A"],
    ["REPORTED", "HELD"],
    ["RELEASED", "send:D"],
    ["DELIVERED"],
    ["COMPLETED"],
  ]);
});

test("each event shows the message, time, status code and direction of its moment [D7.5] [D8.11] [D8.12]", () => {
  const events = runSteps(completedSteps).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
  const shown = events.map(({ state, payload, messageIdentification, messageMadeAtMs, httpStatusCode, direction }) => [
    state,
    payload,
    messageIdentification.slice(-6),
    messageMadeAtMs,
    httpStatusCode,
    direction,
  ]);
  expect(shown).toEqual([
    ["RECEIVED", "debit-received", "M1", 1_000, 202, "OUTBOUND"],
    ["ACCEPTED", "report-accepted", "b2c3dA", 2_000, null, "OUTBOUND"],
    ["REPORTED", "report-accepted", "b2c3dA", 2_000, 202, "OUTBOUND"],
    ["HELD", "debit-received", "M1", 3_000, null, "OUTBOUND"],
    ["RELEASED", "inbound-debit", "b2c3dD", 6_000, null, "INBOUND"],
    ["DELIVERED", "inbound-debit", "b2c3dD", 6_000, 202, "INBOUND"],
    ["COMPLETED", "final-report", "R-made", 8_000, 202, "INBOUND"],
  ]);
  expect(events.map((event) => event.businessDate)).toEqual(Array.from({ length: 7 }, () => date));
  expect(new Set(events.map((event) => event.id)).size).toBe(7);
  expect(events.every((event) => /^[0-9a-f]{32}$/.test(event.id))).toBe(true);
});

test("the report goes to the sender and the debit to the verdict's bank, both under the UETR and until the day's close", () => {
  const steps = [debit(), verdict({ bank: "bank-b" }), ended("A"), ...openDay, release({ bank: "bank-b" })];
  const sent = runSteps(steps).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    { operation: "outboundDirectDebitResponse", form: "report-accepted", receiver: "bank-a", reconciliationDay: today, deadlineMs: null },
    { operation: "inboundDirectDebit", form: "inbound-debit", receiver: "bank-b", reconciliationDay: today, deadlineMs: null },
  ]);
  expect(new Set(sent.map((output) => output.deliveryKey)).size).toBe(1);
});

test("a debit with a bad account is answered RJCT and ends when the bank has acknowledged that [7.6]", () => {
  const { states, transaction } = stateAfter(...rejectedSteps, ended("R"));
  expect(states).toEqual(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]);
  expect(transaction.transitions.at(-1)).toMatchObject({ httpStatusCode: 202, businessDate: date });
});

test("the business date before the verdict is that of the provisional close; the verdict replaces date and close", () => {
  const { transaction } = stateAfter(debit(), verdict({ businessDate: "2026-11-23", reconciliationDay: tomorrow }));
  expect(transaction.transitions.map((entry) => [entry.businessDate, entry.reconciliationDay])).toEqual([
    [date, today],
    ["2026-11-23", tomorrow],
  ]);
});

test("a verdict on a message with other content, identification or sender is refused", () => {
  const judged = verdict().validatedMessage;
  for (const other of [{ contentHash: "x" }, { messageIdentification: "M2" }, { sender: "bank-b" }]) {
    const { last, states } = stateAfter(debit(), verdict({ validatedMessage: { ...judged, ...other } }));
    expect(last).toMatchObject({ decision: "refused", reason: "other-message-validated", outputs: [] });
    expect(states).toEqual(["RECEIVED"]);
  }
});

test("a DeliveryEnded for a message that was never sent is refused", () => {
  expect(stateAfter(...acceptedSteps, ended("D")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  expect(stateAfter(...acceptedSteps, ended("R")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  const unknown = { ...ended("A"), messageIdentification: `X${"0".repeat(34)}` };
  expect(stateAfter(...acceptedSteps, unknown).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("a fact under an unknown UETR is refused and leaves nothing", () => {
  for (const fact of [verdict(), release(), ended("A"), dayClosed()]) {
    expect(runSteps([fact])).toMatchObject({ transaction: null, outcomes: [{ decision: "refused", outputs: [] }] });
  }
});

test("every record is applied: version counts them, and applied is the offset of the last", () => {
  const { transaction } = stateAfter(...completedSteps, debit(), release(), dayClosed());
  expect(transaction.version).toBe(completedSteps.length - openDay.length + 3);
  expect(transaction.applied).toBe(stepPosition(completedSteps.length + 2).offset);
});
