// A query for people, in two equivalent forms: a filter of MongoDB, and a predicate over one stored document.
//
// #1 What few transactions have is asked for by the field of its index: a server that keeps no statistics would read
//    every document to find that a list is empty or a member is null.

import type { Filter } from "mongodb";
import type { DecidedTerms, TransactionQuery } from "../port.ts";
import type { MongoTransaction, StoredTransaction } from "./transaction-document.ts";
import type { StoredItem } from "./transaction-parts.ts";

type Read<Value> = (stored: StoredTransaction) => Value;

/** Fields that must equal the term, and how to read them from a document; of an array one element must be equal. */
const equalTerms = [
  ["uetr", "_id", (stored) => [stored._id]],
  ["sender", "message.sender", (stored) => [stored.message?.sender]],
  ["bank", "bank", (stored) => [stored.bank]],
  ["partition", "partition", (stored) => [stored.partition]],
  ["flow", "flow", (stored) => [stored.flow]],
  ["state", "state", (stored) => [stored.state]],
  ["scheme", "scheme", (stored) => [stored.scheme]],
  ["businessDate", "businessDate", (stored) => [stored.businessDate]],
  ["reconciliationDay", "reconciliationDay", (stored) => [stored.reconciliationDay]],
  ["amountTenThousandths", "amountTenThousandths", (stored) => [stored.amountTenThousandths]],
  ["currency", "currency", (stored) => [stored.currency]],
  ["reason", "search.reasons", (stored) => stored.search.reasons],
  ["observation", "observations.last.kind", (stored) => stored.observations.last.map(({ kind }) => kind)],
] as const satisfies readonly (readonly [keyof TransactionQuery, string, Read<readonly unknown[]>])[];

const identifications: readonly (readonly [string, Read<string | null | undefined>])[] = [
  ["message.messageIdentification", (stored) => stored.message?.messageIdentification],
  ["search.endToEndIdentification", (stored) => stored.search.endToEndIdentification],
  ["search.transactionIdentification", (stored) => stored.search.transactionIdentification],
  ["search.instructionIdentification", (stored) => stored.search.instructionIdentification],
  ["finalReport.messageIdentification", (stored) => stored.finalReport?.messageIdentification],
];

/** Lists show how a UETR begins, so people look for that too, also in upper case: UETRs are stored in lower case. */
const beginnings: readonly (readonly [...(typeof identifications)[number], (start: string) => string])[] = [
  ["_id", (stored) => stored._id, (start) => start.toLowerCase()],
  ...identifications.map(([field, read]) => [field, read, (start: string) => start] as const),
];

const accountEnds: readonly (readonly [string, Read<string | null>])[] = [
  ["search.debtorAccountEnd", (stored) => stored.search.debtorAccountEnd],
  ["search.creditorAccountEnd", (stored) => stored.search.creditorAccountEnd],
];

/** Comes after every printable character of ASCII, so that a range has all that begins alike. */
const afterAscii = "\u{7f}";

export function toMongoFilter(query: TransactionQuery): Filter<MongoTransaction> {
  const all: Record<string, unknown>[] = [];
  for (const [asked, field] of equalTerms) if (query[asked] !== undefined) all.push({ [field]: query[asked] });
  // #1: an orphan has no scheme, and an index begins with the scheme.
  if (query.state === "ORPHAN") all.push({ scheme: null });
  if (query.identification !== undefined) all.push({ $or: identifications.map(([field]) => ({ [field]: query.identification })) });
  const start = query.identificationStart;
  if (start !== undefined)
    all.push({ $or: beginnings.map(([field, , as]) => ({ [field]: { $gte: as(start), $lt: `${as(start)}${afterAscii}` } })) });
  if (query.accountEnds !== undefined) all.push({ $or: accountEnds.map(([field]) => ({ [field]: { $in: query.accountEnds } })) });
  if (query.schemes !== undefined) all.push({ scheme: { $in: query.schemes } });
  if (query.dateFrom !== undefined) all.push({ businessDate: { $gte: query.dateFrom } });
  if (query.dateTo !== undefined) all.push({ businessDate: { $lte: query.dateTo } });
  const { amountFromTenThousandths: least, amountToTenThousandths: most, decided } = query;
  if (least !== undefined) all.push({ amountTenThousandths: { $gte: least } });
  if (most !== undefined) all.push({ amountTenThousandths: { $lte: most } });
  if (query.receivedFromMs !== undefined) all.push({ receivedAt: { $gte: new Date(query.receivedFromMs) } });
  if (query.receivedToMs !== undefined) all.push({ receivedAt: { $lte: new Date(query.receivedToMs) } });
  if (decided !== undefined)
    all.push({ "decisions.at": { $gte: new Date(decided.fromMs) } }, { decisions: { $elemMatch: toDecisionFilter(decided) } });
  if (query.isQuarantined !== undefined)
    all.push(query.isQuarantined ? { "quarantined.since": { $gt: new Date(0) } } : { quarantined: null });
  const item = toItemFilter(query);
  // #1: every item has a day.
  if (item !== null) all.push({ "items.day": query.itemDay ?? { $gt: "" } }, { items: { $elemMatch: item } });
  return all.length === 0 ? {} : { $and: all };
}

