import { topics } from "@sluice/contracts";
import type { TransactionStore } from "@sluice/store";
import { expect, test } from "vitest";
import { pauseRecord } from "../operator-records.fixture.ts";
import { SchedulerEnvironment, schedulerBank, schedulerDay } from "../scheduler.fixture.ts";
import { journalHandlers } from "../service.ts";
import { createAppliedMarkers } from "./applied-markers.ts";
import { type BatchPorts, type BatchRecord, runBatch } from "./batch.ts";
import { readJournal } from "./read-journal.ts";
import { createStoreWitness } from "./stored/store-witness.ts";

async function setUp(own: (environment: SchedulerEnvironment) => Partial<BatchPorts> = () => ({})) {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const context = await environment.partitionContext();
  const lost = { count: 0 };
  const ports: BatchPorts = {
    ...context,
    markers: createAppliedMarkers(0),
    transactions: environment.store.transactions,
    days: environment.store.days,
    banks: environment.store.banks,
    cache: context.snapshots(),
    witness: createStoreWitness(() => Promise.resolve(new Map())),
    requireLease: () => Promise.resolve(),
    onStoreGoneBack: () => {
      throw new Error("the store has not gone back");
    },
    analysts: { add: () => {} },
    onLostWrite: () => {
      lost.count += 1;
      return Promise.resolve();
    },
    ...own(environment),
  };
  /** Reads the journal from an offset on. */
  const read = (from = 0n): Promise<readonly BatchRecord[]> => {
    const records = environment.records(topics.journal).filter(({ offset }) => offset >= from);
    const reader = { serde: environment.serde, handlers: journalHandlers, partitionCount: 1, operatorJudge: { judge: () => null } };
    return Promise.all(records.map((record) => readJournal(record, reader)));
  };
  return { environment, ports, lost, read };
}

/** Answers false at the first call, though nothing else has written. */
function losesOnce<A extends readonly unknown[]>(write: (...given: A) => Promise<boolean>): (...given: A) => Promise<boolean> {
  let calls = 0;
  return (...given) => {
    calls += 1;
    return calls === 1 ? Promise.resolve(false) : write(...given);
  };
}

test("I2: a write that another owner has won is read again, not decided on the snapshot in memory", async () => {
  const { environment, ports, lost, read } = await setUp();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.settle(runBatch(await read(), ports));
  await environment.append(topics.journal, uetr, environment.verdict(debit));
  // Another owner handles the verdict first.
  const context = await environment.partitionContext();
  await environment.settle(runBatch(await read(1n), { ...ports, cache: context.snapshots() }));
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "A"));
  await environment.settle(runBatch(await read(1n), ports));
  expect(lost.count).toBe(1);
  expect(await environment.states(uetr)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
});

test("I16: a lost write of a day is repeated, and its markers are produced once it is there", async () => {
  const { environment, ports, lost, read } = await setUp(({ store: { days } }) => ({
    days: { load: (keys) => days.load(keys), write: losesOnce((day, version) => days.write(day, version)) },
  }));
  const other = new SchedulerEnvironment({ partitionCount: 1 });
  await other.scheduler();
  await other.until("planned", () => other.named(topics.journal, "DayPlanned").length > 0);
  const planned = other.named(topics.journal, "DayPlanned")[0]!.decoded;
  await environment.append(topics.journal, schedulerDay, planned);
  await environment.settle(runBatch(await read(), ports));
  expect(lost.count).toBe(1);
  expect((await environment.settle(environment.store.days.load([schedulerDay]))).size).toBe(1);
});

test("I16: a lost write of a bank is repeated", async () => {
  const { environment, ports, lost, read } = await setUp(({ store: { banks } }) => ({
    banks: { load: (ids) => banks.load(ids), write: losesOnce((state, version) => banks.write(state, version)) },
  }));
  await environment.append(topics.journal, `bank:${schedulerBank}`, pauseRecord(schedulerBank));
  await environment.settle(runBatch(await read(), ports));
  expect(lost.count).toBe(1);
  expect([...(await environment.settle(environment.store.banks.load([schedulerBank]))).keys()]).toEqual([schedulerBank]);
});

test("I2: a conflict in any bulk of a large batch counts", async () => {
  let bulks = 0;
  const { environment, ports, lost, read } = await setUp(({ store: { transactions } }) => {
    const write: TransactionStore["write"] = (writes) => {
      bulks += 1;
      if (bulks > 1) return transactions.write(writes);
      return transactions.write(writes.slice(1)).then(() => ({ conflicts: [writes[0]!.document.transaction.uetr] }));
    };
    return { transactions: { load: (uetrs) => transactions.load(uetrs), write } };
  });
  const uetrs = Array.from({ length: 1_001 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(runBatch(await read(), ports));
  expect(lost.count).toBe(1);
  const states = await Promise.all(uetrs.map((uetr) => environment.states(uetr)));
  expect(states.filter((one) => one.join() !== "RECEIVED")).toEqual([]);
});

test("a transaction that newer rules decided is left as it is, and an older process waits at it [D11.8]", async () => {
  const { environment, ports, read } = await setUp();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  const runBy = async (rulesVersion: number) =>
    environment.settle(runBatch(await read(), { ...ports, rulesVersion, cache: (await environment.partitionContext()).snapshots() }));
  await environment.append(topics.journal, uetr, debit);
  await runBy(4);
  await environment.append(topics.journal, uetr, environment.verdict(debit));
  const before = await environment.document(uetr);
  const sent = environment.records(topics.events).length;
  await expect(runBy(3)).rejects.toMatchObject({ code: "scheduler.newer-rules", isRetryable: true });
  expect(await environment.document(uetr)).toEqual(before);
  expect(environment.records(topics.events)).toHaveLength(sent);
  // A process of the same version, or of a newer one, goes on; the document says both versions.
  await runBy(5);
  expect(await environment.document(uetr)).toMatchObject({ transaction: { version: 2 }, rules: { oldest: 4, newest: 5 } });
});
