// Filters of people's queries: what few transactions have is asked for by the field of its index.

import { expect, test } from "vitest";
import { transactionIndexes } from "../mongodb/indexes.ts";
import type { TransactionQuery } from "../port.ts";
import { toMongoFilter } from "./transaction-query.ts";

const decided = { operator: "thandi", fromMs: 1_795_000_000_000, toMs: 1_795_000_060_000 };
const rare: readonly (readonly [string, TransactionQuery])[] = [
  ["items.day", { isItemOpen: true }],
  ["items.day", { isItemProposed: true }],
  ["items.day", { itemMadeToMs: 1_795_000_000_000 }],
  ["quarantined.since", { isQuarantined: true }],
  ["decisions.at", { decided }],
  ["observations.last.kind", { observation: "conflict" }],
  ["scheme", { state: "ORPHAN" }],
];

test.each(rare)("a query by %s names the field with which an index begins", (field, query) => {
  const { $and: all } = toMongoFilter(query);
  expect((all ?? []).flatMap((one) => Object.keys(one))).toContain(field);
  expect(transactionIndexes.map(({ key }) => Object.keys(key)[0])).toContain(field);
});
