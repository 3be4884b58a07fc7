// The table, cell by cell; then what no row can show alone.

import { expect, test } from "vitest";
import type { Cell, Column, Row } from "./cell.ts";
import { columns, statesOf } from "./cell.ts";
import { cellOf, table } from "./decide.ts";
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
import { isTerminal, isUnresolved } from "./transaction.ts";

/** How a row is reached; REPORTED is passed through and never rests. */
const reachedBy: Readonly<Record<Exclude<Row, "REPORTED">, readonly Step[]>> = {
  NONE: [],
  ORPHAN: [report("made", { message: { ...report().message, messageIdentification: "R0" } })],
  RECEIVED: [debit()],
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
const rows = Object.keys(reachedBy) as Exclude<Row, "REPORTED">[];

function factOf(row: Row, column: Column): TransactionFact {
  const letter = row === "ACCEPTED" || row === "HELD" ? "A" : row === "REJECTED" || row === "REJECTION_REPORTED" ? "R" : "D";
  const second = { message: { ...report().message, messageIdentification: `second-${column}` } };
  switch (column) {
    case "debit":
      return debit();
    case "accepted":
    case "refused":
      return verdict({ verdict: column });
    case "release":
      return release();
    case "acknowledged":
    case "stopped":
      return ended(letter, column);
    case "declined":
      return ended(letter, "refused");
    case "made":
    case "not-made":
    case "pending":
      return report(column, second);
    case "close":
      return dayClosed();
    default:
      throw new Error(`no such column: ${String(column satisfies never)}`);
  }
}

const cells = rows.flatMap((row) => columns.map((column) => ({ row, column, cell: cellOf(row, column) })));

test.each(cells)("I6: $row, $column: $cell", ({ row, column, cell }) => {
  const given = [...reachedBy[row], ...(column === "close" ? [dayReconciled()] : [])];
  const before = tellAll(reachedBy[row]).transaction;
  expect(before?.state ?? "NONE").toBe(row);

  const { transaction, outcomes } = tellAll([...given, factOf(row, column)]);

  const path = statesOf(cell) ?? [];
  const entered = (transaction?.transitions ?? []).slice(before?.transitions.length ?? 0).map((entry) => entry.state);
  expect(entered).toEqual(path);
  expect(transaction?.state ?? "NONE").toBe(path.at(-1) ?? (cell === "orphan" ? "ORPHAN" : row));
  expect(outcomes.at(-1)).toMatchObject(answerOf(cell, column));
});

/** What the outcome says, by the cell. */
function answerOf(cell: Cell, column: Column): object {
  if (statesOf(cell) !== null) return { decision: "applied" };
  if (cell === "-") return { decision: "refused", outputs: [] };
  if (cell === "=" && column === "declined") return { decision: "remarked", outputs: [{ kind: "stop" }] };
  if (cell === "=") return { decision: "ignored", outputs: [] };
  if (cell === "again") return { decision: "remarked", reason: "repeat", outputs: [] };
  if (cell === "row 3") return { decision: "applied", transaction: { items: [{ row: 3, settledAtMs: null }] }, outputs: [] };
  if (cell === "row") return { decision: "applied", reason: "row-set", transaction: { items: [{ row: 7 }] }, outputs: [] };
  if (cell === "late") return { decision: "remarked" };
  return { decision: "remarked", reason: `report-${cell}`, outputs: [] };
}

test("I5: the close column agrees with what is terminal and what is unresolved, and nothing leaves what is terminal", () => {
  for (const row of Object.keys(table) as Row[]) {
    const paths = columns.map((column) => statesOf(cellOf(row, column)));
    expect(cellOf(row, "close")).toBe(isUnresolved(row) ? "RECONCILIATION" : isTerminal(row) ? "=" : "-");
    expect(paths.some((path) => path !== null)).toBe(!isTerminal(row));
  }
});

test("I6: a good on-us debit goes through its seven states in order, each with its outputs", () => {
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

test("a bad account is answered RJCT and ends when the bank has acknowledged that", () => {
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
