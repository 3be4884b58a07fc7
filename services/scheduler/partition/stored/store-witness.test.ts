import type { TransactionDocument } from "@sluice/store";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../../scheduler.fixture.ts";
import { createStoreWitness } from "./store-witness.ts";

/** Two documents as the scheduler stores them. */
async function given(): Promise<readonly [TransactionDocument, TransactionDocument]> {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetrs = [environment.uetr(), environment.uetr()] as const;
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("held", () => uetrs.every((uetr) => environment.events(uetr).length === 4));
  return [(await environment.document(uetrs[0]))!, (await environment.document(uetrs[1]))!];
}

test("a store has what was written if it has the newest document in that version or a later one", async () => {
  const [first, second] = await given();
  const witness = createStoreWitness();
  expect([witness.expected().uetrs, witness.expected().isMissing(new Map())]).toEqual([[], false]);
  witness.wrote(first);
  witness.wrote(second);
  const { uetrs, isMissing } = witness.expected();
  const { uetr, version } = second.transaction;
  const inVersion = (of: number) => new Map([[uetr, { ...second, transaction: { ...second.transaction, version: of } }]]);
  expect(uetrs).toEqual([uetr]);
  expect([version - 1, version, version + 1].map((of) => isMissing(inVersion(of)))).toEqual([true, false, false]);
  expect(isMissing(new Map())).toBe(true);
});

test("a document that is written while the store is read is not expected in that read", async () => {
  const [first, second] = await given();
  const witness = createStoreWitness();
  witness.wrote(first);
  const { isMissing } = witness.expected();
  witness.wrote(second);
  expect(isMissing(new Map([[first.transaction.uetr, first]]))).toBe(false);
});

test("I11: a ledger that was written last is the witness, until a transaction is written after it", async () => {
  const [first, second] = await given();
  const stored = { ledger: 2, transaction: first.transaction.version };
  const witness = createStoreWitness(() => Promise.resolve(stored.ledger));
  const versions = (uetrs: readonly string[]) =>
    Promise.resolve(new Map(uetrs.map((uetr) => [uetr, { partition: 0, version: stored.transaction }])));
  witness.wrote(first);
  witness.wroteLedger("ZA_EFT:2026-11-20", 3);
  expect(await witness.isMissing({ versions })).toBe(true);
  stored.ledger = 3;
  expect(await witness.isMissing({ versions })).toBe(false);
  witness.wrote(second);
  stored.transaction = second.transaction.version - 1;
  expect(await witness.isMissing({ versions })).toBe(true);
});
