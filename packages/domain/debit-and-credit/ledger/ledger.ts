// Conservation (I11): how every transaction counts by bank, day and currency, and what each record moved. Pure
// functions.
//
// #1 How a transaction counts is a function of its entries below an offset: `balanceBelow`. So what the record at one
//    offset moved is the difference of two balances, and a replay gives the same.
// #2 On every day: accepted + carriedIn = completed + rejected + unpaid + reconciled + withdrawn + carriedOut + open,
//    in count and sum; the same holds for credits with their own columns. No column is negative.
// #3 A transaction is accepted on the business date of its verdict; before that on the provisional one. A carry-over
//    moves it from one day to another. The bank is the sender of an on-us debit, otherwise the bank to which the
//    message is sent.

import { type DayKey, dayKey } from "../../fact.ts";
import type { CreditState, DebitState, OrphanTransaction, Transition } from "../transaction.ts";

const debitLedgerColumns = [
  "accepted",
  "carriedIn",
  "completed",
  "rejected",
  "unpaid",
  "reconciled",
  "withdrawn",
  "carriedOut",
  "open",
] as const;
const creditLedgerColumns = [
  "creditAccepted",
  "creditResponseAccepted",
  "creditRejected",
  "creditFailed",
  "creditReconciled",
  "creditOpen",
] as const;
const ledgerColumns = [...debitLedgerColumns, ...creditLedgerColumns] as const;
export type LedgerColumn = (typeof ledgerColumns)[number];

/** Columns by which a transaction comes onto a day; all other columns of its kind say where it went. */
const sources: ReadonlySet<LedgerColumn> = new Set<LedgerColumn>(["accepted", "carriedIn", "creditAccepted"]);

/** The values of a transaction that the ledger reads. */
export type LedgerTransaction = LedgerTransactionBase &
  ({ readonly flow: "on-us"; readonly bank: string | null } | { readonly flow: "off-us" | "credit"; readonly bank: string });

interface LedgerTransactionBase {
  readonly uetr: string;
  readonly message: { readonly sender: string };
  readonly scheme: string;
  readonly currency: string;
  readonly amountTenThousandths: bigint;
  readonly transitions: readonly LedgerEntry[];
}
export type LedgerEntry = Pick<Transition, "state" | "offset" | "businessDate" | "markerOffset">;

export interface LedgerCell {
  readonly count: number;
  readonly sumTenThousandths: bigint;
}

/** One bank and currency of a day. A column that is missing is empty. */
export interface LedgerRow {
  readonly bank: string;
  readonly currency: string;
  readonly columns: Readonly<Partial<Record<LedgerColumn, LedgerCell>>>;
}

/** A change of one column of a row. */
export interface Movement extends LedgerCell {
  readonly day: DayKey;
  readonly bank: string;
  readonly currency: string;
  readonly column: LedgerColumn;
}

const debitStateColumns: Readonly<Record<DebitState, LedgerColumn>> = {
  RECEIVED: "open",
  ACCEPTED: "open",
  REJECTED: "open",
  REJECTION_REPORTED: "rejected",
  REPORTED: "open",
  HELD: "open",
  RELEASED: "open",
  DELIVERED: "open",
  COMPLETED: "completed",
  UNPAID: "unpaid",
  RECONCILIATION: "reconciled",
};

const creditStateColumns: Readonly<Record<CreditState, LedgerColumn>> = {
  CREDIT_AUTH_RECEIVED: "creditOpen",
  CREDIT_AUTH_ACCEPTED: "creditOpen",
  CREDIT_AUTH_REJECTED: "creditRejected",
  CREDIT_AUTH_DELIVERY_PENDING: "creditOpen",
  CREDIT_AUTH_DELIVERED: "creditOpen",
  CREDIT_AUTH_RESPONSE_ACCEPTED: "creditResponseAccepted",
  CREDIT_AUTH_DELIVERY_FAILURE: "creditFailed",
  CREDIT_AUTH_RECONCILIATION: "creditReconciled",
};

