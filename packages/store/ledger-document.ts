// What a lane moved on a day, as it lies in the collection `ledgers`.

import { dayKey } from "@sluice/domain";
import type { Accounted, LedgerColumn, LedgerRow } from "@sluice/domain";
import type { LaneLedger } from "./port.ts";
import { flowOf } from "./transaction-document.ts";
import type { StoredTransactionEver } from "./transaction-document.ts";

interface StoredCell {
  readonly count: number;
  /** Decimal text: nobody adds it up but us, and it may leave 64 bits. */
  readonly sum: string;
}

export interface StoredLedger {
  readonly _id: string;
  readonly lane: number;
  readonly day: string;
  readonly version: number;
  readonly through: bigint;
  readonly rows: readonly {
    readonly bank: string;
    readonly currency: string;
    readonly columns: Readonly<Partial<Record<LedgerColumn, StoredCell>>>;
  }[];
}

export function ledgerId(lane: number, day: string): string {
  return `${lane}:${day}`;
}

export function toStoredLedger({ lane, day, version, through, rows }: LaneLedger): StoredLedger {
  return { _id: ledgerId(lane, day), lane, day, version, through, rows: rows.map(toStoredRow) };
}

export function fromStoredLedger({ lane, day, version, through, rows }: StoredLedger): LaneLedger {
  return { lane, day, version, through, rows: rows.map(fromStoredRow) };
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

type Entries = { readonly transitions: Accounted["transitions"] };
export type StoredAccounted = Pick<
  StoredTransactionEver,
  "_id" | "flow" | "state" | "message" | "bank" | "scheme" | "currency" | "amountTenThousandths"
> &
  Entries;

export function toAccounted(stored: StoredAccounted): Accounted {
  const { _id: uetr, bank, scheme, currency, amountTenThousandths, message } = stored;
  return {
    uetr,
    flow: flowOf(stored),
    message: message === null ? null : { sender: message.sender },
    bank,
    scheme,
    currency,
    amountTenThousandths,
    transitions: stored.transitions.map(({ state, offset, businessDate, markerOffset }) => ({ state, offset, businessDate, markerOffset })),
  };
}

export function stoodOn(stored: Pick<StoredTransactionEver, "scheme" | "transitions">, day: string): boolean {
  return stored.transitions.some(({ businessDate }) => dayKey(stored.scheme, businessDate) === day);
}
