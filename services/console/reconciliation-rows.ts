// Reconciliation items with the transaction that each belongs to: what lists, sums and exports are made of, page by page, by UETR.
//
// #1 An early item that an acknowledgement or a report has settled is none of the close's: it is listed as settled, and not exported or counted as open.

import type { Item } from "@sluice/domain";
import type { Store, SummaryRow, TransactionQuery } from "@sluice/store";
import { isItemOpen, itemView, type ItemView } from "./item-view.ts";
import { instantText } from "./answer.ts";
import { moneyText } from "./control-values.ts";

export interface ReconciliationRow extends ItemView {
  readonly uetr: string;
  readonly transactionState: string;
  readonly flow: string | null;
  readonly scheme: string;
  readonly bank: string | null;
  readonly sender: string | null;
  readonly businessDate: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly receivedAt: string;
  readonly messageIdentification: string | null;
  readonly endToEndIdentification: string | null;
  readonly transactionIdentification: string | null;
  readonly instructionIdentification: string | null;
  readonly debtorAccountEnd: string | null;
  readonly creditorAccountEnd: string | null;
  readonly isParked: boolean;
}

export interface FoundItem {
  readonly transaction: SummaryRow;
  readonly item: Item;
}

export type ItemQuery = Pick<TransactionQuery, "itemDay" | "itemRow" | "itemCause" | "isItemOpen" | "bank">;

const pageTransactions = 1_000;

/** All items that a query finds, by UETR. Nothing is kept but a page. */
export async function* itemsOf(store: Pick<Store, "transactions">, query: ItemQuery): AsyncGenerator<readonly FoundItem[]> {
  let after: string | null = null;
  do {
    const rows: readonly SummaryRow[] = await store.transactions.search(query, after, pageTransactions);
    yield rows.flatMap((transaction) => itemsIn(transaction, query));
    after = rows.length === pageTransactions ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
}

/** The transaction's items that the query is about: another of its items may be of another day. */
export function itemsIn(transaction: SummaryRow, query: ItemQuery): readonly FoundItem[] {
  return transaction.items.filter((item) => isAbout(item, query)).map((item) => ({ transaction, item }));
}

function isAbout(item: Item, { itemDay, itemRow, itemCause, isItemOpen: isOpen }: ItemQuery): boolean {
  return (
    (itemDay === undefined || item.day === itemDay) &&
    (itemRow === undefined || item.row === itemRow) &&
    (itemCause === undefined || item.cause === itemCause) &&
    (isOpen === undefined || isItemOpen(item) === isOpen)
  );
}

export function reconciliationRow({ transaction, item }: FoundItem): ReconciliationRow {
  const { uetr, state, flow, scheme, bank, sender, businessDate, currency, search } = transaction;
  return {
    uetr,
    transactionState: state,
    flow,
    scheme,
    bank,
    sender,
    businessDate,
    amount: moneyText(transaction.amountTenThousandths, currency),
    currency,
    receivedAt: instantText(transaction.receivedAtMs),
    messageIdentification: transaction.messageIdentification,
    endToEndIdentification: search.endToEndIdentification,
    transactionIdentification: search.transactionIdentification,
    instructionIdentification: search.instructionIdentification,
    debtorAccountEnd: search.debtorAccountEnd,
    creditorAccountEnd: search.creditorAccountEnd,
    isParked: transaction.parked !== null,
    ...itemView(item),
  };
}