const stateColumns: Readonly<Record<string, LedgerColumn>> = { ...debitStateColumns, ...creditStateColumns };

/**
 * How the transaction counts by its entries below `offset`: once where it came from, once where it is, twice for each
 * carry-over. An orphan does not count.
 */
export function balanceBelow(transaction: LedgerTransaction | OrphanTransaction, offset: bigint): readonly Movement[] {
  if (transaction.flow === null) return [];
  const entries = transaction.transitions.filter((entry) => entry.offset < offset);
  const last = entries.at(-1);
  if (last === undefined) return [];
  const moved: Movement[] = [];
  const put = (businessDate: string, column: LedgerColumn): void => {
    moved.push(buildMovement(transaction, businessDate, column));
  };
  const carryOvers = entries.flatMap((entry, index) => {
    const before = entries[index - 1];
    return before !== undefined && isCarryOver(before, entry) ? [{ from: before.businessDate, to: entry.businessDate }] : [];
  });
  put(carryOvers[0]?.from ?? last.businessDate, transaction.flow === "credit" ? "creditAccepted" : "accepted");
  for (const { from, to } of carryOvers) {
    put(from, "carriedOut");
    put(to, "carriedIn");
  }
  put(last.businessDate, toColumn(last));
  return moved;
}

/** What the record at `offset` moved; nothing if it made no entry, or none that counts in another column. */
export function movementsAt(transaction: LedgerTransaction | OrphanTransaction, offset: bigint): readonly Movement[] {
  const { transitions } = transaction;
  const last = transitions.findLastIndex((entry) => entry.offset <= offset);
  if (last < 0 || transitions[last]?.offset !== offset) return [];
  if (staysInColumn(transaction, last, offset)) return [];
  const left = [...balanceBelow(transaction, offset)];
  const entered = balanceBelow(transaction, offset + 1n).filter((movement) => {
    const same = left.findIndex(({ day, column }) => day === movement.day && column === movement.column);
    if (same >= 0) left.splice(same, 1);
    return same < 0;
  });
  return [...left.map(reverse), ...entered];
}

/** Most records enter states of the same column, on the same date: then both balances are the same. */
function staysInColumn({ transitions }: Pick<LedgerTransaction, "transitions">, last: number, offset: bigint): boolean {
  const before = transitions.findLastIndex((entry) => entry.offset < offset);
  const [from, to] = [transitions[before], transitions[last]];
  if (from === undefined || to === undefined || toColumn(from) !== toColumn(to)) return false;
  for (let index = before; index <= last; index += 1) if (transitions[index]?.businessDate !== from.businessDate) return false;
  return true;
}

function reverse(movement: Movement): Movement {
  return { ...movement, count: -movement.count, sumTenThousandths: -movement.sumTenThousandths };
}

function buildMovement(transaction: LedgerTransaction, businessDate: string, column: LedgerColumn): Movement {
  const { scheme, currency, amountTenThousandths } = transaction;
  const bank = transaction.flow === "on-us" ? transaction.message.sender : transaction.bank;
  return { day: dayKey(scheme, businessDate), bank, currency, column, count: 1, sumTenThousandths: amountTenThousandths };
}

function isCarryOver(before: LedgerEntry, entry: LedgerEntry): boolean {
  return before.state === "HELD" && entry.state === "HELD" && before.businessDate !== entry.businessDate;
}

/** RECONCILIATION by a close names its marker; by a withdrawal it has none. */
function toColumn(entry: LedgerEntry): LedgerColumn {
  if (entry.state === "RECONCILIATION" && entry.markerOffset === null) return "withdrawn";
  const column = stateColumns[entry.state];
  if (column === undefined) throw new Error(`no column for ${entry.state}`);
  return column;
}

/** Adds up the rows of one day. */
export class DayLedger {
  readonly #rows = new Map<string, LedgerRow>();

