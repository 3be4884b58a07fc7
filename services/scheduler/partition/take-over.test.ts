import { topics } from "@sluice/contracts";
import { Fault, sleep } from "@sluice/kernel";
import { buildDeadLetter, createOperatorSkips, type Messaging } from "@sluice/messaging";
import { expect, test } from "vitest";
import type { FactToAppend } from "../tasks/append-facts.ts";
import { openCreditRow, createOpenRows } from "../tasks/open-rows.fixture.ts";
import { schedulerStartAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { openTestWorker } from "./open-worker.fixture.ts";
import { openRowsAtOnceMax, serializeOpenReads } from "./serialize-open-reads.ts";
import { createSharedStore } from "./stored/shared-store.ts";
import { firstPageRowsMax, rebuildLockLeftMaxMs } from "./take-over.ts";

test("I16: a new owner knows every open transaction of its partition, also those on a later page of the store", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const held = Array.from({ length: 10_000 }, (_, number) => openCreditRow(number, { flow: "off-us", state: "HELD", deadlineMs: null }));
  const overdue = openCreditRow(10_001, { deadlineMs: schedulerStartAtMs + 5_000 });
  const appended: FactToAppend[] = [];
  const context = await environment.partitionContext({
    store: {
      ...environment.store,
      transactions: { ...environment.store.transactions, open: createOpenRows([...held, overdue]).store.open },
    },
    append: (facts) => {
      appended.push(...facts);
      return Promise.resolve(true);
    },
  });
  await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  await environment.time.advance(4_000);
  expect(appended).toEqual([]);
  await environment.time.advance(2_000);
  expect(appended).toEqual([{ key: overdue.uetr, fact: { kind: "DeadlinePassed", deadlineMs: schedulerStartAtMs + 5_000 } }]);
});

test("a take-over names the read for which it waited longest", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const said: unknown[] = [];
  const base = await environment.partitionContext();
  const { transactions } = base.store;
  const quarantined: typeof transactions.quarantined = async (...asked) => {
    await sleep(environment.time, 100);
    return await transactions.quarantined(...asked);
  };
  const context = {
    ...base,
    store: { ...base.store, transactions: { ...transactions, quarantined } },
    logger: { ...base.logger, info: (event: string, fields = {}) => void said.push({ event, ...fields }) },
  };
  await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  expect(said).toMatchObject([{ event: "partition.taken", slowest: "quarantined" }]);
});

const twelve = Array.from({ length: 12 }, (_, partition) => partition);

test("I15: partitions that are taken at the same time read 5,000 rows at once at most, and a failed read delays no other", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: twelve.length });
  const asked: number[] = [];
  let [rowsRead, most] = [0, 0];
  const base = await environment.partitionContext();
  const { transactions } = base.store;
  const open: typeof transactions.open = async (partition, after, limit) => {
    asked.push(partition);
    rowsRead += limit;
    most = Math.max(most, rowsRead);
    const rows = await transactions.open(partition, after, limit);
    rowsRead -= limit;
    if (partition === 1) throw new Fault("store.unavailable", "gone", { isRetryable: true });
    return rows;
  };
  const context = { ...base, store: serializeOpenReads({ ...base.store, transactions: { ...transactions, open } }) };
  const taken = await environment.settle(
    Promise.allSettled(twelve.map((partition) => openTestWorker(context, partition, { logStart: 0n, logEnd: 0n }))),
  );
  expect(taken.map(({ status }) => status)).toEqual(twelve.map((partition) => (partition === 1 ? "rejected" : "fulfilled")));
  expect(asked.toSorted((a, b) => a - b)).toEqual(twelve);
  expect(most).toBe(12 * firstPageRowsMax);
});

test("I15: large pages of open transactions are read at 5,000 rows at once at most, and a small one does not overtake them", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: twelve.length });
  let [rowsRead, most] = [0, 0];
  const order: number[] = [];
  const { transactions } = environment.store;
  const open: typeof transactions.open = async (partition, after, limit) => {
    order.push(partition);
    rowsRead += limit;
    most = Math.max(most, rowsRead);
    const rows = await transactions.open(partition, after, limit);
    rowsRead -= limit;
    return rows;
  };
  const serialized = serializeOpenReads({ ...environment.store, transactions: { ...transactions, open } });
  const limits = [1_000, 4_000, 1_000, 100, 4_900, 1, 1];
  await environment.settle(Promise.all(limits.map((limit, partition) => serialized.transactions.open(partition, null, limit))));
  expect([most, order]).toEqual([openRowsAtOnceMax, [0, 1, 2, 3, 4, 5, 6]]);
});

