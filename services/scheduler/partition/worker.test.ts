import { topics } from "@sluice/contracts";
import type { BatchHandler, OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { expect, test } from "vitest";
import type { FactToAppend } from "../tasks/append-facts.ts";
import { schedulerDay, schedulerStartAtMs, SchedulerEnvironment } from "../scheduler.fixture.ts";
import type { PartitionContext } from "./context.ts";
import { openTestWorker } from "./open-worker.fixture.ts";

const journal = { topic: topics.journal, partition: 0 };

/** Reads the records of the only partition, from an offset on. */
function journalRecords(environment: SchedulerEnvironment, from = 0n): readonly ReceivedRecord[] {
  return environment.broker.records(journal).filter(({ offset }) => offset >= from);
}

/** A producer that can fail, and remembers what was sent; snapshots are not counted. */
function failing(producer: Producer, isFailing: (records: readonly OutgoingRecord[]) => boolean) {
  const sent: OutgoingRecord[] = [];
  const wrapped: Producer = {
    send(records) {
      if (isFailing(records)) return Promise.reject(new Fault("messaging.unknown-outcome", "lost", { isRetryable: true }));
      sent.push(...records.filter(({ topic }) => topic !== topics.transactions && topic !== topics.stateEvents));
      return producer.send(records);
    },
    close: () => producer.close(),
  };
  return { sent, wrapped };
}

async function rejectionCode(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "fulfilled",
    (error: unknown) => (error instanceof Fault ? `${error.code} ${error.isRetryable}` : String(error)),
  );
}

test("an owner that lost its epoch does nothing more: its batch is refused, its position is not written, its tasks append nothing", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const appended: string[] = [];
  const append = (facts: readonly { readonly key: string }[]) => {
    appended.push(...facts.map(({ key }) => key));
    return Promise.resolve(true);
  };
  let ageMs = 0;
  const context = await environment.partitionContext({ append, heartbeatAgeMs: () => ageMs });
  const stale = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  ageMs = 60_000;
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(stale.handle(journalRecords(environment)));
  await environment.time.advance(500);
  const owner = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  expect(owner.startAt).toBe(1n);

  const other = environment.uetr();
  await environment.append(topics.journal, other, environment.debit(other));
  await environment.settle(owner.handle(journalRecords(environment, 1n)));
  await environment.time.advance(500);
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(rejectionCode(stale.handle(journalRecords(environment, 1n))));
  await environment.time.advance(500);
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  expect(await environment.settle(rejectionCode(stale.handle(journalRecords(environment, 3n))))).toBe("scheduler.partition-lost true");
  await environment.time.advance(20_000);
  expect(appended).toEqual([]);
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(document).toMatchObject({ epoch: 2, position: 2n });
  await environment.settle(stale.close());
  const [after] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(after).toMatchObject({ epoch: 2, position: 2n });
});

test("a write that another owner won is read and decided again, and nothing is counted twice", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const first = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.settle(first.handle(journalRecords(environment)));
  const second = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  await environment.append(topics.journal, uetr, environment.verdict(debit));
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "A"));
  // Both at once on the same records: one of them loses the compare-and-set.
  const both = [first.handle(journalRecords(environment, 1n)), second.handle(journalRecords(environment, 1n))].map((promise) =>
    rejectionCode(promise),
  );
  const answers = await environment.settle(Promise.all(both));
  expect(answers[1]).toBe("fulfilled");
  expect(await environment.states(uetr)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
  expect((await environment.document(uetr))!.transaction.version).toBe(3);
  const bodies = environment
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  expect(new Set(bodies).size).toBe(4);
});

test("a stale owner that decided on an older snapshot loses the write, and learns that it is stale", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const base = await environment.partitionContext();
  const { sent, wrapped } = failing(base.producer, () => false);
  const stale = await environment.settle(openTestWorker({ ...base, producer: wrapped }, 0, { logStart: 0n, logEnd: 0n }));
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.settle(stale.handle(journalRecords(environment)));
  const owner = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  await environment.append(topics.journal, uetr, environment.verdict(debit));
  await environment.settle(owner.handle(journalRecords(environment, 1n)));
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "A"));
  const before = sent.length;
  expect(await environment.settle(rejectionCode(stale.handle(journalRecords(environment, 2n))))).toBe("scheduler.partition-lost true");
  expect(sent).toHaveLength(before);
  expect(await environment.states(uetr)).toEqual(["RECEIVED", "ACCEPTED"]);
});

