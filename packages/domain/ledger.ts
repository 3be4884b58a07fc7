// Conservation (I11): what every transaction counts as, by bank, day and currency, and what a record moved. Pure.
//
// 1. Where a transaction stands is a function of its entries below an offset: `standingBelow`. So what the record at one offset moved is the
//    difference of two standings, and a replay gives the same.
// 2. On every day: accepted + rolledIn = completed + rejected + unpaid + reconciled + withdrawn + rolledOut + open, in count and sum; the
//    same of credits with their own columns. No column is negative.
// 3. A transaction is accepted on the business date of its verdict; before that on the provisional one. A roll leaves one day for another.
//    The bank is the sender of an on-us debit, else the bank that it goes to.

import type { DayKey } from "./fact.ts";
import { dayKey } from "./fact.ts";
import type { CreditState, DebitState, Transaction, Transition } from "./transaction.ts";

export const debitColumnsOfLedger = [
  "accepted",
  "rolledIn",
  "completed",
  "rejected",
  "unpaid",
  "reconciled",
  "withdrawn",
  "rolledOut",
  "open",
] as const;
export const creditColumnsOfLedger = [
  "creditAccepted",
  "creditResponseAccepted",
  "creditRejected",
  "creditFailed",
  "creditReconciled",
  "creditOpen",
] as const;
export const ledgerColumns = [...debitColumnsOfLedger, ...creditColumnsOfLedger] as const;
export type LedgerColumn = (typeof ledgerColumns)[number];

/** Columns in which a transaction comes onto a day; all others of its kind are where it went. */
const sources: ReadonlySet<LedgerColumn> = new Set<LedgerColumn>(["accepted", "rolledIn", "creditAccepted"]);

/** What the ledger reads of a transaction. */
export type Accounted = Pick<Transaction, "uetr" | "flow" | "bank" | "scheme" | "currency" | "amountTenThousandths"> & {
  readonly message: { readonly sender: string } | null;
  readonly transitions: readonly AccountedEntry[];
};
export type AccountedEntry = Pick<Transition, "state" | "offset" | "businessDate" | "markerOffset">;

export interface LedgerCell {
  readonly count: number;
  readonly sumTenThousandths: bigint;
}

/** One bank and currency of a day; a column that is not named is empty. */
export interface LedgerRow {
  readonly bank: string;
  readonly currency: string;
  readonly columns: Readonly<Partial<Record<LedgerColumn, LedgerCell>>>;
}

/** A change of one column. */
export interface Movement extends LedgerCell {
  readonly day: DayKey;
  readonly bank: string;
  readonly currency: string;
  readonly column: LedgerColumn;
}

