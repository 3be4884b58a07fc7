// listReconciliation: reconciliation items, each with its row, cause and evidence, sorted by UETR.
// summariseReconciliation: their counts and sums by bank, currency, row and cause.
//
// #1 A page ends between transactions, never between the items of one: it may have a few more rows than `limit`.

import { readDuration } from "@sluice/config";
import type { Item } from "@sluice/domain";
import type { Store } from "@sluice/store";
import type { ControlHandler, ControlRequest } from "../http/control-handler.ts";
import { encodeCursor, parsePageRequest } from "../views/page.ts";
import { invalidRequest, isDayKey, formatAmount } from "../views/control-values.ts";
import { isUetr } from "./search-transactions.ts";
import { isItemOpen } from "../views/item-view.ts";
import { selectItems, readItemPages, reconciliationRow, type FoundItem, type ItemQuery } from "../views/reconciliation-rows.ts";
import { parseFlag, isPartyId } from "./parse-search-terms.ts";

interface ReconciliationPorts {
  readonly store: Pick<Store, "transactions">;
  readonly brokerNowMs: () => number | null;
}

export function listReconciliation({ store, brokerNowMs }: ReconciliationPorts): ControlHandler {
  return async ({ query, operator }) => {
    const nowMs = brokerNowMs();
    if (query.has("minAge") && nowMs === null) return { kind: "unavailable", detail: "No time of the log is known yet. Ask again." };
    const asked = parseItemQuery(query, operator, nowMs ?? 0);
    if (typeof asked === "string") return invalidRequest(asked);
    const page = parsePageRequest(query, isUetr);
    if (typeof page === "string") return invalidRequest(page);
    const transactions = await store.transactions.search(asked, page.after, page.limit);
    const rows = transactions.flatMap((one) => selectItems(one, asked)).map(reconciliationRow);
    const last = transactions.at(-1);
    const next = last === undefined || transactions.length < page.limit ? null : encodeCursor(last.uetr);
    return { kind: "found", body: { schema: "ReconciliationItems", rows, next } };
  };
}

/** Returns a text that says what is wrong. */
function parseItemQuery(query: URLSearchParams, { id, person, schemes }: ControlRequest["operator"], nowMs: number): ItemQuery | string {
  const [day, bank, row, open] = ["day", "bank", "row", "open"].map((name) => query.get(name));
  if (typeof day === "string" && !isDayKey(day)) return "day: a day, for example ZA_EFT:2026-11-20.";
  if (typeof bank === "string" && !isPartyId(bank)) return "bank: the id of a bank.";
  if (typeof row === "string" && !/^(\d|10|unknown)$/.test(row)) return "row: 0 to 10, or unknown.";
  const isOpen = typeof open === "string" ? parseFlag(open) : undefined;
  if (isOpen === null) return "open: true or false.";
  const proposed = query.get("proposed");
  if (proposed !== null && proposed !== "true" && proposed !== "mine") return "proposed: true or mine.";
  const minAge = query.get("minAge");
  const minAgeMs = minAge === null ? null : readDuration(minAge);
  if (minAge !== null && minAgeMs === null) return "minAge: a duration such as 30m, 4h or 3d.";
  const itemRow = row === "unknown" ? null : Number(row);
  return {
    schemes: schemes ?? undefined,
    itemDay: day ?? undefined,
    bank: bank ?? undefined,
    itemRow: typeof row === "string" ? itemRow : undefined,
    // Without a day and without `open`, the list has the items that still need somebody's decision.
    isItemOpen: isOpen ?? (typeof day === "string" ? undefined : true),
    isItemProposed: proposed === null ? undefined : true,
    confirmableAtMs: nowMs,
    notProposedBy: proposed === "mine" ? { operator: id, person } : undefined,
    itemMadeToMs: minAgeMs === null ? undefined : nowMs - minAgeMs,
  };
}

interface Group {
  readonly bank: string | null;
  /** Null, with sums of 0: messages in the dead letters. */
  readonly currency: string | null;
  readonly row: number | null;
  readonly cause: Item["cause"];
  count: number;
  sumTenThousandths: bigint;
  open: number;
  openTenThousandths: bigint;
}

export function summariseReconciliation({ store }: Pick<ReconciliationPorts, "store">): ControlHandler {
  return async ({ query }) => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalidRequest("day: a day, for example ZA_EFT:2026-11-20.");
    const groups = new Map<string, Group>();
    for await (const items of readItemPages(store, { itemDay: day })) for (const found of items) count(groups, found);
    const rows = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => groupView(group));
    return { kind: "found", body: { schema: "ReconciliationSummary", day, rows } };
  };
}

/** Counts an item, unless it was settled before the close. */
function count(groups: Map<string, Group>, { transaction, item }: FoundItem): void {
  if (item.settledAtMs !== null) return;
  const { bank, currency } = transaction;
  const amountTenThousandths = transaction.amountTenThousandths ?? 0n;
  const { row, cause } = item;
  const key = [bank ?? "", currency ?? "", row ?? "", cause ?? ""].join(" ");
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
    sum: currency === null ? null : formatAmount(sumTenThousandths, currency),
    open,
    openSum: currency === null ? null : formatAmount(openTenThousandths, currency),
  };
}
