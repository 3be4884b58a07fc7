// A store that is restored to an older point under a running scheduler. The scheduler sees no error: the store answers
// every call, only with what it had.

import { topics } from "@sluice/contracts";
import { lookIntervalMs, type Producer } from "@sluice/messaging";
import { checkConservation } from "@sluice/store";
import { expect, test } from "vitest";
import { schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { openTestWorker } from "../partition/open-worker.fixture.ts";
import { copyStore, listAllStates, listSent } from "./restored-store.fixture.ts";

test.each([
  { backup: "that has the epoch of today", epochsOlder: 0 },
  { backup: "with an older epoch", epochsOlder: 1 },
  { backup: "with an epoch so old that the take-over answers one of today", epochsOlder: 2 },
])("I1, I3: a store restored under a running scheduler, to a backup $backup, has every debit again under its identity", async (given) => {
  const lines: string[] = [];
  const environment = new SchedulerEnvironment({ seed: 5, onProblem: (event) => void lines.push(event) });
  for (const earlier of [await environment.scheduler(), await environment.scheduler()]) await earlier.stop();
  const process = await environment.scheduler();
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const uetr of uetrs.slice(0, 3)) await environment.hold(uetr);
  await environment.until("held", () => uetrs.slice(0, 3).every((uetr) => environment.events(uetr).at(-1)?.endsWith("HELD") === true));
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, given.epochsOlder);

  for (const uetr of uetrs.slice(3)) await environment.hold(uetr);
  await environment.until("released", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  await environment.time.advance(500);
  const states = await listAllStates(environment, uetrs);
  const before = listSent(environment);

  environment.store = older;
  expect(await listAllStates(environment, uetrs)).not.toEqual(states);
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.time.advance(20_000);
  const after = await listAllStates(environment, uetrs);
  expect(after).toEqual(states.map((own) => [...own, "DELIVERED", "COMPLETED"]));
  const sent = listSent(environment);
  expect([...before].filter((one) => !sent.has(one))).toEqual([]);
  // Two events for each report, and no other identity.
  expect(sent.size).toBe(before.size + 2 * uetrs.length);
  expect(lines).toContain("partition.store-gone-back");
  expect(process.failures).toEqual([]);
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length >= 2);
  await environment.time.advance(40_000);
  expect(await listAllStates(environment, uetrs)).toEqual(after);
  expect(lines).not.toContain("conservation.broken");
  expect((await environment.settle(checkConservation(environment.store, schedulerDay))).isWhole).toBe(true);
});

test("I1: a store that lost documents behind the position that it still has is noticed, and everything is read again", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetrs = Array.from({ length: 4 }, () => environment.uetr());
  const counted: number[] = [];
  const context = await environment.partitionContext();
  const metrics = { ...context.metrics, storeGoneBack: { add: (_labels: unknown, by = 1) => void counted.push(by) } };
  const worker = await environment.settle(openTestWorker({ ...context, metrics }, 0, { logStart: 0n, logEnd: 0n }));
  const handle = (from: number): Promise<void> =>
    environment.settle(worker.handle(environment.broker.records({ topic: topics.journal, partition: 0 }).slice(from, from + 1)));
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  await handle(0);
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, 0);
  // The position of this record is not written yet when the store is swapped.
  await handle(1);
  environment.store = older;
  await expect(handle(2)).rejects.toMatchObject({ code: "scheduler.partition-lost" });
  await environment.time.advance(10_000);
  for (const again of [2, 3]) await handle(again);
  await environment.settle(worker.close());
  for (const uetr of uetrs) expect(await environment.states(uetr)).toEqual(["RECEIVED"]);
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(document).toMatchObject({ position: 4n });
  // The series begins at 0, so that an alarm sees its increase.
  expect(counted).toEqual([0, 1]);
});

test.each([
  { lost: "documents", successor: "that process" },
  { lost: "documents", successor: "another process" },
  { lost: "a ledger", successor: "another process" },
])(
  "I1, I11: a position that lands in a restored store, which lost $lost before it, is moved back by $successor",
  async ({ lost, successor }) => {
    const environment = new SchedulerEnvironment({ partitionCount: 1 });
    const live = environment.emptyStore();
    environment.store = live;
    const uetrs = Array.from({ length: 4 }, () => environment.uetr());
    for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
    const records = environment.broker.records({ topic: topics.journal, partition: 0 });
    const open = async (context: Awaited<ReturnType<typeof environment.partitionContext>>) =>
      await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 4n }));
    const context = await environment.partitionContext();
    let restore = (): void => {};
    const { partitions } = context.store;
    const late: typeof partitions = {
      ...partitions,
      write(...write) {
        restore();
        return partitions.write(...write);
      },
    };
    const first = await open({ ...context, store: { ...context.store, partitions: late } });
    await environment.settle(first.handle(records.slice(0, 1)));
    await environment.time.advance(500);
    let backup = live.backUp();
    await environment.settle(first.handle(records.slice(1, 3)));
    // The ledger is written with the position.
    if (lost === "a ledger") backup = live.backUp();
    // The store is restored when everything is written, and read, that goes before the position.
    restore = () => {
      backup();
      restore = () => {};
    };
    await environment.time.advance(500);
    const position = async () => (await environment.settle(environment.store.partitions.list("scheduler")))[0]?.position;
    expect([await position(), (await environment.states(uetrs[1]!)).length]).toEqual([3n, lost === "documents" ? 0 : 1]);
    let startsAt: readonly unknown[] = [0n, 0n];
    if (successor === "another process") {
      const second = await open(await environment.partitionContext());
      startsAt = [second.startAt, await position()];
      await environment.settle(second.handle(records));
      await environment.settle(second.close());
    } else {
      await environment.time.advance(20_000);
      await environment.settle(first.handle(records.slice(3)));
      await environment.settle(first.close());
    }
    expect(startsAt).toEqual([0n, 0n]);
    for (const uetr of uetrs) expect(await environment.states(uetr)).toEqual(["RECEIVED"]);
    expect(await position()).toBe(4n);
    expect((await environment.settle(checkConservation(environment.store, schedulerDay))).isWhole).toBe(true);
  },
);

