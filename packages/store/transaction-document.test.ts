import { expect, test } from "vitest";
import { document, fullTransaction, transaction } from "./conformance.ts";
import { fromStored, toRow, toStored } from "./transaction-document.ts";
import type { StoredTransactionEver } from "./transaction-document.ts";

/** As it was written before flows, deadlines of credits and outcomes told were known. */
function before(over: Parameters<typeof transaction>[0] = {}): StoredTransactionEver {
  const {
    flow: _f,
    deadline: _d,
    wantsOutcomeReport: _w,
    outcome: _o,
    receivedOffset: _r,
    rollsLeft: _l,
    ...stored
  } = toStored(document(over));
  return {
    ...stored,
    told: stored.told.map((told) => {
      const { operation: _, ...rest } = told;
      return rest;
    }),
    items: stored.items.map((item) => {
      if (item.evidence === null) return item;
      const { mayHaveBeenTaken: _, ...evidence } = item.evidence;
      return { ...item, evidence };
    }),
  };
}

test("a transaction written before there were flows is read as an on-us debit", () => {
  const { transaction: read } = fromStored(before());
  expect(read).toStrictEqual(transaction({ flow: "on-us", deadlineMs: null, wantsOutcomeReport: false, outcome: null }));
  expect(toRow(before())).toMatchObject({ flow: "on-us", deadlineMs: null, isOutcomeAwaited: false, rollsLeft: 0 });
  expect(fromStored(before({ state: "ORPHAN", message: null })).transaction.flow).toBeNull();
});

test("what was told before there were flows went to the initiating side; a stop is of what its letter names", () => {
  const [told] = fullTransaction().told;
  const kinds = [
    { ...told!, messageIdentification: "X00" },
    { ...told!, kind: "stop-again", messageIdentification: `${"0".repeat(32)}D` },
    { ...told!, kind: "stop-again", messageIdentification: `${"0".repeat(32)}A` },
  ] as const;
  expect(fromStored(before({ told: kinds })).transaction.told.map(({ operation }) => operation)).toEqual([
    "outboundDirectDebitResponse",
    "inboundDirectDebit",
    "outboundDirectDebitResponse",
  ]);
});

test("evidence that does not say so leaves open whether the message was taken", () => {
  const [item] = fromStored(before({ items: fullTransaction().items })).transaction.items;
  expect(item!.evidence).toStrictEqual({ ...fullTransaction().items[0]!.evidence, mayHaveBeenTaken: true });
});
