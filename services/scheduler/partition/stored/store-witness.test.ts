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
