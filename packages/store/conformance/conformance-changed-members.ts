// Part of the store's conformance: a write sets only what changed since what the same adapter wrote before.

import { expect, test } from "vitest";
import type { Store, TransactionDocument } from "../port.ts";
import { conformanceDocument, conformanceFullTransaction } from "./conformance-transactions.ts";
import { conformanceUetr } from "./conformance-partitions.ts";

const uetr = conformanceUetr(1);

async function load({ transactions }: Store): Promise<TransactionDocument | undefined> {
  return (await transactions.load([uetr])).get(uetr);
}

function withVersion(document: TransactionDocument, version: number, over: Partial<TransactionDocument["transaction"]> = {}) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The store keeps any combination of members.
  const transaction = { ...document.transaction, ...over, version } as TransactionDocument["transaction"];
  return { ...document, transaction };
}

export function changedMembersPromises(open: () => Promise<Store>): void {
  test("a document that was made from one that was written comes back as it is, with all that changed and all that did not", async () => {
    const store = await open();
    const first = { ...conformanceDocument(), transaction: { ...conformanceFullTransaction(), version: 1 } };
    expect(await store.transactions.write([{ document: first, expectedVersion: 0 }])).toEqual({ conflicts: [] });
    const second = withVersion(first, 2, { quarantined: null, observations: { count: 12, last: [] } });
    expect(await store.transactions.write([{ document: second, expectedVersion: 1, before: first }])).toEqual({ conflicts: [] });
    expect(await load(store)).toStrictEqual(second);
    const third = { ...withVersion(second, 3), finalReport: Uint8Array.of(9), search: { ...second.search, reasons: ["AC04"] } };
    expect(await store.transactions.write([{ document: third, expectedVersion: 2, before: second }])).toEqual({ conflicts: [] });
    expect(await load(store)).toStrictEqual(third);
  });

  test("what queries find by follows each change", async () => {
    const store = await open();
    const held = conformanceDocument();
    const { partition } = held.transaction;
    await store.transactions.write([{ document: held, expectedVersion: 0 }]);
    expect((await store.transactions.open(partition, null, 10)).map((row) => row.uetr)).toEqual([uetr]);
    const completed = withVersion(held, 2, { state: "COMPLETED" });
    await store.transactions.write([{ document: completed, expectedVersion: 1, before: held }]);
    expect(await store.transactions.open(partition, null, 10)).toEqual([]);
  });

  test("I5: where the adapter did not write the document from which another was made, all of that is written", async () => {
    const store = await open();
    await store.transactions.write([{ document: conformanceDocument({}, 7), expectedVersion: 0 }]);
    const believed = conformanceDocument({ bank: "second" }, 8);
    const next = withVersion(believed, 2);
    await store.transactions.write([{ document: next, expectedVersion: 1, before: believed }]);
    expect(await load(store)).toStrictEqual(next);
  });

  test("I5: a write that was refused is no base for the next one", async () => {
    const store = await open();
    await store.transactions.write([{ document: conformanceDocument({}, 7), expectedVersion: 0 }]);
    const refused = conformanceDocument({ bank: "second" }, 8);
    expect(await store.transactions.write([{ document: refused, expectedVersion: 0 }])).toEqual({ conflicts: [uetr] });
    const next = withVersion(refused, 2);
    await store.transactions.write([{ document: next, expectedVersion: 1, before: refused }]);
    expect(await load(store)).toStrictEqual(next);
  });
}
