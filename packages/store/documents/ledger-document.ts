// The document of the collection `ledgers`: what a partition moved on a day.

import { assert } from "@sluice/kernel";
import { dayKey, type DayKey, type LedgerCell, type LedgerRow, type LedgerTransaction } from "@sluice/domain";
import type { LedgerRead, PartitionLedger } from "../port.ts";
import { as, decimal, derived, document, list, plain, type StoredIn, table } from "./codec.ts";
import type { StoredTransaction } from "./transaction-document.ts";

export type StoredLedger = StoredIn<typeof ledgerCodec>;

function ledgerId(partition: number, day: string): string {
  return `${partition}:${day}`;
}

export function listLedgerIds(reads: readonly LedgerRead[]): readonly string[] {
  return [...new Set(reads.flatMap(({ partition, days }) => days.map((day) => ledgerId(partition, day))))].toSorted();
}

/** Gives each read its own of the ledgers that were found, by day. */
export function splitLedgers(
  reads: readonly LedgerRead[],
  found: ReadonlyMap<string, PartitionLedger>,
): readonly ReadonlyMap<DayKey, PartitionLedger>[] {
  return reads.map(({ partition, days }) => {
    const own = days.map((day) => found.get(ledgerId(partition, day)));
    return new Map(own.flatMap((ledger) => (ledger === undefined ? [] : [[ledger.day, ledger] as const])));
  });
}

const cell = document<LedgerCell>()({ count: plain, sum: as("sumTenThousandths", decimal) });

export const ledgerCodec = document<PartitionLedger>()({
  _id: derived(({ partition, day }: PartitionLedger) => ledgerId(partition, day)),
  partition: plain,
  day: plain,
  version: plain,
  through: plain,
  rows: list(document<LedgerRow>()({ bank: plain, currency: plain, columns: table(cell) })),
});

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
  StoredTransaction,
  "_id" | "flow" | "state" | "message" | "bank" | "scheme" | "currency" | "amountTenThousandths"
> &
  Entries;

export function toAccounted(stored: StoredAccounted): LedgerTransaction {
  const { _id: uetr, flow, bank, scheme, currency, amountTenThousandths, message } = stored;
  assert(message !== null && scheme !== null && currency !== null && amountTenThousandths !== null, "an orphan has no entries");
  const shared = {
    uetr,
    message: { sender: message.sender },
    scheme,
    currency,
    amountTenThousandths,
    transitions: stored.transitions.map(({ state, offset, businessDate, markerOffset }) => ({ state, offset, businessDate, markerOffset })),
  };
  if (flow === "on-us") return { ...shared, flow, bank };
  assert(flow !== null && bank !== null, "what a connector sent names its bank");
  return { ...shared, flow, bank };
}

export function wasOnDay(stored: Pick<StoredTransaction, "scheme" | "transitions">, day: string): boolean {
  const { scheme, transitions } = stored;
  return scheme !== null && transitions.some(({ businessDate }) => dayKey(scheme, businessDate) === day);
}