test("when a batch is repeated, the records before its marker are not: they were written and produced before", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const [before, after] = [environment.uetr(), environment.uetr()];
  let failures = 1;
  const base = await environment.partitionContext();
  const { sent, wrapped } = failing(base.producer, (records) => {
    const isAfter = records.some(({ key }) => Buffer.from(key!).toString() === after);
    return isAfter && failures-- > 0;
  });
  const worker = await environment.settle(openTestWorker({ ...base, producer: wrapped }, 0, { logStart: 0n, logEnd: 0n }));
  await environment.append(topics.journal, before, environment.debit(before));
  const marker = { id: `${schedulerDay}:WindowOpened:1:0`, scheme: "ZA_EFT", businessDate: "2026-11-20", partition: 0, number: 1 };
  await environment.append(topics.journal, schedulerDay, { name: "WindowOpened", value: marker }, 0);
  await environment.append(topics.journal, after, environment.debit(after));
  const records = journalRecords(environment);
  expect(await environment.settle(rejectionCode(worker.handle(records)))).toBe("messaging.unknown-outcome true");
  await environment.settle(worker.handle(records));
  expect(sent.map(({ key }) => Buffer.from(key!).toString())).toEqual([before, after]);
  await environment.settle(worker.close());
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(document).toMatchObject({ position: 3n, state: { markers: [{ offset: "1" }] } });
});

test.each(["down", "ambiguous", "torn"] as const)(
  "a write that ends %s is read again: the state is stored before its outputs leave",
  async (fault) => {
    let isFailing = false;
    const environment = new SchedulerEnvironment({
      partitionCount: 1,
      storeHooks: { fault: ({ operation }) => (isFailing && operation === "transactions.write" ? fault : "none") },
    });
    const base = await environment.partitionContext();
    const { sent, wrapped } = failing(base.producer, () => false);
    const worker = await environment.settle(openTestWorker({ ...base, producer: wrapped }, 0, { logStart: 0n, logEnd: 0n }));
    const uetrs = [environment.uetr(), environment.uetr(), environment.uetr()];
    for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr, schedulerStartAtMs));
    isFailing = true;
    expect(await environment.settle(rejectionCode(worker.handle(journalRecords(environment))))).toMatch(/^store\..* true$/);
    expect(sent).toEqual([]);
    isFailing = false;
    await environment.settle(worker.handle(journalRecords(environment)));
    expect(sent).toHaveLength(3);
    for (const uetr of uetrs) expect((await environment.document(uetr))!.transaction).toMatchObject({ state: "RECEIVED", version: 1 });
  },
);

test("the position follows what is produced, and a worker that stops writes it", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const worker = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  const uetrs = Array.from({ length: 5 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  for (const record of journalRecords(environment)) await environment.settle(worker.handle([record]));
  await environment.settle(worker.close());
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(document).toMatchObject({ position: 5n });
  const next = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  expect(next.startAt).toBe(5n);
});

test("I16: in a partition that has nothing more to read, a new owner's tasks still do what is due", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetr = environment.uetr();
  const received = environment.creditReceived(uetr);
  const first = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
  await environment.append(topics.journal, uetr, received);
  await environment.settle(first.handle(journalRecords(environment)));
  await environment.time.advance(500);
  await environment.settle(first.close());

  const appended: string[] = [];
  const append = (facts: readonly FactToAppend[]) => {
    appended.push(...facts.map(({ key, fact }) => `${key} ${fact.kind}`));
    return Promise.resolve(true);
  };
  await environment.settle(openTestWorker(await environment.partitionContext({ append }), 0, { logStart: 0n, logEnd: 1n }));
  await environment.time.advance(received.value.deadlineMs - schedulerStartAtMs + 1_000);
  expect(appended).toContain(`${uetr} DeadlinePassed`);
});