test("I1, I16: a scheduler that reads and writes nothing notices that the store was restored under it", async () => {
  const lines: string[] = [];
  const environment = new SchedulerEnvironment({ partitionCount: 1, onProblem: (event) => void lines.push(event) });
  await environment.scheduler();
  const uetrs = [environment.uetr(), environment.uetr()];
  await environment.hold(uetrs[0]!);
  await environment.until("held", () => environment.events(uetrs[0]!).at(-1)?.endsWith("HELD") === true);
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, 0);
  await environment.hold(uetrs[1]!);
  await environment.until("released", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  await environment.time.advance(30_000);
  const states = await listAllStates(environment, uetrs);
  expect(lines).not.toContain("partition.store-gone-back");
  environment.store = older;
  expect(await listAllStates(environment, uetrs)).not.toEqual(states);
  await environment.time.advance(2 * lookIntervalMs);
  expect(lines).toContain("partition.store-gone-back");
  expect(await listAllStates(environment, uetrs)).toEqual(states);
});

test("I11: a ledger that is read from a restored store, in the middle of a batch, loses nothing that was counted", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetrs = Array.from({ length: 3 }, () => environment.uetr());
  const place = { topic: topics.journal, partition: 0 };
  const real = await environment.settle(environment.broker.client("outputs").producer("outputs"));
  let restore = (): void => {};
  const producer: Producer = {
    close: () => real.close(),
    send(records) {
      restore();
      return real.send(records);
    },
  };
  const open = async () =>
    await environment.settle(openTestWorker(await environment.partitionContext({ producer }), 0, { logStart: 0n, logEnd: 3n }));
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  const records = environment.broker.records(place);
  const first = await open();
  await environment.settle(first.handle(records.slice(0, 1)));
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, 0);
  await environment.settle(first.handle(records.slice(1, 2)));
  await environment.settle(first.close());

  // This owner has no ledger in memory. The store is restored while its first batch waits for the broker.
  const next = await open();
  restore = (): void => void (environment.store = older);
  await environment.settle(next.handle(records.slice(2)).catch(() => {}));
  await environment.time.advance(10_000);
  await environment.settle(next.handle(records.slice(2)));
  await environment.settle(next.close());
  for (const uetr of uetrs) expect(await environment.states(uetr)).toEqual(["RECEIVED"]);
  const counted = await environment.settle(environment.store.ledgers.listByDay(schedulerDay));
  expect(counted.map(({ rows }) => rows.map(({ columns }) => columns.accepted?.count))).toEqual([[uetrs.length]]);
});

test("I1, I16: an owner that has been handed nothing yet reads again what a restored store has not", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetrs = [environment.uetr(), environment.uetr()];
  const open = async (logEnd: bigint) => {
    const worker = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd }));
    const handle = (from: number): Promise<void> =>
      environment.settle(worker.handle(environment.broker.records({ topic: topics.journal, partition: 0 }).slice(from, from + 1)));
    return { worker, handle };
  };
  const first = await open(0n);
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  await first.handle(0);
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, 0);
  await first.handle(1);
  await environment.settle(first.worker.close());
  const next = await open(2n);
  expect(next.worker.startAt).toBe(2n);
  environment.store = older;
  await environment.time.advance(10_000);
  for (const uetr of uetrs) expect(await environment.states(uetr)).toEqual(["RECEIVED"]);
  await environment.settle(next.worker.close());
});

test("I3: nothing is decided on a store that went back while the partition was taken over", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  const open = async (own: Parameters<typeof environment.partitionContext>[0] = {}) => {
    const context = await environment.partitionContext(own);
    const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 3n }));
    const handle = (from: number): Promise<void> =>
      environment.settle(worker.handle(environment.broker.records({ topic: topics.journal, partition: 0 }).slice(from, from + 1)));
    return { worker, handle };
  };
  const before = await open();
  await before.handle(0);
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older, 0);
  await before.handle(1);
  await environment.settle(before.worker.close());
  const live = environment.liveStore();
  let isTaken = false;
  const partitions: typeof live.partitions = {
    ...live.partitions,
    async takeOver(service, partition) {
      const document = await live.partitions.takeOver(service, partition);
      if (!isTaken) environment.store = older;
      isTaken = true;
      // An earlier release named nothing that a take-over could miss.
      return { ...document, unproven: null };
    },
  };
  const after = await open({ store: { ...live, partitions } });
  const sent = listSent(environment);
  await expect(after.handle(2)).rejects.toMatchObject({ code: "scheduler.partition-lost" });
  expect(listSent(environment)).toEqual(sent);
  await environment.time.advance(10_000);
  await after.handle(2);
  await environment.settle(after.worker.close());
  expect(await environment.states(uetr)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
  const ids = environment.named(topics.events, "TransactionStateEvent").map(({ decoded }) => decoded.value.id);
  const bodies = environment
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  expect(new Set(bodies).size).toBe(new Set(ids).size);
});
