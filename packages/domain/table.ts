// Where the tables are looked up: by a transaction's flow and state, and a column.

import type { Cell, CreditColumn, CreditRow, DebitColumn, DebitRow } from "./cell.ts";
import { creditColumns, debitColumns } from "./cell.ts";
import { creditTable } from "./credit-table.ts";
import { debitTable } from "./debit-table.ts";
import type { Transaction } from "./transaction.ts";

/** The cell for a debit; `-` for a credit where credits have no such column, and the other way round. */
export function cellOf(transaction: Pick<Transaction, "flow" | "state">, column: DebitColumn | CreditColumn): Cell {
  if (transaction.flow !== "credit") return isIn(debitColumns, column) ? debitCell(debitRowOf(transaction), column) : "-";
  return isIn(creditColumns, column) ? creditCell(creditRowOf(transaction), column) : "-";
}

export function debitCell(row: DebitRow, column: DebitColumn): Cell {
  return debitTable[row][debitColumns.indexOf(column)] ?? "-";
}

export function creditCell(row: CreditRow, column: CreditColumn): Cell {
  return creditTable[row][creditColumns.indexOf(column)] ?? "-";
}

function debitRowOf({ flow, state }: Pick<Transaction, "flow" | "state">): DebitRow {
  const row = state === "RECEIVED" ? `${state} ${flow ?? "on-us"}` : state;
  if (!isKeyOf(debitTable, row)) throw new Error(`no row ${row}`);
  return row;
}

function creditRowOf({ state }: Pick<Transaction, "state">): CreditRow {
  const row = state.replace(/^CREDIT_AUTH_/, "");
  if (!isKeyOf(creditTable, row)) throw new Error(`no row ${row}`);
  return row;
}

function isIn<T extends string>(columns: readonly T[], column: string): column is T {
  return (columns as readonly string[]).includes(column);
}

function isKeyOf<T extends string>(table: Readonly<Record<T, unknown>>, row: string): row is T {
  return Object.hasOwn(table, row);
}
