import { topics } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { openTestWorker } from "./open-worker.fixture.ts";
import { createSnapshotCaches } from "./snapshot-cache.ts";

const journal = { topic: topics.journal, partition: 0 };

function journalRecords(environment: SchedulerEnvironment, from = 0n): readonly ReceivedRecord[] {
  return environment.broker.records(journal).filter(({ offset }) => offset >= from);
}

async function loadDocuments(environment: SchedulerEnvironment, count: number): Promise<readonly TransactionDocument[]> {
  const worker = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  const uetrs = Array.from({ length: count }, () => environment.uetr());
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(worker.handle(journalRecords(environment)));
  const found = await Promise.all(uetrs.map((uetr) => environment.document(uetr)));
  return found.flatMap((document) => document ?? []);
}

test("a process keeps a bounded number of snapshots, however many partitions add them", async () => {
  const documents = await loadDocuments(new SchedulerEnvironment({ partitionCount: 1 }), 6);
  const caches = createSnapshotCaches(4);
  const [one, two] = [caches(), caches()];
  for (const [index, document] of documents.entries()) (index % 2 === 0 ? one : two).set(document);
  const kept = documents.map(({ transaction: { uetr } }) => (one.get(uetr) ?? two.get(uetr)) !== undefined);
  expect(kept).toEqual([false, false, true, true, true, true]);
});

test("a lease finds only its own snapshots, and drops no other's", async () => {
  const [document] = await loadDocuments(new SchedulerEnvironment({ partitionCount: 1 }), 1);
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

test("a snapshot that another partition evicts while the batch reads the store is still used", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const snapshots = createSnapshotCaches(2);
  const other = snapshots();
  const elsewhere = await loadDocuments(new SchedulerEnvironment({ partitionCount: 1, seed: 7 }), 2);
  const context = await environment.partitionContext({ snapshots });
  const { transactions } = context.store;
  const crowded: typeof transactions = Object.assign(Object.create(transactions), {
    async load(uetrs: readonly string[]) {
      const found = await transactions.load(uetrs);
      for (const document of elsewhere) other.set(document);
      return found;
    },
  });
  const worker = await environment.settle(
    openTestWorker({ ...context, store: { ...context.store, transactions: crowded } }, 0, { logStart: 0n, logEnd: 0n }),
  );
  const [known, fresh] = [environment.uetr(), environment.uetr()];
  const debit = environment.debit(known);
  await environment.append(topics.journal, known, debit);
  await environment.settle(worker.handle(journalRecords(environment)));
  await environment.append(topics.journal, known, environment.verdict(debit));
  await environment.append(topics.journal, fresh, environment.debit(fresh));
  await environment.settle(worker.handle(journalRecords(environment, 1n)));
  expect(await environment.states(known)).toEqual(["RECEIVED", "ACCEPTED"]);
  expect(await environment.states(fresh)).toEqual(["RECEIVED"]);
});