test("I16: a take-over asks for all that it needs under its epoch at once", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, storeHooks: { latencyMs: [100, 100] } });
  const context = await environment.partitionContext();
  const startMs = environment.time.monotonicMs();
  await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  // The epoch is raised by a read and a write; then all reads go together.
  expect(environment.time.monotonicMs() - startMs).toBeLessThan(500);
});

test("I15: twelve partitions that are taken over together ask for the open days twice at most", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: twelve.length });
  let asked = 0;
  const { days } = environment.store;
  const open: typeof days.open = async () => {
    asked += 1;
    return await days.open();
  };
  const store = createSharedStore({ ...environment.store, days: { ...days, open } }, environment.time);
  const context = await environment.partitionContext({ store });
  await environment.settle(Promise.all(twelve.map((partition) => openTestWorker(context, partition, { logStart: 0n, logEnd: 0n }))));
  expect(asked).toBeLessThanOrEqual(2);
});

test("I16: twelve partitions are taken over in less than twice the time of one, where only the store takes time", async () => {
  async function takeOverMs(partitions: readonly number[]): Promise<number> {
    const environment = new SchedulerEnvironment({ partitionCount: twelve.length, storeHooks: { latencyMs: [10, 10] } });
    const base = await environment.partitionContext();
    const context = { ...base, store: serializeOpenReads(base.store) };
    const startMs = environment.time.monotonicMs();
    await environment.settle(Promise.all(partitions.map((partition) => openTestWorker(context, partition, { logStart: 0n, logEnd: 0n }))));
    return environment.time.monotonicMs() - startMs;
  }
  const [one, all] = [await takeOverMs([0]), await takeOverMs(twelve)];
  expect(one).toBeGreaterThan(0);
  expect(all).toBeLessThan(2 * one);
});

test.each([
  {
    lease: "expired by the broker clock, whatever this process's clock says",
    untilMs: schedulerStartAtMs + 60_000,
    brokerMs: schedulerStartAtMs + 60_001,
    isLocked: false,
  },
  {
    lease: "valid by the broker clock, whatever this process's clock says",
    untilMs: schedulerStartAtMs - 1,
    brokerMs: schedulerStartAtMs - 60_000,
    isLocked: true,
  },
  {
    lease: "of a clock that is hours ahead",
    untilMs: schedulerStartAtMs + rebuildLockLeftMaxMs + 1,
    brokerMs: schedulerStartAtMs,
    isLocked: false,
  },
  { lease: "checked before the broker clock is known", untilMs: schedulerStartAtMs - 1, brokerMs: null, isLocked: true },
])("I16: a rebuild lock $lease: the partition stays locked $isLocked", async ({ untilMs, brokerMs, isLocked }) => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const brokerClock = { observe: () => {}, nowMs: () => brokerMs };
  const context = await environment.partitionContext({ brokerClock });
  await environment.settle(environment.store.partitions.takeOver("scheduler", 0));
  await environment.settle(environment.store.partitions.lock("scheduler", 0, { id: "builder", untilMs }));
  await expect(environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }))).rejects.toMatchObject({
    code: "scheduler.partition-locked",
    isRetryable: true,
  });
  const [partition] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(partition?.rebuildLock?.id ?? null).toBe(isLocked ? "builder" : null);
});

test("I15: a take-over reads only the dead letters that have come since the last one, also in another process", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const reads: bigint[] = [];
  const open = async () => {
    const client = environment.broker.client("skips");
    const messaging: Pick<Messaging, "ends" | "identity" | "read"> = {
      ends: (places) => client.ends(places),
      identity: (topic) => client.identity(topic),
      read: (place, from, to) => {
        reads.push(from);
        return client.read(place, from, to);
      },
    };
    const operatorSkips = createOperatorSkips({ messaging, serde: environment.serde, service: "scheduler" });
    const context = await environment.partitionContext({ operatorSkips });
    const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
    await environment.time.advance(1_000);
    await environment.settle(worker.close());
  };
  const addLetter = async () => {
    const source = { topic: topics.journal, partition: 0, offset: 0n, appendedAtMs: 0, key: null, value: null, headers: {} };
    const producer = await environment.settle(environment.broker.client("letters").producer("letters"));
    await environment.settle(producer.send([buildDeadLetter({ record: source, reason: "r", service: "scheduler" }, environment.serde)]));
  };
  await addLetter();
  await addLetter();
  await open();
  expect(reads).toEqual([0n]);
  await open();
  expect(reads).toEqual([0n]);
  await addLetter();
  await open();
  expect(reads).toEqual([0n, 2n]);
});
