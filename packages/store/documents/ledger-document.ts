// The document of the collection `ledgers`: what a partition moved on a day.

import { dayKey, type LedgerColumn, type LedgerRow, type LedgerTransaction } from "@sluice/domain";
import type { PartitionLedger } from "../port.ts";
import { type AnyStoredTransaction, readStoredFlow } from "./transaction-document.ts";

interface StoredCell {
  readonly count: number;
  /** Decimal text, because only Sluice adds it up and the sum may exceed 64 bits. */
  readonly sum: string;
}

export interface StoredLedger {
  readonly _id: string;
  readonly partition: number;
  readonly day: string;
  readonly version: number;
  readonly through: bigint;
  readonly rows: readonly {
    readonly bank: string;
    readonly currency: string;
    readonly columns: Readonly<Partial<Record<LedgerColumn, StoredCell>>>;
  }[];
}

export function ledgerId(partition: number, day: string): string {
  return `${partition}:${day}`;
}

export function toStoredLedger({ partition, day, version, through, rows }: PartitionLedger): StoredLedger {
  return { _id: ledgerId(partition, day), partition, day, version, through, rows: rows.map(toStoredRow) };
}

export function fromStoredLedger({ partition, day, version, through, rows }: StoredLedger): PartitionLedger {
  return { partition, day, version, through, rows: rows.map(fromStoredRow) };
}

function toStoredRow({ bank, currency, columns }: LedgerRow): StoredLedger["rows"][number] {
  const cells = Object.entries(columns).map(
    ([column, cell]) => [column, { count: cell.count, sum: String(cell.sumTenThousandths) }] as const,
  );
  return { bank, currency, columns: Object.fromEntries(cells) };
}

function fromStoredRow({ bank, currency, columns }: StoredLedger["rows"][number]): LedgerRow {
  const cells = Object.entries(columns).map(([column, { count, sum }]) => [column, { count, sumTenThousandths: BigInt(sum) }] as const);
  return { bank, currency, columns: Object.fromEntries(cells) };
}

/** The fields that `toAccounted` reads. */
export const accountedFields = {
  _id: 1,
  flow: 1,
  state: 1,
  message: 1,
  bank: 1,
  scheme: 1,
  currency: 1,
  amountTenThousandths: 1,
  "transitions.state": 1,
  "transitions.offset": 1,
  "transitions.businessDate": 1,
  "transitions.markerOffset": 1,
} as const;

type Entries = { readonly transitions: LedgerTransaction["transitions"] };
export type StoredAccounted = Pick<
  AnyStoredTransaction,
  "_id" | "flow" | "state" | "message" | "bank" | "scheme" | "currency" | "amountTenThousandths"
> &
  Entries;

export function toAccounted(stored: StoredAccounted): LedgerTransaction {
  const { _id: uetr, bank, scheme, currency, amountTenThousandths, message } = stored;
  return {
    uetr,
    flow: readStoredFlow(stored),
    message: message === null ? null : { sender: message.sender },
    bank,
    scheme,
    currency,
    amountTenThousandths,
    transitions: stored.transitions.map(({ state, offset, businessDate, markerOffset }) => ({ state, offset, businessDate, markerOffset })),
  };
}

export function wasOnDay(stored: Pick<AnyStoredTransaction, "scheme" | "transitions">, day: string): boolean {
  return stored.transitions.some(({ businessDate }) => dayKey(stored.scheme, businessDate) === day);
}