function toDecisionFilter({ operator, kind, fromMs, toMs }: DecidedTerms): Record<string, unknown> {
  return {
    at: { $gte: new Date(fromMs), $lte: new Date(toMs) },
    ...(operator === undefined ? {} : { "action.operator": operator }),
    ...(kind === undefined ? {} : { kind }),
  };
}

function matchesDecision({ at, action, kind }: StoredTransaction["decisions"][number], asked: DecidedTerms): boolean {
  return (
    at.getTime() >= asked.fromMs &&
    at.getTime() <= asked.toMs &&
    (asked.operator === undefined || action.operator === asked.operator) &&
    (asked.kind === undefined || kind === asked.kind)
  );
}

function matchesAmount(stored: StoredTransaction, query: TransactionQuery): boolean {
  const { amountFromTenThousandths: least, amountToTenThousandths: most } = query;
  const { amountTenThousandths: amount } = stored;
  if (least === undefined && most === undefined) return true;
  return amount !== null && (least === undefined || amount >= least) && (most === undefined || amount <= most);
}

function matchesReceived({ receivedAt }: StoredTransaction, { receivedFromMs, receivedToMs }: TransactionQuery): boolean {
  const atMs = receivedAt.getTime();
  return (receivedFromMs === undefined || atMs >= receivedFromMs) && (receivedToMs === undefined || atMs <= receivedToMs);
}

function toItemFilter(query: TransactionQuery): Record<string, unknown> | null {
  const { itemDay, itemRow, itemCause, isItemOpen, isItemProposed, itemMadeToMs } = query;
  const all: Record<string, unknown>[] = [];
  if (itemDay !== undefined) all.push({ day: itemDay });
  if (itemRow !== undefined) all.push({ row: itemRow });
  if (itemCause !== undefined) all.push({ cause: itemCause });
  if (isItemOpen === true) all.push({ settledAt: null, "resolution.isFinal": { $ne: true } });
  if (isItemOpen === false) all.push({ $or: [{ settledAt: { $ne: null } }, { "resolution.isFinal": true }] });
  if (isItemProposed === true) all.push({ settledAt: null, "resolution.isFinal": false });
  if (itemMadeToMs !== undefined) all.push({ madeAt: { $lte: new Date(itemMadeToMs) } });
  return all.length === 0 ? null : Object.fromEntries(all.flatMap((one) => Object.entries(one)));
}

export function matchesQuery(stored: StoredTransaction, query: TransactionQuery): boolean {
  const { identification, accountEnds: ends, dateFrom, dateTo, isQuarantined } = query;
  for (const [asked, , read] of equalTerms) {
    const value: unknown = query[asked];
    const found: readonly unknown[] = read(stored);
    if (value !== undefined && !found.includes(value)) return false;
  }
  if (identification !== undefined && !identifications.some(([, read]) => read(stored) === identification)) return false;
  const start = query.identificationStart;
  if (start !== undefined && !beginnings.some(([, read, as]) => read(stored)?.startsWith(as(start)) === true)) return false;
  if (ends !== undefined && !accountEnds.some(([, read]) => ends.includes(read(stored) ?? ""))) return false;
  if (query.schemes !== undefined && !(stored.scheme !== null && query.schemes.includes(stored.scheme))) return false;
  if (dateFrom !== undefined && !(stored.businessDate !== null && stored.businessDate >= dateFrom)) return false;
  if (dateTo !== undefined && !(stored.businessDate !== null && stored.businessDate <= dateTo)) return false;
  const { decided } = query;
  if (!matchesAmount(stored, query) || !matchesReceived(stored, query)) return false;
  if (decided !== undefined && !stored.decisions.some((one) => matchesDecision(one, decided))) return false;
  if (isQuarantined !== undefined && isQuarantined !== (stored.quarantined !== null)) return false;
  return toItemFilter(query) === null || stored.items.some((item) => matchesItem(item, query));
}

function matchesItem(item: StoredItem, query: TransactionQuery): boolean {
  const { itemDay, itemRow, itemCause, isItemOpen, isItemProposed, itemMadeToMs } = query;
  const isOpen = item.settledAt === null && item.resolution?.isFinal !== true;
  return (
    (itemDay === undefined || item.day === itemDay) &&
    (itemRow === undefined || item.row === itemRow) &&
    (itemCause === undefined || item.cause === itemCause) &&
    (isItemOpen === undefined || isItemOpen === isOpen) &&
    (isItemProposed !== true || (item.settledAt === null && item.resolution?.isFinal === false)) &&
    (itemMadeToMs === undefined || item.madeAt.getTime() <= itemMadeToMs)
  );
}