test("an owner that takes its partition again appends nothing by itself before it has read what came in between", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const appended: string[] = [];
  const append = (facts: readonly FactToAppend[]) => {
    appended.push(...facts.map(({ key, fact }) => `${key} ${fact.kind}`));
    return Promise.resolve(true);
  };
  const uetr = environment.uetr();
  const received = environment.creditReceived(uetr);
  const context = await environment.partitionContext({ append });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  await environment.append(topics.journal, uetr, received);
  await environment.settle(worker.handle(journalRecords(environment)));
  await environment.time.advance(500);
  // Another owner comes in between, and more is appended. This owner learns of it at its next write.
  await environment.settle(environment.store.partitions.takeOver("scheduler", 0));
  for (const other of [environment.uetr(), environment.uetr()]) await environment.append(topics.journal, other, environment.debit(other));
  await environment.settle(worker.handle(journalRecords(environment, 1n).slice(0, 1)));
  await environment.time.advance(received.value.deadlineMs - schedulerStartAtMs + 10_000);
  expect(appended).toEqual([]);
  await environment.settle(worker.handle(journalRecords(environment, 2n)));
  await environment.time.advance(10_000);
  expect(appended).toContain(`${uetr} DeadlinePassed`);
});

/** Handles a debit, a marker and a debit, switches the partition to an empty build, and lets the owner notice. */
async function switchToEmptyBuild(environment: SchedulerEnvironment, worker: BatchHandler): Promise<void> {
  const { partitions, builds } = environment.store;
  const debit = async (uetr: string): Promise<void> => environment.append(topics.journal, uetr, environment.debit(uetr));
  await debit(environment.uetr());
  const marker = { id: `${schedulerDay}:WindowOpened:1:0`, scheme: "ZA_EFT", businessDate: "2026-11-20", partition: 0, number: 1 };
  await environment.append(topics.journal, schedulerDay, { name: "WindowOpened", value: marker }, 0);
  await debit(environment.uetr());
  await environment.settle(worker.handle(journalRecords(environment)));
  await environment.time.advance(500);
  await environment.settle(builds.prepare(1));
  await environment.settle(partitions.lock("scheduler", 0, { id: "builder", untilMs: schedulerStartAtMs + 60_000 }));
  await environment.settle(partitions.switchTo("scheduler", 0, "builder", { build: 1, position: 0n, state: null }));
  await debit(environment.uetr());
  await environment.settle(rejectionCode(worker.handle(journalRecords(environment, 3n))));
}

test.each([
  // An earlier owner's take-over arrives now: the first marker that is read again learns of it.
  { trouble: "loses its epoch", fail: (store: Store) => store.partitions.takeOver("scheduler", 0) },
  {
    trouble: "cannot read",
    fail: () => Promise.reject(new Fault("messaging.unavailable", "down", { isRetryable: true })),
  },
])(
  "I16: an owner that $trouble while it reads a rebuilt partition again retakes it once more, and no marker of the earlier build counts",
  async ({ fail }) => {
    const environment = new SchedulerEnvironment({ partitionCount: 1 });
    const taken: unknown[] = [];
    let hasFailed = false;
    const base = await environment.partitionContext();
    const context: PartitionContext = {
      ...base,
      logger: { ...base.logger, info: (event, fields) => void (event === "partition.taken" && taken.push(fields?.["markers"])) },
      async *read(...given) {
        const isFirst = !hasFailed;
        hasFailed = true;
        if (isFirst) await fail(environment.store);
        yield* base.read(...given);
      },
    };
    const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
    await switchToEmptyBuild(environment, worker);
    await environment.time.advance(30_000);
    expect(taken).toEqual([0, 0, 0]);
    await environment.settle(worker.handle(journalRecords(environment, 3n)));
    await environment.settle(worker.close());
    const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
    expect(document).toMatchObject({ position: 4n, build: 1, state: { markers: [{ offset: "1" }] } });
  },
);
