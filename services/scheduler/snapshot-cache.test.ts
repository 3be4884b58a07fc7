import { topics } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import { expect, test } from "vitest";
import { World } from "./given.ts";
import { openLane } from "./lane.ts";
import { createSnapshotCaches } from "./snapshot-cache.ts";

const journal = { topic: topics.journal, partition: 0 };

function lying(world: World, from = 0n): readonly ReceivedRecord[] {
  return world.log.records(journal).filter(({ offset }) => offset >= from);
}

async function documentsOf(world: World, count: number): Promise<readonly TransactionDocument[]> {
  const lane = await world.done(openLane(await world.laneContext(), 0, 0n));
  const uetrs = Array.from({ length: count }, () => world.uetr());
  for (const uetr of uetrs) await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.done(lane.handle(lying(world)));
  const found = await Promise.all(uetrs.map((uetr) => world.document(uetr)));
  return found.flatMap((document) => document ?? []);
}

test("a process keeps so many snapshots and no more, however many lanes put them in", async () => {
  const documents = await documentsOf(new World({ lanes: 1 }), 6);
  const caches = createSnapshotCaches(4);
  const [one, two] = [caches(), caches()];
  for (const [index, document] of documents.entries()) (index % 2 === 0 ? one : two).set(document);
  const kept = documents.map(({ transaction: { uetr } }) => (one.get(uetr) ?? two.get(uetr)) !== undefined);
  expect(kept).toEqual([false, false, true, true, true, true]);
});

test("a tenure finds only what it put in itself, and drops nothing of another's", async () => {
  const [document] = await documentsOf(new World({ lanes: 1 }), 1);
  const caches = createSnapshotCaches();
  const [before, now] = [caches(), caches()];
  const { uetr } = document!.transaction;
  before.set(document!);
  expect(now.get(uetr)).toBeUndefined();
  now.drop([uetr]);
  expect(before.get(uetr)).toBe(document);
  now.set(document!);
  expect(before.get(uetr)).toBeUndefined();
});

test("a snapshot that makes room for another lane's while the batch reads the store is judged all the same", async () => {
  const world = new World({ lanes: 1 });
  const snapshots = createSnapshotCaches(2);
  const other = snapshots();
  const elsewhere = await documentsOf(new World({ lanes: 1, seed: 7 }), 2);
  const context = await world.laneContext({ snapshots });
  const { transactions } = context.store;
  const crowded: typeof transactions = Object.assign(Object.create(transactions), {
    async load(uetrs: readonly string[]) {
      const found = await transactions.load(uetrs);
      for (const document of elsewhere) other.set(document);
      return found;
    },
  });
  const lane = await world.done(openLane({ ...context, store: { ...context.store, transactions: crowded } }, 0, 0n));
  const [known, fresh] = [world.uetr(), world.uetr()];
  const debit = world.debitOf(known);
  await world.append(topics.journal, known, debit);
  await world.done(lane.handle(lying(world)));
  await world.append(topics.journal, known, world.verdictOf(debit));
  await world.append(topics.journal, fresh, world.debitOf(fresh));
  await world.done(lane.handle(lying(world, 1n)));
  expect(await world.states(known)).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(await world.states(fresh)).toEqual(["RECEIVED"]);
});
