import type { TransactionDocument, WrittenDocument } from "@sluice/store";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../../scheduler.fixture.ts";
import { createStoreWitness, findProven, witnessesMax } from "./store-witness.ts";

/** Two documents as the scheduler stores them. */
async function given(): Promise<readonly [TransactionDocument, TransactionDocument]> {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetrs = [environment.uetr(), environment.uetr()] as const;
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("held", () => uetrs.every((uetr) => environment.events(uetr).length === 4));
  return [(await environment.document(uetrs[0]))!, (await environment.document(uetrs[1]))!];
}

const written = ({ transaction: { uetr, version } }: TransactionDocument): WrittenDocument => ({ kind: "transaction", id: uetr, version });
const ledger = (version: number): WrittenDocument => ({ kind: "ledger", id: "ZA_EFT:2026-11-20", version });

/** A store that has these versions, by kind and id. */
function createVersions() {
  const stored = new Map<string, number>();
  return {
    has: (...documents: readonly WrittenDocument[]) => {
      for (const { kind, id, version } of documents) stored.set(`${kind} ${id}`, version);
    },
    read: (kind: string, ids: readonly string[]) =>
      Promise.resolve(new Map(ids.flatMap((id) => (stored.has(`${kind} ${id}`) ? [[id, stored.get(`${kind} ${id}`)!]] : [])))),
  };
}

test("a store has what was written if it has the documents in that version or a later one", async () => {
  const [first, second] = await given();
  const witness = createStoreWitness(createVersions().read);
  expect([witness.expected().uetrs, witness.expected().isMissing(new Map())]).toEqual([[], false]);
  witness.wrote(written(second));
  const { uetrs, isMissing } = witness.expected();
  const { uetr, version } = second.transaction;
  const inVersion = (of: number) => new Map([[uetr, { ...second, transaction: { ...second.transaction, version: of } }]]);
  expect(uetrs).toEqual([uetr]);
  expect([version - 1, version, version + 1].map((of) => isMissing(inVersion(of)))).toEqual([true, false, false]);
  expect(isMissing(new Map())).toBe(true);
  // A read that has found it looks for it again, as long as nothing newer was written.
  expect(witness.expected().uetrs).toEqual([uetr]);
  witness.wrote(written(first));
  expect(witness.expected().uetrs).toEqual([uetr, first.transaction.uetr]);
  expect(witness.expected().isMissing(new Map([first, second].map((one) => [one.transaction.uetr, one])))).toBe(false);
  expect(witness.expected().uetrs).toEqual([first.transaction.uetr]);
});

test("a document that is written while the store is read is not expected in that read", async () => {
  const [first, second] = await given();
  const witness = createStoreWitness(createVersions().read);
  witness.wrote(written(first));
  const { isMissing } = witness.expected();
  witness.wrote(written(second));
  expect(isMissing(new Map([[first.transaction.uetr, first]]))).toBe(false);
  expect(witness.expected().uetrs).toEqual([second.transaction.uetr]);
});

test("I1: what was written behind a restore does not hide what is missing", async () => {
  const [first, second] = await given();
  const witness = createStoreWitness(createVersions().read);
  witness.wrote(written(first));
  // The store was restored here, and this was decided on what the process remembered.
  witness.wrote(written(second));
  expect(witness.expected().isMissing(new Map([[second.transaction.uetr, second]]))).toBe(true);
});

test("I11: what was written last is the witness, of whatever kind", async () => {
  const [first] = await given();
  const versions = createVersions();
  const witness = createStoreWitness(versions.read);
  expect(await witness.isMissing()).toBe(false);
  versions.has(written(first), ledger(2));
  witness.wrote(written(first));
  expect(await witness.isMissing()).toBe(false);
  witness.wrote(ledger(3));
  expect(await witness.isMissing()).toBe(true);
  versions.has(ledger(3));
  expect(await witness.isMissing()).toBe(false);
});

test("I1: a position carries all that was written since the newest proven one, until a read has found it", async () => {
  const versions = createVersions();
  const witness = createStoreWitness(versions.read, 5n);
  const day = (number: number): WrittenDocument => ({ kind: "day", id: `ZA_EFT:${number}`, version: 1 });
  const write = (position: bigint, ...documents: readonly WrittenDocument[]): void => {
    versions.has(...documents);
    for (const document of documents) witness.wrote(document);
    witness.wrotePosition(position, witness.unproven());
  };
  expect(witness.unproven()).toEqual({ from: 5n, written: [] });
  write(10n, day(1), ledger(1));
  // A ledger may land in a restored store, so it does not speak for the day that was written before it.
  write(20n, day(2), ledger(2));
  expect(witness.unproven()).toEqual({ from: 5n, written: [day(1), day(2), ledger(2)] });
  const reading = witness.isMissing();
  write(30n, ledger(3));
  expect(await reading).toBe(false);
  // 30 was acknowledged behind the begin of that read.
  expect(witness.unproven()).toEqual({ from: 20n, written: [ledger(3)] });
  for (let n = 1; n < witnessesMax; n += 1) {
    expect(witness.isFull()).toBe(false);
    write(40n + BigInt(n), day(2 + n));
  }
  expect(witness.isFull()).toBe(true);
  expect(await witness.isMissing()).toBe(false);
  expect(witness.isFull()).toBe(false);
});

test("I1: what is written while a position is on its way is carried by the next one", () => {
  const witness = createStoreWitness(createVersions().read, 5n);
  witness.wrote(ledger(1));
  const carried = witness.unproven();
  witness.wrote(ledger(2));
  witness.wrotePosition(6n, carried);
  expect(witness.unproven()).toEqual({ from: 5n, written: [ledger(2)] });
});

test("I1: a position goes back to what is proven where the store lacks one of its witnesses", async () => {
  const versions = createVersions();
  const unproven = { from: 7n, written: [ledger(1), ledger(3)] };
  expect(await findProven(null, versions.read)).toBeNull();
  expect(await findProven(unproven, versions.read)).toBe(7n);
  versions.has(ledger(2));
  expect(await findProven(unproven, versions.read)).toBe(7n);
  versions.has(ledger(4));
  expect(await findProven(unproven, versions.read)).toBeNull();
});
