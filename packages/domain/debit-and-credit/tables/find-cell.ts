// Looks cells up in the tables: by the flow and state of a transaction, and by a column.

import { type Cell, type CreditColumn, creditColumns, type CreditRow, type DebitColumn, debitColumns, type DebitRow } from "./cell.ts";
import { creditTable } from "./credit-table.ts";
import { debitTable } from "./debit-table.ts";
import type { Transaction } from "../transaction.ts";

/** Returns `-` for a column that the table of this flow does not have. */
export function findCell(transaction: Pick<Transaction, "flow" | "state">, column: DebitColumn | CreditColumn): Cell {
  if (transaction.flow !== "credit") return isIn(debitColumns, column) ? debitCell(toDebitRow(transaction), column) : "-";
  return isIn(creditColumns, column) ? creditCell(toCreditRow(transaction), column) : "-";
}

export function debitCell(row: DebitRow, column: DebitColumn): Cell {
  return debitTable[row][debitColumns.indexOf(column)] ?? "-";
}

export function creditCell(row: CreditRow, column: CreditColumn): Cell {
  return creditTable[row][creditColumns.indexOf(column)] ?? "-";
}

function toDebitRow({ flow, state }: Pick<Transaction, "flow" | "state">): DebitRow {
  const row = state === "RECEIVED" ? `${state} ${flow ?? "on-us"}` : state;
  if (!isRow(debitTable, row)) throw new Error(`no row ${row}`);
  return row;
}

function toCreditRow({ state }: Pick<Transaction, "state">): CreditRow {
  const row = state.replace(/^CREDIT_AUTH_/, "");
  if (!isRow(creditTable, row)) throw new Error(`no row ${row}`);
  return row;
}

function isIn<T extends string>(columns: readonly T[], column: string): column is T {
  return (columns as readonly string[]).includes(column);
}

function isRow<T extends string>(table: Readonly<Record<T, unknown>>, row: string): row is T {
  return Object.hasOwn(table, row);
}
