// Reconciliation items together with their transactions, page by page and sorted by UETR. Lists, sums and exports are
// made from these rows.
//
// #1 An early item that an acknowledgement or a report has settled does not belong to the close: it is listed as
//    settled, and neither exported nor counted as open.

import { isSamePerson, type Item } from "@sluice/domain";
import type { Store, SummaryRow, TransactionQuery } from "@sluice/store";
import { isConfirmable, isItemOpen, itemView, type ItemView } from "./item-view.ts";
import { formatInstant } from "../http/bank-answer.ts";
import { formatAmount } from "./control-values.ts";
import { shownAccountEnd } from "./sealed-terms.ts";

export interface ReconciliationRow extends ItemView {
  readonly uetr: string;
  readonly transactionState: string;
  readonly flow: string | null;
  readonly scheme: string;
  readonly bank: string | null;
  readonly sender: string | null;
  readonly businessDate: string | null;
  /** Null, as flow and currency: its message lies in the dead letters. */
  readonly amount: string | null;
  readonly currency: string | null;
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

type StoredItemTerms = "itemDay" | "itemRow" | "itemCause" | "isItemOpen" | "isItemProposed" | "itemMadeToMs" | "bank" | "schemes";

export interface ItemQuery extends Pick<TransactionQuery, StoredItemTerms> {
  /** Leaves out proposals that nobody can confirm any more at this time; left out: none are. */
  readonly confirmableAtMs?: number | undefined;
  /** Leaves out what this person proposed; left out: nobody's proposals are. */
  readonly notProposedBy?: { readonly operator: string; readonly person: string } | undefined;
}

const pageTransactions = 1_000;

/** Reads all items that a query finds, sorted by UETR; only one page is in memory. */
export async function* readItemPages(store: Pick<Store, "transactions">, query: ItemQuery): AsyncGenerator<readonly FoundItem[]> {
  let after: string | null = null;
  do {
    const rows: readonly SummaryRow[] = await store.transactions.search(query, after, pageTransactions);
    yield rows.flatMap((transaction) => selectItems(transaction, query));
    after = rows.length === pageTransactions ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
}

/** Selects the transaction's items that match the query: its other items may belong to another day. */
export function selectItems(transaction: SummaryRow, query: ItemQuery): readonly FoundItem[] {
  return transaction.items.filter((item) => matches(item, query)).map((item) => ({ transaction, item }));
}

function matches(item: Item, query: ItemQuery): boolean {
  const { itemDay, itemRow, itemCause, isItemOpen: isOpen, isItemProposed, itemMadeToMs, notProposedBy, confirmableAtMs } = query;
  return (
    (itemDay === undefined || item.day === itemDay) &&
    (itemRow === undefined || item.row === itemRow) &&
    (itemCause === undefined || item.cause === itemCause) &&
    (isOpen === undefined || isItemOpen(item) === isOpen) &&
    (isItemProposed !== true || isConfirmable(item, confirmableAtMs ?? null)) &&
    (itemMadeToMs === undefined || item.madeAtMs <= itemMadeToMs) &&
    (notProposedBy === undefined || item.resolution === null || !isSamePerson(item.resolution.action, notProposedBy))
  );
}

export function reconciliationRow({ transaction, item }: FoundItem): ReconciliationRow {
  const { uetr, state, flow, bank, sender, businessDate, currency, search } = transaction;
  return {
    uetr,
    transactionState: state,
    flow,
    scheme: item.day.slice(0, item.day.lastIndexOf(":")),
    bank,
    sender,
    businessDate,
    amount: transaction.flow === null ? null : formatAmount(transaction.amountTenThousandths, transaction.currency),
    currency,
    receivedAt: formatInstant(transaction.receivedAtMs),
    messageIdentification: transaction.messageIdentification,
    endToEndIdentification: search.endToEndIdentification,
    transactionIdentification: search.transactionIdentification,
    instructionIdentification: search.instructionIdentification,
    debtorAccountEnd: shownAccountEnd(search.debtorAccountEnd),
    creditorAccountEnd: shownAccountEnd(search.creditorAccountEnd),
    isParked: transaction.quarantined !== null,
    ...itemView(item),
  };
}
