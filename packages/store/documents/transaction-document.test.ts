import { expect, test } from "vitest";
import { conformanceDocument, conformanceFullTransaction, conformanceTransaction } from "../conformance/conformance-transactions.ts";
import { type AnyStoredTransaction, fromStoredTransaction, toOpenRow, toStoredTransaction } from "./transaction-document.ts";

/** The stored form from before flows, credits' deadlines and outcome reports existed. */
function buildOld(over: Parameters<typeof conformanceTransaction>[0] = {}): AnyStoredTransaction {
  const {
    flow: _f,
    deadline: _d,
    wantsOutcomeReport: _w,
    outcome: _o,
    receivedOffset: _r,
    rollsLeft: _l,
    ...stored
  } = toStoredTransaction(conformanceDocument(over));
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

test("a transaction written before flows existed is read as an on-us debit", () => {
  const { transaction: read } = fromStoredTransaction(buildOld());
  expect(read).toStrictEqual(conformanceTransaction({ flow: "on-us", deadlineMs: null, wantsOutcomeReport: false, outcomeReport: null }));
  expect(toOpenRow(buildOld())).toMatchObject({ flow: "on-us", deadlineMs: null, isOutcomeAwaited: false, carryOversLeft: 0 });
  expect(fromStoredTransaction(buildOld({ state: "ORPHAN", message: null })).transaction.flow).toBeNull();
});

test("notices written before flows existed went to the initiating side; the letter of a stop's message gives its operation", () => {
  const [told] = conformanceFullTransaction().notices;
  const kinds = [
    { ...told!, messageIdentification: "X00" },
    { ...told!, kind: "stop-again", messageIdentification: `${"0".repeat(32)}D` },
    { ...told!, kind: "stop-again", messageIdentification: `${"0".repeat(32)}A` },
  ] as const;
  expect(fromStoredTransaction(buildOld({ notices: kinds })).transaction.notices.map(({ operation }) => operation)).toEqual([
    "outboundDirectDebitResponse",
    "inboundDirectDebit",
    "outboundDirectDebitResponse",
  ]);
});

test("evidence that does not record whether the message was taken leaves it open", () => {
  const [item] = fromStoredTransaction(buildOld({ items: conformanceFullTransaction().items })).transaction.items;
  expect(item!.evidence).toStrictEqual({ ...conformanceFullTransaction().items[0]!.evidence, mayHaveBeenTaken: true });
});
