// A query for people, twice: as a filter of MongoDB, and as a predicate over one stored document. They say the same.

import type { Filter } from "mongodb";
import type { TransactionQuery } from "./port.ts";
import type { StoredTransaction } from "./transaction-document.ts";
import type { StoredItem } from "./transaction-parts.ts";

/** Fields that must equal what was asked. */
const equalFields = {
  uetr: "_id",
  sender: "message.sender",
  bank: "bank",
  lane: "lane",
  flow: "flow",
  state: "state",
  scheme: "scheme",
  businessDate: "businessDate",
  closesWith: "closesWith",
  amountTenThousandths: "amountTenThousandths",
  currency: "currency",
  reason: "search.reasons",
} as const satisfies Partial<Record<keyof TransactionQuery, string>>;

const identifications = [
  "message.messageIdentification",
  "search.endToEndIdentification",
  "search.transactionIdentification",
  "search.instructionIdentification",
  "finalReport.messageIdentification",
] as const;

const accountEnds = ["search.debtorAccountEnd", "search.creditorAccountEnd"] as const;

export function filterOf(query: TransactionQuery): Filter<StoredTransaction> {
  const all: Record<string, unknown>[] = [];
  for (const [asked, field] of Object.entries(equalFields)) {
    const value = query[asked as keyof typeof equalFields];
    if (value !== undefined) all.push({ [field]: value });
  }
  if (query.identification !== undefined) all.push({ $or: identifications.map((field) => ({ [field]: query.identification })) });
  if (query.accountEnd !== undefined) all.push({ $or: accountEnds.map((field) => ({ [field]: query.accountEnd })) });
  if (query.dateFrom !== undefined) all.push({ businessDate: { $gte: query.dateFrom } });
  if (query.dateTo !== undefined) all.push({ businessDate: { $lte: query.dateTo } });
  if (query.isParked !== undefined) all.push({ parked: query.isParked ? { $ne: null } : null });
  const item = itemFilterOf(query);
  if (item !== null) all.push({ items: { $elemMatch: item } });
  return all.length === 0 ? {} : { $and: all };
}

function itemFilterOf({ itemDay, itemRow, itemCause, isItemOpen }: TransactionQuery): Record<string, unknown> | null {
  const all: Record<string, unknown>[] = [];
  if (itemDay !== undefined) all.push({ day: itemDay });
  if (itemRow !== undefined) all.push({ row: itemRow });
  if (itemCause !== undefined) all.push({ cause: itemCause });
  if (isItemOpen === true) all.push({ settledAt: null, "resolution.isFinal": { $ne: true } });
  if (isItemOpen === false) all.push({ $or: [{ settledAt: { $ne: null } }, { "resolution.isFinal": true }] });
  return all.length === 0 ? null : Object.assign({}, ...all);
}

export function isFound(stored: StoredTransaction, query: TransactionQuery): boolean {
  const { identification, accountEnd, dateFrom, dateTo, isParked } = query;
  for (const [asked, field] of Object.entries(equalFields)) {
    const value = query[asked as keyof typeof equalFields];
    if (value !== undefined && !isAt(stored, field, value)) return false;
  }
  if (identification !== undefined && !identifications.some((field) => isAt(stored, field, identification))) return false;
  if (accountEnd !== undefined && !accountEnds.some((field) => isAt(stored, field, accountEnd))) return false;
  if (dateFrom !== undefined && !(stored.businessDate !== null && stored.businessDate >= dateFrom)) return false;
  if (dateTo !== undefined && !(stored.businessDate !== null && stored.businessDate <= dateTo)) return false;
  if (isParked !== undefined && isParked !== (stored.parked !== null)) return false;
  return itemFilterOf(query) === null || stored.items.some((item) => isItemFound(item, query));
}

function isItemFound(item: StoredItem, { itemDay, itemRow, itemCause, isItemOpen }: TransactionQuery): boolean {
  const isOpen = item.settledAt === null && item.resolution?.isFinal !== true;
  return (
    (itemDay === undefined || item.day === itemDay) &&
    (itemRow === undefined || item.row === itemRow) &&
    (itemCause === undefined || item.cause === itemCause) &&
    (isItemOpen === undefined || isItemOpen === isOpen)
  );
}

/** An array field holds what was asked if one of its elements does. */
function isAt(stored: StoredTransaction, field: string, value: unknown): boolean {
  let found: unknown = stored;
  for (const name of field.split(".")) found = (found as Readonly<Record<string, unknown>> | null)?.[name] ?? null;
  return Array.isArray(found) ? found.includes(value) : found === value;
}