const debitClasses: Readonly<Record<DebitState, LedgerColumn>> = {
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

const creditClasses: Readonly<Record<CreditState, LedgerColumn>> = {
  CREDIT_AUTH_RECEIVED: "creditOpen",
  CREDIT_AUTH_ACCEPTED: "creditOpen",
  CREDIT_AUTH_REJECTED: "creditRejected",
  CREDIT_AUTH_DELIVERY_PENDING: "creditOpen",
  CREDIT_AUTH_DELIVERED: "creditOpen",
  CREDIT_AUTH_RESPONSE_ACCEPTED: "creditResponseAccepted",
  CREDIT_AUTH_DELIVERY_FAILURE: "creditFailed",
  CREDIT_AUTH_RECONCILIATION: "creditReconciled",
};

const classes: Readonly<Record<string, LedgerColumn>> = { ...debitClasses, ...creditClasses };

/** What the transaction counts as by its entries below `offset`: once where it came from, once where it is, and twice for each roll. */
export function standingBelow(transaction: Accounted, offset: bigint): readonly Movement[] {
  const entries = transaction.transitions.filter((entry) => entry.offset < offset);
  const last = entries.at(-1);
  if (last === undefined) return [];
  const moved: Movement[] = [];
  const put = (businessDate: string, column: LedgerColumn): void => {
    moved.push(movementOf(transaction, businessDate, column));
  };
  const rolls = entries.flatMap((entry, index) => {
    const before = entries[index - 1];
    return before !== undefined && isRoll(before, entry) ? [{ from: before.businessDate, to: entry.businessDate }] : [];
  });
  put(rolls[0]?.from ?? last.businessDate, transaction.flow === "credit" ? "creditAccepted" : "accepted");
  for (const { from, to } of rolls) {
    put(from, "rolledOut");
    put(to, "rolledIn");
  }
  put(last.businessDate, classOf(last));
  return moved;
}

/** What the record at `offset` moved: nothing, where no entry was made in its turn, or none that goes into another column. */
export function movedAt(transaction: Accounted, offset: bigint): readonly Movement[] {
  if (!transaction.transitions.some((entry) => entry.offset === offset)) return [];
  const left = [...standingBelow(transaction, offset)];
  const entered = standingBelow(transaction, offset + 1n).filter((movement) => {
    const same = left.findIndex(({ day, column }) => day === movement.day && column === movement.column);
    if (same >= 0) left.splice(same, 1);
    return same < 0;
  });
  return [...left.map(reversed), ...entered];
}

function reversed(movement: Movement): Movement {
  return { ...movement, count: -movement.count, sumTenThousandths: -movement.sumTenThousandths };
}

function movementOf(transaction: Accounted, businessDate: string, column: LedgerColumn): Movement {
  const { flow, message, bank, scheme, currency, amountTenThousandths } = transaction;
  const of = flow === "on-us" ? (message?.sender ?? bank) : bank;
  return { day: dayKey(scheme, businessDate), bank: of ?? "", currency, column, count: 1, sumTenThousandths: amountTenThousandths };
}

function isRoll(before: AccountedEntry, entry: AccountedEntry): boolean {
  return before.state === "HELD" && entry.state === "HELD" && before.businessDate !== entry.businessDate;
}

/** The close's entry names its marker; a withdrawal's has none. */
function classOf(entry: AccountedEntry): LedgerColumn {
  if (entry.state === "RECONCILIATION" && entry.markerOffset === null) return "withdrawn";
  const column = classes[entry.state];
  if (column === undefined) throw new Error(`no class for ${entry.state}`);
  return column;
}

/** Rows of one day, added up. */
export class DayLedger {
  readonly #rows = new Map<string, LedgerRow>();

  constructor(rows: readonly LedgerRow[] = []) {
    for (const row of rows) this.#rows.set(keyOf(row), row);
  }

  add(movement: Omit<Movement, "day">): void {
    const { bank, currency, column, count, sumTenThousandths } = movement;
    const row = this.#rows.get(keyOf(movement)) ?? { bank, currency, columns: {} };
    const so = row.columns[column] ?? emptyCell;
    const cell = { count: so.count + count, sumTenThousandths: so.sumTenThousandths + sumTenThousandths };
    this.#rows.set(keyOf(movement), { bank, currency, columns: { ...row.columns, [column]: cell } });
  }

  addRow(row: LedgerRow): void {
    for (const column of ledgerColumns) {
      const cell = row.columns[column];
      if (cell !== undefined) this.add({ bank: row.bank, currency: row.currency, column, ...cell });
    }
  }

  /** By bank and currency; rows and columns that are empty are not among them. */
  rows(): readonly LedgerRow[] {
    return [...this.#rows.values()]
      .map(withoutEmpty)
      .filter(({ columns }) => Object.keys(columns).length > 0)
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

const emptyCell: LedgerCell = { count: 0, sumTenThousandths: 0n };

function keyOf({ bank, currency }: Pick<LedgerRow, "bank" | "currency">): string {
  return `${currency}:${bank}`;
}

function withoutEmpty({ bank, currency, columns }: LedgerRow): LedgerRow {
  const named = ledgerColumns.flatMap((column) => {
    const cell = columns[column];
    return cell === undefined || (cell.count === 0 && cell.sumTenThousandths === 0n) ? [] : [[column, cell] as const];
  });
  return { bank, currency, columns: Object.fromEntries(named) };
}

/** Why a row does not keep (2): short texts; none where it does. */
export function imbalancesOf({ columns }: LedgerRow): readonly string[] {
  const negative = ledgerColumns.filter((column) => (columns[column]?.count ?? 0) < 0 || (columns[column]?.sumTenThousandths ?? 0n) < 0n);
  const kinds = [debitColumnsOfLedger, creditColumnsOfLedger] as const;
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
  return [`${kind[0]}: ${textOf(came)} came, ${textOf(is)} accounted for`];
}

/** Where two ledgers of one day differ: one text a cell. */
export function differencesOf(a: readonly LedgerRow[], b: readonly LedgerRow[]): readonly string[] {
  const [left, right] = [byKey(a), byKey(b)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((key) =>
    ledgerColumns.flatMap((column) => {
      const [one, other] = [left.get(key)?.columns[column] ?? emptyCell, right.get(key)?.columns[column] ?? emptyCell];
      const isSame = one.count === other.count && one.sumTenThousandths === other.sumTenThousandths;
      return isSame ? [] : [`${key} ${column}: ${textOf(one)}, not ${textOf(other)}`];
    }),
  );
}

function byKey(rows: readonly LedgerRow[]): ReadonlyMap<string, LedgerRow> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function textOf({ count, sumTenThousandths }: LedgerCell): string {
  return `${count} of ${sumTenThousandths} ten-thousandths`;
}
