// What two owners of a partition, or one owner twice, do to what they share.

import { type AnyDecodedRecord, topics } from "@sluice/contracts";
import type { Producer, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { schedulerBusinessDate, schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { openTestWorker } from "./open-worker.fixture.ts";

function journalRecords(environment: SchedulerEnvironment, from = 0n): readonly ReceivedRecord[] {
  return environment.broker.records({ topic: topics.journal, partition: 0 }).filter(({ offset }) => offset >= from);
}

function marker(name: "WindowOpened" | "WindowClosed", number = 1): AnyDecodedRecord {
  const base = { id: `${schedulerDay}:${name}:${number}:0`, scheme: "ZA_EFT", businessDate: schedulerBusinessDate, partition: 0, number };
  return name === "WindowOpened" ? { name, value: base } : { name, value: { ...base, isLast: false, nextBusinessDate: null } };
}

async function keptMarkers(environment: SchedulerEnvironment): Promise<readonly unknown[]> {
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  const state = document!.state as { readonly markers: readonly { readonly marker: { readonly kind: string } }[] };
  return state.markers.map(({ marker: { kind } }) => kind);
}

/** Opens a worker that the coordinator confirms at once, or never again. */
async function openWorker(environment: SchedulerEnvironment, isConfirmed: boolean, producer?: Producer) {
  const own = producer === undefined ? {} : { producer };
  let ageMs = 0;
  const context = await environment.partitionContext({ heartbeatAgeMs: () => ageMs, ...own });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: 0n }));
  if (!isConfirmed) ageMs = 600_000;
  return worker;
}

test("I16: an owner that takes its partition again knows the markers that the owner in between has applied", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const first = await openWorker(environment, true);
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(first.handle(journalRecords(environment)));
  await environment.time.advance(500);
  const between = await openWorker(environment, false);
  const other = environment.uetr();
  await environment.append(topics.journal, other, environment.debit(other));
  const [, both] = journalRecords(environment);
  await environment.append(topics.journal, schedulerDay, marker("WindowOpened"), 0);
  await environment.settle(between.handle(journalRecords(environment, 1n)));
  await environment.time.advance(500);
  // The first owner handles one of the records too, learns that its epoch is over, and takes the partition again.
  await environment.settle(first.handle([both!]).catch(() => {}));
  await environment.time.advance(10_000);
  await environment.append(topics.journal, schedulerDay, marker("WindowClosed"), 0);
  await environment.settle(first.handle(journalRecords(environment, 3n)));
  await environment.time.advance(500);
  expect(await keptMarkers(environment)).toEqual(["WindowOpened", "WindowClosed"]);
});

test("I16: an owner that takes its partition again knows the markers that it applied and could not write", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const first = await openWorker(environment, true);
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.settle(first.handle(journalRecords(environment)));
  await environment.time.advance(500);
  // Another owner takes the partition and does nothing with it.
  await openWorker(environment, false);
  await environment.append(topics.journal, schedulerDay, marker("WindowOpened"), 0);
  await environment.settle(first.handle(journalRecords(environment, 1n)).catch(() => {}));
  await environment.time.advance(10_000);
  await environment.append(topics.journal, schedulerDay, marker("WindowClosed"), 0);
  await environment.settle(first.handle(journalRecords(environment, 2n)));
  await environment.time.advance(500);
  expect(await keptMarkers(environment)).toEqual(["WindowOpened", "WindowClosed"]);
});

test("I2: a batch during which the epoch was lost is not done, although its writes and sends went through", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const base = await environment.partitionContext();
  let whileSending: () => Promise<void> = () => Promise.resolve();
  const producer: Producer = {
    send: async (records) => {
      await whileSending();
      return base.producer.send(records);
    },
    close: () => base.producer.close(),
  };
  const stale = await openWorker(environment, false, producer);
  for (const uetr of [environment.uetr(), environment.uetr(), environment.uetr()]) {
    await environment.append(topics.journal, uetr, environment.debit(uetr));
  }
  const [first, second, third] = journalRecords(environment);
  // The position of the second one is written a while later, when the third one is under way.
  await environment.settle(stale.handle([first!]));
  await environment.settle(stale.handle([second!]));
  whileSending = async () => {
    whileSending = () => Promise.resolve();
    await environment.store.partitions.takeOver("scheduler", 0);
    await new Promise<void>((resolve) => void environment.time.after(1_000, resolve));
  };
  const code = await environment.settle(
    stale.handle([third!]).then(
      () => "done",
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    ),
  );
  expect(code).toBe("scheduler.partition-lost");
});

test("I16: a position that is written while a batch is written does not take the store for one that was restored", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const worker = await openWorker(environment, false);
  const uetrs = Array.from({ length: 20 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  for (const record of journalRecords(environment)) await environment.settle(worker.handle([record]));
  await environment.time.advance(500);
  const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
  expect(document).toMatchObject({ epoch: 1, position: 20n });
});
