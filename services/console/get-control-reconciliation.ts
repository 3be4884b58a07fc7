// listReconciliation: reconciliation items, each with row, cause and evidence; by UETR. summariseReconciliation: their counts and sums by bank,
// currency, row and cause.
//
// #1 A page is cut between transactions, never between the items of one: it may hold a few rows more than `limit`.

import type { Store } from "@sluice/store";
import type { ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn } from "./control-page.ts";
import { invalid, isDayKey, moneyText } from "./control-values.ts";
import { isUetr } from "./get-control-transactions.ts";
import { isItemOpen } from "./item-view.ts";
import { itemsIn, itemsOf, reconciliationRow, type FoundItem, type ItemQuery } from "./reconciliation-rows.ts";
import { flagIn, isPartyId } from "./search-terms-in.ts";

interface ReconciliationPorts {
  readonly store: Pick<Store, "transactions">;
}

export function listReconciliation({ store }: ReconciliationPorts): ControlHandler {
  return async ({ query }) => {
    const asked = itemQueryIn(query);
    if (typeof asked === "string") return invalid(asked);
    const page = pageIn(query, isUetr);
    if (typeof page === "string") return invalid(page);
    const transactions = await store.transactions.search(asked, page.after, page.limit);
    const rows = transactions.flatMap((one) => itemsIn(one, asked)).map(reconciliationRow);
    const last = transactions.at(-1);
    const next = last === undefined || transactions.length < page.limit ? null : cursorOf(last.uetr);
    return { kind: "found", body: { schema: "ReconciliationItems", rows, next } };
  };
}

/** A text says what is wrong. */
function itemQueryIn(query: URLSearchParams): ItemQuery | string {
  const [day, bank, row, open] = ["day", "bank", "row", "open"].map((name) => query.get(name));
  if (typeof day === "string" && !isDayKey(day)) return "day: a day, for example ZA_EFT:2026-11-20.";
  if (typeof bank === "string" && !isPartyId(bank)) return "bank: the id of a bank.";
  if (typeof row === "string" && !/^(\d|10|unknown)$/.test(row)) return "row: 0 to 10, or unknown.";
  const isOpen = typeof open === "string" ? flagIn(open) : undefined;
  if (isOpen === null) return "open: true or false.";
  const itemRow = row === "unknown" ? null : Number(row);
  return {
    itemDay: day ?? undefined,
    bank: bank ?? undefined,
    itemRow: typeof row === "string" ? itemRow : undefined,
    // Without a day and without `open`: those that somebody still has to look at.
    isItemOpen: isOpen ?? (typeof day === "string" ? undefined : true),
  };
}

interface Group {
  readonly bank: string | null;
  readonly currency: string;
  readonly row: number | null;
  readonly cause: string | null;
  count: number;
  sumTenThousandths: bigint;
  open: number;
  openTenThousandths: bigint;
}

export function summariseReconciliation({ store }: ReconciliationPorts): ControlHandler {
  return async ({ query }) => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalid("day: a day, for example ZA_EFT:2026-11-20.");
    const groups = new Map<string, Group>();
    for await (const items of itemsOf(store, { itemDay: day })) for (const found of items) count(groups, found);
    const rows = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => groupView(group));
    return { kind: "found", body: { schema: "ReconciliationSummary", day, rows } };
  };
}

/** Items that were settled before the close are none of it. */
function count(groups: Map<string, Group>, { transaction, item }: FoundItem): void {
  if (item.settledAtMs !== null) return;
  const { bank, currency, amountTenThousandths } = transaction;
  const { row, cause } = item;
  const key = [bank ?? "", currency, row ?? "", cause ?? ""].join(" ");
  const group = groups.get(key) ?? { bank, currency, row, cause, count: 0, sumTenThousandths: 0n, open: 0, openTenThousandths: 0n };
  groups.set(key, group);
  group.count += 1;
  group.sumTenThousandths += amountTenThousandths;
  if (!isItemOpen(item)) return;
  group.open += 1;
  group.openTenThousandths += amountTenThousandths;
}

function groupView({ bank, currency, row, cause, count: items, sumTenThousandths, open, openTenThousandths }: Group) {
  return {
    bank,
    currency,
    row,
    cause,
    count: items,
    sum: moneyText(sumTenThousandths, currency),
    open,
    openSum: moneyText(openTenThousandths, currency),
  };
}
