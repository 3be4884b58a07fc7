// The journal that a store was folded from, and the offsets in it.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { openTestWorker } from "../partition/open-worker.fixture.ts";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";

test("I1: a scheduler does not go on at its positions in another journal, and readiness says why", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const { partitions } = environment.store;
  const held = await environment.settle(partitions.takeOver("scheduler", 0));
  const lost = { clusterId: "a-cluster-that-was-lost", topicId: topics.journal };
  await environment.settle(partitions.noteLog("scheduler", 0, held.epoch, lost));
  await environment.settle(partitions.write("scheduler", 0, held, 2n));
  for (const uetr of [environment.uetr(), environment.uetr(), environment.uetr()])
    await environment.append(topics.journal, uetr, environment.debit(uetr));
  const scheduler = await environment.scheduler();
  await environment.time.advance(10_000);
  const { isReady, reasons } = scheduler.readiness();
  expect(isReady).toBe(false);
  expect(reasons.join()).toMatch(/messaging\.another-log: the position counts in .* of cluster a-cluster-that-was-lost;/);
  expect(scheduler.failures).toEqual([]);
  expect((await environment.settle(partitions.list("scheduler")))[0]).toMatchObject({ position: 2n, log: lost });
});

test("the journal is noted at the first take-over, and a later owner finds it there", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  for (let owner = 0; owner < 2; owner += 1) {
    await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 0n }));
    const [document] = await environment.settle(environment.store.partitions.list("scheduler"));
    expect(document).toMatchObject({ epoch: owner + 1, log: { clusterId: "memory", topicId: topics.journal } });
  }
});

test("I1: records that were not handed over are read before the one that was", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.append(topics.journal, uetr, environment.debit(uetr));
  const worker = await environment.settle(openTestWorker(await environment.partitionContext(), 0, { logStart: 0n, logEnd: 6n }));
  const records = environment.broker.records({ topic: topics.journal, partition: 0 });
  // Neither the first record, nor those in the middle.
  await environment.settle(worker.handle([records[1]!, records[2]!, records[5]!]));
  await environment.settle(worker.close());
  for (const uetr of uetrs) expect(await environment.states(uetr)).toEqual(["RECEIVED"]);
  expect((await environment.settle(environment.store.partitions.list("scheduler")))[0]).toMatchObject({ position: 6n });
});

test("a journal that no longer begins at 0 is an error line at each assignment", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const lines: string[] = [];
  const base = await environment.partitionContext();
  const shown: number[] = [];
  const context = {
    ...base,
    logger: { ...base.logger, error: (event: string) => void lines.push(event) },
    metrics: { ...base.metrics, journalStart: { set: (offset: number) => void shown.push(offset) } },
  };
  for (const logStart of [0n, 7n]) await environment.settle(openTestWorker(context, 0, { logStart, logEnd: 9n }));
  // The alarm asks for the second.
  expect([lines, shown]).toEqual([["partition.journal-cut"], [0, 7]]);
});