  constructor(rows: readonly LedgerRow[] = []) {
    for (const row of rows) this.#rows.set(rowKey(row), row);
  }

  add(movement: Omit<Movement, "day">): void {
    const { bank, currency, column, count, sumTenThousandths } = movement;
    const row = this.#rows.get(rowKey(movement)) ?? { bank, currency, columns: {} };
    const before = row.columns[column] ?? emptyCell;
    const cell = { count: before.count + count, sumTenThousandths: before.sumTenThousandths + sumTenThousandths };
    this.#rows.set(rowKey(movement), { bank, currency, columns: { ...row.columns, [column]: cell } });
  }

  addRow(row: LedgerRow): void {
    for (const column of ledgerColumns) {
      const cell = row.columns[column];
      if (cell !== undefined) this.add({ bank: row.bank, currency: row.currency, column, ...cell });
    }
  }

  /** Rows sorted by currency and bank, without empty rows and columns. */
  rows(): readonly LedgerRow[] {
    return [...this.#rows.values()]
      .map(withoutEmpty)
      .filter(({ columns }) => Object.keys(columns).length > 0)
      .toSorted((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1));
  }
}

const emptyCell: LedgerCell = { count: 0, sumTenThousandths: 0n };

function rowKey({ bank, currency }: Pick<LedgerRow, "bank" | "currency">): string {
  return `${currency}:${bank}`;
}

function withoutEmpty({ bank, currency, columns }: LedgerRow): LedgerRow {
  const named = ledgerColumns.flatMap((column) => {
    const cell = columns[column];
    return cell === undefined || (cell.count === 0 && cell.sumTenThousandths === 0n) ? [] : [[column, cell] as const];
  });
  return { bank, currency, columns: Object.fromEntries(named) };
}

/** Finds where a row breaks #2: one short text for each; none if it holds. */
export function findImbalances({ columns }: LedgerRow): readonly string[] {
  const negative = ledgerColumns.filter((column) => (columns[column]?.count ?? 0) < 0 || (columns[column]?.sumTenThousandths ?? 0n) < 0n);
  const kinds = [debitLedgerColumns, creditLedgerColumns] as const;
  return [...negative.map((column) => `${column} is negative`), ...kinds.flatMap((kind) => unbalanced(columns, kind))];
}

function unbalanced(columns: LedgerRow["columns"], kind: readonly LedgerColumn[]): readonly string[] {
  const total = (isSource: boolean): LedgerCell =>
    kind
      .filter((column) => sources.has(column) === isSource)
      .map((column) => columns[column] ?? emptyCell)
      .reduce((a, b) => ({ count: a.count + b.count, sumTenThousandths: a.sumTenThousandths + b.sumTenThousandths }), emptyCell);
  const [came, is] = [total(true), total(false)];
  if (came.count === is.count && came.sumTenThousandths === is.sumTenThousandths) return [];
  return [`${kind[0]}: ${formatCell(came)} came, ${formatCell(is)} accounted for`];
}

/** Finds where two ledgers of one day differ: one text for each cell. */
export function findLedgerDifferences(a: readonly LedgerRow[], b: readonly LedgerRow[]): readonly string[] {
  const [left, right] = [indexByKey(a), indexByKey(b)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((key) =>
    ledgerColumns.flatMap((column) => {
      const [one, other] = [left.get(key)?.columns[column] ?? emptyCell, right.get(key)?.columns[column] ?? emptyCell];
      const isSame = one.count === other.count && one.sumTenThousandths === other.sumTenThousandths;
      return isSame ? [] : [`${key} ${column}: ${formatCell(one)}, not ${formatCell(other)}`];
    }),
  );
}

function indexByKey(rows: readonly LedgerRow[]): ReadonlyMap<string, LedgerRow> {
  return new Map(rows.map((row) => [rowKey(row), row]));
}

function formatCell({ count, sumTenThousandths }: LedgerCell): string {
  return `${count} of ${sumTenThousandths} ten-thousandths`;
}
