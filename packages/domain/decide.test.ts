// The table, cell by cell; then what no row can show alone.

import { expect, test } from "vitest";
import type { Cell, DebitColumn, DebitRow } from "./cell.ts";
import { debitColumns, statesOf } from "./cell.ts";
import { debitTable } from "./debit-table.ts";
import type { TransactionFact } from "./fact.ts";
import {
  accepted,
  after,
  completed,
  date,
  dayClosed,
  dayReconciled,
  debit,
  delivered,
  ended,
  held,
  offUsCompleted,
  offUsDebit,
  offUsDelivered,
  offUsHeld,
  offUsRejected,
  offUsReleased,
  offUsVerdict,
  openDay,
  placeOf,
  rejected,
  release,
  released,
  report,
  short,
  tellAll,
  today,
  tomorrow,
  verdict,
} from "./given.ts";
import type { Step } from "./given.ts";
import { answerOf } from "./given-answers.ts";
import { dayVoid, withdrawal } from "./given-decisions.ts";
import { debitCell } from "./table.ts";
import { isTerminal, isUnresolved } from "./transaction.ts";

/** How a row is reached; REPORTED is passed through and never rests. */
const reachedBy: Readonly<Record<Exclude<DebitRow, "REPORTED">, readonly Step[]>> = {
  NONE: [],
  ORPHAN: [report("made", { message: { ...report().message, messageIdentification: "R0" } })],
  "RECEIVED on-us": [debit()],
  "RECEIVED off-us": [offUsDebit()],
  ACCEPTED: accepted,
  REJECTED: rejected,
  REJECTION_REPORTED: [...rejected, ended("R")],
  HELD: [...held, ...openDay],
  RELEASED: released,
  DELIVERED: delivered,
  COMPLETED: completed,
  UNPAID: [...delivered, report("not-made")],
  RECONCILIATION: [...released, dayReconciled(), dayClosed()],
};
/** The same off-us; ACCEPTED too is passed through. */
const reachedOffUsBy: Readonly<Partial<Record<DebitRow, readonly Step[]>>> = {
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

/** The delivery that the state waits for, or the last that it waited for. */
function letterOf(flow: "on-us" | "off-us", row: DebitRow): "A" | "R" | "D" {
  if (flow === "off-us") return "D";
  if (row === "ACCEPTED" || row === "HELD") return "A";
  return row === "REJECTED" || row === "REJECTION_REPORTED" ? "R" : "D";
}

function factOf(flow: "on-us" | "off-us", row: DebitRow, column: DebitColumn): TransactionFact {
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
      return ended(letterOf(flow, row), column);
    case "declined":
      return ended(letterOf(flow, row), "refused");
    case "told":
    case "untold":
      return ended("O", column === "told" ? "acknowledged" : "refused");
    case "made":
    case "not-made":
    case "pending":
      return report(column, second);
    case "withdrawn":
      return withdrawal();
    case "over":
    case "close":
      return dayClosed();
    default:
      throw new Error(`no such column: ${String(column satisfies never)}`);
  }
}

/** A delivery that this flow does not send before or in the row: refused, whatever the cell says of the other flow. */
function isNeverSent(flow: "on-us" | "off-us", row: DebitRow, column: DebitColumn): boolean {
  if (column === "told" || column === "untold") {
    return flow === "on-us" || !["REJECTED", "REJECTION_REPORTED", "COMPLETED", "UNPAID"].includes(row);
  }
  const isOfDelivery = column === "acknowledged" || column === "declined" || column === "stopped";
  return isOfDelivery && flow === "off-us" && ["RECEIVED off-us", "REJECTED", "REJECTION_REPORTED", "HELD"].includes(row);
}

function outcomeOf(row: DebitRow): string | null {
  if (row === "COMPLETED") return "made";
  return row === "UNPAID" ? "not-made" : null;
}

test.each(cells)("I6: $flow, $row, $column: $cell", ({ flow, row, column, cell, given }) => {
  const markers: Readonly<Partial<Record<DebitColumn, Step>>> = { close: dayReconciled(), over: dayVoid() };
  const steps = [...given, ...[markers[column] ?? []].flat()];
  const before = tellAll(given).transaction;
  const state = row.replace(/ .*/, "");
  expect(before?.state ?? "NONE").toBe(state);

  const { transaction, outcomes } = tellAll([...steps, factOf(flow, row, column)]);

  const met: Cell = isNeverSent(flow, row, column) ? "-" : cell;
  const path = statesOf(flow, met) ?? [];
  const entered = (transaction?.transitions ?? []).slice(before?.transitions.length ?? 0).map((entry) => entry.state);
  expect(entered).toEqual(path);
  expect(transaction?.state ?? "NONE").toBe(path.at(-1) ?? (met === "orphan" ? "ORPHAN" : state));
  expect(outcomes.at(-1)).toMatchObject(answerOf(flow, met, column, outcomeOf(row)));
});

test("I5: the close column agrees with what is terminal and what is unresolved, and nothing leaves what is terminal", () => {
  for (const row of Object.keys(debitTable) as DebitRow[]) {
    const state = row.replace(/ .*/, "");
    const paths = debitColumns.map((column) => statesOf("on-us", debitCell(row, column)));
    expect(debitCell(row, "close") === "RECONCILIATION").toBe(isUnresolved(state));
    expect(paths.some((path) => path !== null)).toBe(!isTerminal(state));
  }
});

test("I6: a good on-us debit goes through its seven states in order, each with its outputs [3 seven-events]", () => {
  expect(tellAll(completed).outcomes.map((outcome) => outcome.outputs.map(short))).toEqual([
    ["RECEIVED"],
    ["ACCEPTED", "send:A"],
    ["REPORTED", "HELD"],
    ["RELEASED", "send:D"],
    ["DELIVERED"],
    ["COMPLETED"],
  ]);
});

test("each event carries what was true at its moment: message, time it was made, code, direction", () => {
  const events = tellAll(completed).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "event"));
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

test("the report goes to the sender and the debit to the bank of the verdict, both under the UETR and closed by the day", () => {
  const steps = [debit(), verdict({ bank: "bank-b" }), ended("A"), ...openDay, release({ bank: "bank-b" })];
  const sent = tellAll(steps).outcomes.flatMap(({ outputs }) => outputs.filter((output) => output.kind === "dispatch"));
  expect(sent).toMatchObject([
    { operation: "outboundDirectDebitResponse", form: "report-accepted", receiver: "bank-a", closesWith: today, deadlineMs: null },
    { operation: "inboundDirectDebit", form: "inbound-debit", receiver: "bank-b", closesWith: today, deadlineMs: null },
  ]);
  expect(new Set(sent.map((output) => output.deliveryKey)).size).toBe(1);
});

test("a bad account is answered RJCT and ends when the bank has acknowledged that [7.6]", () => {
  const { states, transaction } = after(...rejected, ended("R"));
  expect(states).toEqual(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]);
  expect(transaction.transitions.at(-1)).toMatchObject({ httpStatusCode: 202, businessDate: date });
});

test("before the verdict the business date is that of the provisional close; the verdict replaces date and close", () => {
  const { transaction } = after(debit(), verdict({ businessDate: "2026-11-23", closesWith: tomorrow }));
  expect(transaction.transitions.map((entry) => [entry.businessDate, entry.closesWith])).toEqual([
    [date, today],
    ["2026-11-23", tomorrow],
  ]);
});

test("a verdict on another message is refused: other content, other identification, other sender", () => {
  const judged = verdict().judged;
  for (const other of [{ contentHash: "x" }, { messageIdentification: "M2" }, { sender: "bank-b" }]) {
    const { last, states } = after(debit(), verdict({ judged: { ...judged, ...other } }));
    expect(last).toMatchObject({ decision: "refused", reason: "other-message-judged", outputs: [] });
    expect(states).toEqual(["RECEIVED"]);
  }
});

test("a DeliveryEnded of a message that was never sent is refused", () => {
  expect(after(...accepted, ended("D")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  expect(after(...accepted, ended("R")).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
  const unknown = { ...ended("A"), messageIdentification: `X${"0".repeat(34)}` };
  expect(after(...accepted, unknown).last).toMatchObject({ decision: "refused", reason: "delivery-never-sent" });
});

test("a fact before anything was received is refused and leaves nothing", () => {
  for (const fact of [verdict(), release(), ended("A"), dayClosed()]) {
    expect(tellAll([fact])).toMatchObject({ transaction: null, outcomes: [{ decision: "refused", outputs: [] }] });
  }
});

test("every record is folded in: version counts them, applied is the last one's offset", () => {
  const { transaction } = after(...completed, debit(), release(), dayClosed());
  expect(transaction.version).toBe(completed.length - openDay.length + 3);
  expect(transaction.applied).toBe(placeOf(completed.length + 2).offset);
});
